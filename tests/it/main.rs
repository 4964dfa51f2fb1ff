//! One file per layer and surface.
