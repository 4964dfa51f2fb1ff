//! Where configuration is looked for and where Mortise keeps what is its own: the only reader of the
//! environment.

#![expect(
    clippy::disallowed_methods,
    reason = "it asks where a folder really is, once, before anything runs"
)]

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

/// The places of one machine and user. An embedding program, or a test, may name others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The administrator's file.
    pub managed: Option<PathBuf>,
    /// The user's home, for `~`.
    pub home: Option<PathBuf>,
    /// The folder with the user's `mortise.toml`.
    pub config: Option<PathBuf>,
    /// The folder for what can be made again: compiled code, descriptors.
    pub cache: Option<PathBuf>,
    /// The folder for what plugins keep.
    pub data: Option<PathBuf>,
    /// The folder for what the operator has accepted.
    pub state: Option<PathBuf>,
}

impl Places {
    /// The places of this machine by the XDG base directories; those under a home that cannot be found are
    /// missing, and nothing is kept there.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let managed = Some(PathBuf::from("/etc/mortise/managed.toml"));
        let Ok(base) = etcetera::choose_base_strategy() else { return Self { managed, ..Self::default() } };
        Self {
            managed,
            home: Some(base.home_dir().to_path_buf()),
            config: Some(base.config_dir().join("mortise")),
            cache: Some(base.cache_dir().join("mortise")),
            data: Some(base.data_dir().join("mortise")),
            state: Some(base.state_dir().unwrap_or_else(|| base.data_dir()).join("mortise")),
        }
    }

    /// The user's own configuration file.
    #[must_use]
    pub fn user_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|folder| folder.join("mortise.toml"))
    }

    /// Folders and files that are Mortise's own wherever it works.
    pub(crate) fn own(&self) -> impl Iterator<Item = PathBuf> {
        let folders = [&self.managed, &self.config, &self.cache, &self.data, &self.state];
        folders.into_iter().flatten().cloned()
    }
}

/// The path with symlinks followed as far as it exists.
#[must_use]
pub(crate) fn followed(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for folder in path.ancestors() {
        if let Ok(real) = folder.canonicalize() {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        rest.extend(folder.file_name());
    }
    path.to_path_buf()
}

/// A variable of the environment, if it is set and is text.
pub(crate) fn variable(name: &str) -> Option<(String, String)> {
    std::env::var(name).ok().map(|value| (name.to_owned(), value))
}
