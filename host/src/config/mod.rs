//! Configuration: `mortise.toml`, imported settings files and the command line, read and checked once and
//! resolved into one options struct per layer. No other layer reads a configuration file.
//!
//! Leaves to others: what a rule means (`permission`), what a plugin folder holds (`registry`).

mod error;
mod file;
mod layer;
mod limits;
mod load;
mod merge;
mod options;
mod places;
mod settings;
mod table;
mod units;

pub use error::{ConfigError, Place};
pub use limits::Limits;
pub use load::{Sources, load};
pub use options::{
    Config, ExecutionOptions, Level, PermissionOptions, PluginFolder, ProcessOptions, RawRule,
    RegistryOptions, RuleEffect, RuleSource, SandboxOptions, ToolLimits, ToolOptions,
};
pub use places::Places;
