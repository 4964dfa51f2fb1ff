//! A plugin folder: its `.wasm` files, each opened once, checked on what was opened, and read from there.

#![expect(clippy::disallowed_methods, reason = "it reads plugin folders")]

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::catalogue::Stamp;
use crate::sandbox::MAX_COMPONENT;

/// A folder that was listed.
#[derive(Clone)]
pub(super) struct Listed {
    /// Without a link in its path.
    real: PathBuf,
    /// The paths of its `.wasm` entries, in order of name.
    pub(super) files: Vec<PathBuf>,
}

/// An entry that was opened and may be read.
pub(super) struct Opened {
    file: File,
    size: u64,
    pub(super) stamp: Stamp,
}

/// Lists a folder.
///
/// # Errors
/// It cannot be listed.
pub(super) fn list(folder: &Path) -> io::Result<Listed> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    files.sort();
    Ok(Listed { real: fs::canonicalize(folder)?, files })
}

impl Listed {
    /// Opens one entry.
    ///
    /// # Errors
    /// It is not what a plugin's file must be; in words for the operator.
    pub(super) fn open(&self, entry: &Path) -> Result<Opened, String> {
        // A link may lead to a neighbour, not out of the folder.
        let file = fs::canonicalize(entry).map_err(unreadable)?;
        if file.parent() != Some(&self.real) {
            return Err(format!(
                "it is a link out of the plugin folder; hint: copy the component itself into the folder, it leads to `{}`",
                file.display()
            ));
        }
        // Without waiting, since a pipe would have us wait for a writer; and no link this time.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).map_err(|error| error.to_string())?;
        let opened = File::options().read(true).custom_flags(flags).open(&file).map_err(unreadable)?;
        let found = opened.metadata().map_err(unreadable)?;
        if !found.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        if found.mode() & 0o002 != 0 {
            return Err(format!("everybody may write it; hint: chmod o-w '{}'", file.display()));
        }
        if found.len() > MAX_COMPONENT {
            return Err(format!("it has {} bytes, and {MAX_COMPONENT} is the most", found.len()));
        }
        Ok(Opened { file: opened, size: found.len(), stamp: Stamp::of(&found) })
    }
}

impl Opened {
    /// Its bytes.
    ///
    /// # Errors
    /// It cannot be read; in words for the operator.
    pub(super) fn read(self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.size).unwrap_or_default());
        self.file.take(MAX_COMPONENT).read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }
}

fn unreadable(error: io::Error) -> String {
    format!("it cannot be read: {error}")
}
