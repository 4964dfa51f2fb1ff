//! The contract's `storage`: small, per plugin, with a quota, kept between calls and sessions.
//!
//! One file for each key, named by the key's digest, in a folder named by the plugin; written whole and
//! renamed into place, so that two calls at once leave one or the other value.

#![expect(clippy::disallowed_methods, reason = "it keeps plugins' storage")]

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

/// Bytes of expiry time in front of a value: seconds since 1970, little-endian; 0 is never.
const EXPIRY: usize = 8;

/// The longest key, in bytes.
const MAX_KEY: usize = 1_024;

/// One plugin's part of the storage.
#[derive(Debug, Clone)]
pub(super) struct Storage {
    folder: PathBuf,
    quota: u64,
}

impl Storage {
    /// The part that belongs to `owner`: a plugin by its name and origin, whatever its digest.
    pub(super) fn new(root: PathBuf, owner: &str, quota: u64) -> Self {
        Self { folder: root.join(digest(owner)), quota }
    }

    pub(super) fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let stored = match fs::read(self.file(key)?) {
            Ok(stored) => stored,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("storage cannot be read: {error}")),
        };
        let Some((expiry, value)) = stored.split_first_chunk::<EXPIRY>() else { return Ok(None) };
        let expiry = u64::from_le_bytes(*expiry);
        if expiry != 0 && expiry <= now() {
            return self.delete(key).map(|()| None);
        }
        Ok(Some(value.to_vec()))
    }

    pub(super) fn set(&self, key: &str, value: &[u8], ttl: Option<u32>) -> Result<(), String> {
        let file = self.file(key)?;
        let own = fs::metadata(&file).map_or(0, |found| found.len());
        let wanted = self.used() - own.min(self.used()) + (EXPIRY + value.len()) as u64;
        if wanted > self.quota {
            return Err(format!(
                "storage is full: this would make {wanted} of at most {} bytes; delete something first",
                self.quota
            ));
        }
        let expiry = ttl.map_or(0, |ttl| now().saturating_add(u64::from(ttl)));
        let write = || -> io::Result<()> {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            let mut temporary = tempfile::NamedTempFile::new_in(&self.folder)?;
            temporary.write_all(&expiry.to_le_bytes())?;
            temporary.write_all(value)?;
            temporary.persist(&file)?;
            Ok(())
        };
        write().map_err(|error| format!("storage cannot be written: {error}"))
    }

    pub(super) fn delete(&self, key: &str) -> Result<(), String> {
        match fs::remove_file(self.file(key)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(format!("storage cannot be changed: {error}"))
            }
            _ => Ok(()),
        }
    }

    fn file(&self, key: &str) -> Result<PathBuf, String> {
        if key.is_empty() || key.len() > MAX_KEY {
            return Err(format!("a storage key has 1 to {MAX_KEY} bytes, this one {}", key.len()));
        }
        Ok(self.folder.join(digest(key)))
    }

    /// Bytes in use, expired ones included until they are next asked for.
    fn used(&self) -> u64 {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
    }
}

fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}
