//! Mortise: one socket for every agent tool.

pub mod config;
pub mod contract;
pub mod execution;
pub mod hooks;
pub mod permission;
