//! A look at everything below a folder, without following symlinks and with an end to it. For checks that must
//! know what is there: whoever asks treats a look that did not finish as a no.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType};

use super::fault::Fault;
use super::resolver;

/// Something below.
pub(super) struct Entry<'a> {
    /// The folder it is in, and its name there.
    pub(super) dir: &'a File,
    pub(super) name: &'a CStr,
    pub(super) kind: FileType,
    /// Its path below the folder that was looked at.
    pub(super) path: &'a Path,
}

/// Shows every entry below `top` to `visit`. `Ok(false)`: there was more than `budget` had room for.
pub(super) fn look(
    top: &File,
    budget: &mut usize,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<(), Fault>,
) -> Result<bool, Fault> {
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let dir = resolver::descend(top, &below)?;
        for entry in resolver::entries(&dir)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if *budget == 0 {
                return Ok(false);
            }
            *budget -= 1;
            let path = below.join(OsStr::from_bytes(name.to_bytes()));
            let kind = kind_of(&dir, name, entry.file_type())?;
            visit(&Entry { dir: &dir, name, kind, path: &path })?;
            if kind == FileType::Directory {
                folders.push(path);
            }
        }
    }
    Ok(true)
}

/// The type of an entry, asked for where the listing does not tell.
pub(super) fn kind_of(dir: &File, name: &CStr, told: FileType) -> Result<FileType, Fault> {
    if told != FileType::Unknown {
        return Ok(told);
    }
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}
