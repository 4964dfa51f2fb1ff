//! Putting new content in the place of a whole file: written beside it, then renamed over it, so that nobody
//! ever sees half of it. The one thing about files that WASI cannot do under a grant of a single name.
//!
//! Extended attributes and access lists of the old file are not carried over.

use std::fs::{File, Metadata, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, FallocateFlags, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use super::fault::Fault;
use super::ground::{Found, Ground, Hold, Node, Spelled};
use super::opened::Opened;
use super::watch::note_content;
use super::{Replaced, resolver};
use crate::contract::Access;

/// Names tried for the new file before giving up.
const TRIES: usize = 16;

impl Ground {
    /// Replaces the file at an absolute path that has no `.` or `..` in it.
    pub(super) fn replace(&self, named: &Path, content: &[u8]) -> Result<Replaced, Fault> {
        self.judge_named(named, Access::Write)?;
        let root = self.roots().iter().filter(|root| named.starts_with(&root.name));
        let root = root.max_by_key(|root| root.name.as_os_str().len());
        let Some((root, path)) = root.and_then(|root| Some((root, named.strip_prefix(&root.name).ok()?)))
        else {
            let path = named.display();
            return Err(Fault::refused(format!("it is in no folder that this call was granted: `{path}`")));
        };
        let base = Opened::folder(root.dir.try_clone()?, root.name.clone(), false);
        let spelled = Spelled { named: named.to_owned(), path: path.to_owned(), folder: false };
        let found = match self.find(&base, &spelled, true) {
            Err(fault) if fault.is_missing() => {
                self.make_parents(&base, path)?;
                self.find(&base, &spelled, true)?
            }
            found => found?,
        };
        let Found { node, hold: Some(hold) } = found else {
            return Err(Fault::Os(Errno::ISDIR.into()));
        };
        self.judge_hold(&hold, Access::Write)?;
        let Some(node) = node else {
            let meta = put(&hold, content, None)?;
            note_content(&self.seen, &hold.path, &meta, content);
            return Ok(Replaced { created: true, in_place: false });
        };
        if !node.meta.is_file() {
            let path = node.path.display();
            return Err(Fault::refused(format!("only a regular file can be replaced: `{path}`")));
        }
        self.judge_node(&node, Access::Write)?;
        let in_place = node.meta.nlink() > 1;
        let meta = if in_place { overwrite(&node, content)? } else { put(&hold, content, Some(&node.meta))? };
        note_content(&self.seen, &hold.path, &meta, content);
        Ok(Replaced { created: false, in_place })
    }

    /// Makes the folders that are missing above `path`, each judged.
    fn make_parents(&self, base: &Opened, path: &Path) -> Result<(), Fault> {
        let mut above: Vec<&Path> =
            path.ancestors().skip(1).filter(|above| *above != Path::new("")).collect();
        above.reverse();
        for folder in above {
            let named = base.named.join(folder);
            let spelled = Spelled { named, path: folder.to_owned(), folder: false };
            let found = self.find(base, &spelled, true)?;
            let (None, Some(hold)) = (found.node, found.hold) else { continue };
            self.judge_parent(&spelled.named)?;
            self.judge_parent(&hold.path)?;
            match rustix::fs::mkdirat(&hold.parent, &hold.name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    /// A folder may be made if it is writable ground itself, or the way to a file that was granted for writing
    /// and no rule is against it.
    fn judge_parent(&self, folder: &Path) -> Result<(), Fault> {
        let Err(refusal) = self.grant.judge_spelling(folder, Access::Write) else { return Ok(()) };
        let leads = |path: &Path| path.starts_with(folder) && path != folder;
        let mut ways = self.grant.files().iter();
        let way = ways.find(|file| file.access == Access::Write && (leads(&file.path) || leads(&file.named)));
        match way {
            Some(file) => Ok(self.grant.fence().judge(folder, Access::Write, file)?),
            None => Err(refusal.into()),
        }
    }
}

/// Writes beside, then renames over.
pub(super) fn put(hold: &Hold, content: &[u8], old: Option<&Metadata>) -> Result<Metadata, Fault> {
    let (file, name) = fresh_file(hold, old.is_none())?;
    let written = fill(&file, content, old).and_then(|meta| {
        rustix::fs::renameat(&hold.parent, &name, &hold.parent, &hold.name)?;
        Ok(meta)
    });
    match written {
        Ok(meta) => {
            // The content is safe already; only the name could be lost, and there is nobody to tell.
            let _ =
                resolver::reopen(&hold.parent, OFlags::RDONLY | OFlags::CLOEXEC).map(|dir| dir.sync_all());
            Ok(meta)
        }
        Err(fault) => {
            let _ = rustix::fs::unlinkat(&hold.parent, &name, AtFlags::empty());
            Err(fault)
        }
    }
}

fn fresh_file(hold: &Hold, new: bool) -> Result<(File, String), Fault> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | resolver::CALM;
    // The content of an existing file may be less open than the usual mode; `fill` sets the old one.
    let mode = Mode::from_raw_mode(if new { 0o666 } else { 0o600 });
    for _ in 0..TRIES {
        let name = format!(".mortise-{:016x}.tmp", RandomState::new().build_hasher().finish());
        match rustix::fs::openat(&hold.parent, &name, flags, mode) {
            Ok(fd) => return Ok((File::from(fd), name)),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(Errno::EXIST.into())
}

pub(super) fn fill(mut file: &File, content: &[u8], old: Option<&Metadata>) -> Result<Metadata, Fault> {
    file.write_all(content)?;
    if let Some(old) = old {
        let owner = (Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())));
        let owned = rustix::fs::fchown(file, owner.0, owner.1).is_ok();
        // Bits that lend rights are kept only with the owner they lend from.
        let mode = old.mode() & if owned { 0o7777 } else { 0o777 };
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.sync_all()?;
    Ok(file.metadata()?)
}

/// Writes a file with several names where it is. Room is taken first, so that a full disk changes nothing.
fn overwrite(node: &Node, content: &[u8]) -> Result<Metadata, Fault> {
    let file = resolver::reopen(&node.file, OFlags::WRONLY | resolver::CALM)?;
    let length = content.len() as u64;
    if length > 0 {
        match rustix::fs::fallocate(&file, FallocateFlags::KEEP_SIZE, 0, length) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    file.write_all_at(content, 0)?;
    file.set_len(length)?;
    file.sync_all()?;
    Ok(file.metadata()?)
}
