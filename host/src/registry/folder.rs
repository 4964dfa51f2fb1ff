//! A plugin folder: its `.wasm` files, each opened once, checked on what was opened, and read from there.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::sandbox::MAX_COMPONENT;

/// One file of a folder: its path, and its bytes or why it is refused.
pub(super) struct Found {
    pub(super) file: PathBuf,
    pub(super) bytes: Result<Vec<u8>, String>,
}

/// The paths of a folder's `.wasm` entries, in order of name.
///
/// # Errors
/// The folder cannot be listed.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let listed = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = listed.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    files.sort();
    Ok(files)
}

/// Reads one entry.
pub(super) fn read(folder: &Path, file: PathBuf) -> Found {
    let bytes = read_checked(folder, &file);
    Found { file, bytes }
}

fn read_checked(folder: &Path, entry: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    // A link may lead to a neighbour, not out of the folder.
    let folder = fs::canonicalize(folder).map_err(unreadable)?;
    let file = fs::canonicalize(entry).map_err(unreadable)?;
    if file.parent() != Some(&folder) {
        return Err(format!(
            "it is a link out of the plugin folder; hint: copy the component itself into the folder, it leads to `{}`",
            file.display()
        ));
    }
    // Without waiting, since a pipe would have us wait for a writer; and no link this time.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(|error| error.to_string())?;
    let mut opened = File::options().read(true).custom_flags(flags).open(&file).map_err(unreadable)?;
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
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or_default());
    opened.by_ref().take(MAX_COMPONENT).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
