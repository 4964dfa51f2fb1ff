//! Mortise: one socket for every agent tool.

pub mod config;
pub mod contract;
pub mod execution;
pub mod hooks;
pub mod host;
pub mod orchestration;
pub mod permission;
pub mod registry;
pub mod sandbox;
pub mod surfaces;
