//! What one source says, before it is laid over the others: nothing here is resolved, merged or believed yet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::Place;
use super::table::Located;
use super::{Level, RawRule, ToolOptions};

/// The permission modes by name, weakest words first; `permission` knows what they mean.
pub(crate) const MODES: &[&str] =
    &["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];

/// One source, read.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) level: Level,
    pub(crate) file: Option<PathBuf>,
    /// Whether it may widen what a call can do. A project's own file may not until its folder is trusted.
    pub(crate) trusted: bool,
    pub(crate) rules: Vec<RawRule>,
    pub(crate) mode: Option<Located<String>>,
    pub(crate) additional_directories: Vec<Located<PathBuf>>,
    pub(crate) private_origins: Vec<Located<String>>,
    pub(crate) folders: Vec<Located<PathBuf>>,
    pub(crate) embedded: Option<Located<bool>>,
    pub(crate) environment: Vec<Located<String>>,
    pub(crate) unconfined: Option<Located<bool>>,
    pub(crate) limits: LimitsLayer,
    pub(crate) tools: BTreeMap<String, ToolLayer>,
    /// Modes that this source forbids, for whoever sets them.
    pub(crate) forbidden_modes: Vec<&'static str>,
    pub(crate) warnings: Vec<String>,
}

/// `[limits]`, as far as it is written.
#[derive(Debug, Default)]
pub(crate) struct LimitsLayer {
    pub(crate) time: Option<Located<Duration>>,
    pub(crate) introspection_time: Option<Located<Duration>>,
    pub(crate) memory: Option<Located<u64>>,
    pub(crate) result_bytes: Option<Located<u64>>,
    pub(crate) log_bytes: Option<Located<u64>>,
    pub(crate) handles: Option<Located<u32>>,
    pub(crate) response_bytes: Option<Located<u64>>,
    pub(crate) storage_bytes: Option<Located<u64>>,
    pub(crate) concurrency: Option<Located<u32>>,
}

/// `[tools.NAME]`, as far as it is written.
#[derive(Debug)]
pub(crate) struct ToolLayer {
    /// Where the table begins.
    pub(crate) line: u32,
    pub(crate) options: ToolOptions,
    /// What only the options' `bool` would lose: whether it was written at all.
    pub(crate) concurrent: Option<bool>,
}

impl Layer {
    pub(crate) fn new(level: Level, file: Option<PathBuf>, trusted: bool) -> Self {
        Self {
            level,
            file,
            trusted,
            rules: Vec::new(),
            mode: None,
            additional_directories: Vec::new(),
            private_origins: Vec::new(),
            folders: Vec::new(),
            embedded: None,
            environment: Vec::new(),
            unconfined: None,
            limits: LimitsLayer::default(),
            tools: BTreeMap::new(),
            forbidden_modes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn warn(&mut self, line: Option<u32>, message: impl std::fmt::Display) {
        let warning = match &self.file {
            Some(file) => format!("{}: {message}", Place { file: file.clone(), line }),
            None => message.to_string(),
        };
        self.warnings.push(warning);
    }
}

/// Makes a path that was written in configuration absolute: `~/` is the home, anything relative starts at
/// `base`, and `.` and `..` are resolved by text.
pub(crate) fn absolute(written: &str, base: &Path, home: Option<&Path>) -> Result<PathBuf, String> {
    let path = match (written, written.strip_prefix("~/"), home) {
        ("", ..) => return Err("an empty path".to_owned()),
        ("~", _, Some(home)) => home.to_path_buf(),
        (_, Some(rest), Some(home)) => home.join(rest),
        ("~", ..) | (_, Some(_), None) => return Err(format!("no home folder for `{written}`")),
        _ => base.join(written),
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    Ok(plain)
}
