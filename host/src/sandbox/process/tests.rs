//! What the confinement holds, kernel feature by kernel feature.
