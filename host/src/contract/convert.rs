//! From generated types to ours.
