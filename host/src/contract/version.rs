//! Reads the contract version off a component's exports, before anything is compiled or run.

/// The version of `mortise:tool` that this host speaks.
pub const CONTRACT_VERSION: &str = "0.1.0";

/// What a component says it is, by its names alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {}

/// Why a component is no plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {}
