//! Configuration: `mortise.toml`, imported settings files and the command line, read and checked once and
//! resolved into one options struct per layer. No other layer reads a configuration file.
//!
//! Leaves to others: what a rule means (`permission`), what a plugin folder holds (`registry`).

mod limits;
mod options;

pub use limits::Limits;
pub use options::{
    Config, ExecutionOptions, Level, PermissionOptions, PluginFolder, RawRule, RegistryOptions, RuleEffect,
    RuleSource, SandboxOptions, ToolLimits, ToolOptions,
};
