//! What the files of a plugin folder were found to hold, each under a stamp of the file: a folder whose files have
//! not changed is listed without reading them.
//!
//! A stamp decides only what is listed. What runs is code that was compiled from the very bytes of the digest that
//! is listed: `sandbox` compares them when it compiles.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::contract::{CONTRACT_VERSION, Contract, Descriptor};
use crate::sandbox::SealedFolder;

/// A file younger than this might change once more within one tick of a coarse clock, and keep its stamp.
const SETTLED: Duration = Duration::from_secs(2);

/// Folders and what their files hold.
pub(super) struct Catalogue {
    kept: SealedFolder,
}

/// Files by name.
pub(super) type Records = BTreeMap<String, Record>;

/// One file that was read, checked and asked what it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) stamp: Stamp,
    pub(super) digest: String,
    pub(super) contract: Contract,
    pub(super) descriptors: Vec<Descriptor>,
}

/// What a file has when it is still the same file with the same bytes. Nobody but an administrator can set the
/// time of change (POSIX.1-2017, `st_ctim`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// Whether it can be relied on: the last change is long enough ago, and not in the future.
    pub(super) fn is_settled(&self) -> bool {
        let changed = u64::try_from(self.changed.0).map(Duration::from_secs);
        let age = |changed| SystemTime::now().duration_since(UNIX_EPOCH + changed);
        changed.is_ok_and(|changed| age(changed).is_ok_and(|age| age > SETTLED))
    }
}

impl Catalogue {
    pub(super) fn open(folder: Option<&Path>) -> Self {
        Self { kept: SealedFolder::open(folder) }
    }

    /// What is known of a folder; nothing where nothing is kept, or where what is kept was tampered with.
    pub(super) fn read(&self, folder: &Path) -> Records {
        let kept = self.kept.read(&name(folder));
        kept.and_then(|kept| serde_json::from_slice(&kept).ok()).unwrap_or_default()
    }

    pub(super) fn write(&self, folder: &Path, records: &Records) {
        if let Ok(text) = serde_json::to_vec(records) {
            self.kept.write(&name(folder), &text);
        }
    }
}

/// The contract and the host's version are part of the name: what is kept means nothing to others.
fn name(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_bytes());
    format!("folder-{digest:x}-{CONTRACT_VERSION}-{}.json", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_just_now_is_not_relied_on() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
        let at = |changed| Stamp { device: 1, inode: 1, size: 1, modified: (0, 0), changed: (changed, 0) };
        assert!(!at(now).is_settled());
        assert!(!at(now + 60).is_settled());
        assert!(!at(-1).is_settled());
        assert!(at(now - 60).is_settled());
    }
}
