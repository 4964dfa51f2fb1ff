//! Mortise: one socket for every agent tool.

pub mod config;
pub mod contract;
pub mod permission;
pub mod surfaces;
