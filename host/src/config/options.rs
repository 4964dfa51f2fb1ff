//! What configuration comes to: one options struct per layer, with every place resolved and every default
//! filled in. An embedding program may write these by hand.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::Limits;

/// Everything, resolved.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Absolute; symlinks followed.
    pub working_directory: PathBuf,
    /// For `permission`.
    pub permission: PermissionOptions,
    /// For `sandbox`.
    pub sandbox: SandboxOptions,
    /// For `registry`.
    pub registry: RegistryOptions,
    /// For `execution` and `orchestration`.
    pub execution: ExecutionOptions,
    /// The files that were read, in order.
    pub files: Vec<PathBuf>,
    /// What was passed over on the way and why, for the operator; each a whole line.
    pub warnings: Vec<String>,
}

/// For `permission`.
#[derive(Debug, Clone, Default)]
pub struct PermissionOptions {
    /// In source order; never dropped, also when two are the same.
    pub rules: Vec<RawRule>,
    /// By name; `None`: default.
    pub mode: Option<String>,
    /// Where the mode was written.
    pub mode_source: Option<RuleSource>,
    /// Absolute folders that count as the working directory does.
    pub additional_directories: Vec<PathBuf>,
    /// The operator's home, for rules and paths beginning with `~`.
    pub home: Option<PathBuf>,
    /// Absolute files and folders of the host's own that no call may write, whether or not they exist yet.
    pub own_files: Vec<PathBuf>,
    /// Origins on addresses that are not globally routable and may be dialled all the same: `host:port`.
    pub private_origins: Vec<String>,
}

/// A rule as it was written, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRule {
    /// What it says should happen.
    pub effect: RuleEffect,
    /// Such as `Read(src/**)`.
    pub text: String,
    /// Where it was written.
    pub source: RuleSource,
}

/// What a rule says should happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleEffect {
    /// Runs unasked.
    Allow,
    /// Ask the operator.
    Ask,
    /// Refuse.
    Deny,
}

/// Where a rule was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// Which kind of source.
    pub level: Level,
    /// The file; `None` on the command line and in a session.
    pub file: Option<PathBuf>,
    /// From 1; `None` where there is no file.
    pub line: Option<u32>,
    /// What a pattern beginning with `/` starts from: the project for a project file, the settings folder
    /// for a user file, the file's own folder for one named on the command line, else the working directory.
    pub root: PathBuf,
}

impl fmt::Display for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}", file.display()),
            (Some(file), None) => write!(f, "{}", file.display()),
            (None, _) => write!(f, "{}", self.level),
        }
    }
}

/// The kinds of source, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The administrator's file.
    Managed,
    /// The user's own file.
    User,
    /// The project's file.
    Project,
    /// The project's file that is not shared.
    Local,
    /// The command line, or a file named on it.
    CommandLine,
    /// Answers given in this session.
    Session,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Managed => "managed file",
            Self::User => "user file",
            Self::Project => "project file",
            Self::Local => "local file",
            Self::CommandLine => "command line",
            Self::Session => "session",
        })
    }
}

/// For `sandbox`.
#[derive(Debug, Clone, Default)]
pub struct SandboxOptions {
    /// Ceiling of every call, before `[tools.NAME]`.
    pub limits: Limits,
    /// Where compiled code is kept, a folder that only this user can write; `None`: nowhere.
    pub cache: Option<PathBuf>,
    /// Where plugins' `storage` is kept; `None`: nowhere.
    pub storage: Option<PathBuf>,
    /// For commands.
    pub process: ProcessOptions,
}

/// `[process]`: what commands get.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessOptions {
    /// All that commands are told of the environment: PATH, HOME, LANG, TERM and what the operator named, with values.
    pub environment: Vec<(String, String)>,
    /// Whether they run although nothing confines them.
    pub unconfined: bool,
}

/// For `registry`.
#[derive(Debug, Clone, Default)]
pub struct RegistryOptions {
    /// Whether the core tools are in the pool.
    pub embedded: bool,
    /// In the order they were named.
    pub folders: Vec<PluginFolder>,
    /// Where accepted plugins are recorded; `None`: nothing is remembered.
    pub state: Option<PathBuf>,
    /// Where descriptors are kept by component digest; `None`: nowhere.
    pub cache: Option<PathBuf>,
    /// `[tools.NAME]`.
    pub tools: BTreeMap<String, ToolOptions>,
}

/// A folder whose `.wasm` files are plugins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFolder {
    /// Absolute.
    pub path: PathBuf,
    /// Whether naming it was accepting what it holds (it was named on the command line).
    pub accepted: bool,
}

/// `[tools.NAME]`: what the operator says of one tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOptions {
    /// `Some(false)` takes the tool out of the pool.
    pub enabled: Option<bool>,
    /// Whether calls may run beside others although they may write.
    pub concurrent: bool,
    /// `sha256:…` of the component that is accepted.
    pub digest: Option<String>,
    /// Standing grants to files: a path, and whether it may be written.
    pub files: Vec<(PathBuf, bool)>,
    /// Standing grants to origins: `https://host[:port]`.
    pub egress: Vec<String>,
    /// Ceilings; `None`: the general one.
    pub limits: ToolLimits,
    /// Handed to the plugin as its configuration.
    pub config: Option<Value>,
}

/// `[tools.NAME] limits`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolLimits {
    /// Wall clock.
    pub time: Option<std::time::Duration>,
    /// Bytes.
    pub memory: Option<u64>,
    /// Unicode scalar values of a result before it is spilled.
    pub result: Option<u32>,
}

/// For `execution` and `orchestration`.
#[derive(Debug, Clone, Default)]
pub struct ExecutionOptions {
    /// Where large results of this session are spilled; `None`: a temporary folder of the session's own.
    pub spill: Option<PathBuf>,
    /// Calls of a safe batch that run side by side.
    pub concurrency: usize,
}
