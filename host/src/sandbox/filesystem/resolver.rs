//! The system calls that paths are resolved with. Linux only, and the only file here that is: everything else
//! in this folder is written in terms of these few functions.
//!
//! No function here follows a symlink. Where one is in the way, `ground` walks and judges each hop.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, ResolveFlags, Timestamps};
use rustix::io::Errno;

use super::fault::Fault;

/// Holds on to a thing without opening it: no device, pipe or socket notices.
pub(super) const PIN: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Pins a folder. For [`open_beneath`] only, which follows no symlink anyway: with `NOFOLLOW` a symlink at the end
/// would pass for something that is no folder instead of asking for a walk.
pub(super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What every real open adds: no hanging on a pipe, no becoming somebody's terminal.
pub(super) const CALM: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

#[cfg(test)]
thread_local! {
    /// Set by tests: as on a kernel without `openat2`.
    pub(super) static WALK: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Opens `path` below `dir` in one step. `None`: a symlink is in the way, or this kernel (or its filter)
/// lacks `openat2`; the way must be walked.
pub(super) fn open_beneath(dir: impl AsFd, path: &Path, flags: OFlags) -> Result<Option<File>, Fault> {
    #[cfg(test)]
    if WALK.get() {
        return Ok(None);
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve) {
        Ok(fd) => Ok(Some(File::from(fd))),
        Err(Errno::LOOP | Errno::XDEV | Errno::AGAIN | Errno::NOSYS | Errno::PERM) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Pins one name in `dir`, a symlink itself rather than what it leads to.
pub(super) fn pin_name(dir: impl AsFd, name: impl rustix::path::Arg) -> Result<File, Errno> {
    rustix::fs::openat(dir, name, PIN, Mode::empty()).map(File::from)
}

/// Pins a folder some levels below `dir`, going through folders only.
pub(super) fn descend(dir: impl AsFd, path: &Path) -> Result<File, Fault> {
    let mut at = File::from(dir.as_fd().try_clone_to_owned()?);
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::Normal(name) => {
                let next = rustix::fs::openat(&at, name, PIN | OFlags::DIRECTORY, Mode::empty())?;
                at = File::from(next);
            }
            _ => return Err(Errno::INVAL.into()),
        }
    }
    Ok(at)
}

/// Opens a pinned folder to list it.
pub(super) fn entries(dir: impl AsFd) -> Result<Dir, Fault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Dir::new(rustix::fs::openat(dir, c".", flags, Mode::empty())?)?)
}

/// The folder above.
pub(super) fn above(dir: impl AsFd) -> Result<File, Fault> {
    Ok(File::from(rustix::fs::openat(dir, "..", PIN | OFlags::DIRECTORY, Mode::empty())?))
}

/// Pins a folder of the host's choosing, symlinks followed, and says where it really is.
pub(super) fn pin_folder(path: &Path) -> Result<(File, PathBuf), Fault> {
    let dir = File::from(rustix::fs::openat(CWD, path, FOLDER, Mode::empty())?);
    let real = where_is(&dir)?;
    Ok((dir, real))
}

/// Where the kernel says that an open or pinned thing is now. What has been removed meanwhile ends in
/// ` (deleted)`, and so may an honest name: see [`names_of`].
pub(super) fn where_is(file: impl AsFd) -> Result<PathBuf, Fault> {
    let link = rustix::fs::readlinkat(CWD, proc_path(file), Vec::new())?;
    let path = PathBuf::from(OsString::from_vec(link.into_bytes()));
    if path.is_absolute() { Ok(path) } else { Err(Errno::XDEV.into()) }
}

/// Both things that an answer of [`where_is`] may mean; whatever is judged must pass under each.
pub(super) fn names_of(path: &Path) -> impl Iterator<Item = PathBuf> {
    let plain = path.to_str().and_then(|text| text.strip_suffix(" (deleted)")).map(PathBuf::from);
    std::iter::once(path.to_owned()).chain(plain)
}

/// Opens what is pinned, and nothing else, whatever has happened to its name since.
pub(super) fn reopen(pinned: impl AsFd, flags: OFlags) -> Result<File, Fault> {
    Ok(File::from(rustix::fs::openat(CWD, proc_path(pinned), flags, Mode::empty())?))
}

/// Sets the times of what is pinned, a symlink included.
pub(super) fn set_times(pinned: impl AsFd, times: &Timestamps) -> Result<(), Fault> {
    Ok(rustix::fs::utimensat(CWD, proc_path(pinned), times, AtFlags::empty())?)
}

/// Gives what is pinned one more name.
pub(super) fn link(pinned: impl AsFd, dir: impl AsFd, name: &std::ffi::OsStr) -> Result<(), Fault> {
    Ok(rustix::fs::linkat(CWD, proc_path(pinned), dir, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// What a pinned symlink says, as text.
pub(super) fn read_link(pinned: impl AsFd) -> Result<PathBuf, Fault> {
    let target = rustix::fs::readlinkat(pinned, c"", Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

fn proc_path(file: impl AsFd) -> String {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
}
