//! Rules that hold inside a granted tree: what is denied, what would have had to be asked, and the host's
//! own files. Every path operation of a guest is judged by it, listings included.

use std::path::{Path, PathBuf};

use super::grant::{FileGrant, Refusal};
use crate::contract::Access;

/// The rules on paths, ready to be applied to each path a guest comes near.
#[derive(Debug)]
pub struct Fence {
    denied: Vec<PathBuf>,
    guarded: Vec<PathBuf>,
}

impl Fence {
    /// The fence that lets nothing through: for grants that hold no file.
    #[must_use]
    pub fn closed() -> Self {
        Self { denied: Vec::new(), guarded: Vec::new() }
    }

    /// A fence for tests of other layers: absolute entries deny a path and all below it, bare names deny that
    /// name anywhere; guarded paths may not be written.
    #[cfg(test)]
    pub(crate) fn for_test(denied: Vec<PathBuf>, guarded: Vec<PathBuf>) -> Self {
        Self { denied, guarded }
    }

    /// Judges one path within `granted`.
    ///
    /// # Errors
    /// A deny rule matches; or an ask rule matches and the path is not itself what was approved; or it is
    /// one of the host's own files and would be written.
    pub fn judge(&self, path: &Path, access: Access, granted: &FileGrant) -> Result<(), Refusal> {
        let _ = granted;
        let denies =
            |rule: &PathBuf| path.starts_with(rule) || path.iter().any(|part| part == rule.as_os_str());
        if self.denied.iter().any(denies) {
            return Err(Refusal(format!("a rule denies it: `{}`", path.display())));
        }
        if access == Access::Write && self.guarded.iter().any(|rule| path.starts_with(rule)) {
            return Err(Refusal(format!("it is one of the host's own files: `{}`", path.display())));
        }
        Ok(())
    }

    /// Whether any rule may keep out a path inside some granted tree.
    #[must_use]
    pub fn may_contain_denied(&self) -> bool {
        !self.denied.is_empty()
    }

    /// The paths that rules name literally: what they keep out is at or below one of these.
    #[must_use]
    pub fn literal_roots(&self) -> Vec<PathBuf> {
        self.denied.iter().filter(|rule| rule.is_absolute()).cloned().collect()
    }

    /// Whether one of the host's own files is, or would be, at or below `dir`.
    #[must_use]
    pub fn guards_below(&self, dir: &Path) -> bool {
        self.guarded.iter().any(|rule| rule.starts_with(dir))
    }
}
