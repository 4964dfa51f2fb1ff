//! Hard links: a file may have an allowed name and a denied one. Where a rule could mean any of its names, a
//! file with several is looked up among the inodes that denied names lead to.

#![expect(clippy::disallowed_methods, reason = "it asks the kernel about a descriptor that is open already")]

use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::fault::Fault;
use super::resolver;
use super::tree;
use crate::contract::{Access, Extent};
use crate::permission::{FileGrant, Grant};

/// Entries looked at before giving up; giving up refuses every file with several names.
const MAX_ENTRIES: usize = 100_000;

type Inode = (u64, u64);

/// The inodes that must not be reached by any name, learnt once for a call.
#[derive(Debug)]
pub(super) struct DeniedInodes {
    read: HashSet<Inode>,
    write: HashSet<Inode>,
    complete: bool,
}

impl DeniedInodes {
    /// Whether this file has to be looked up at all.
    pub(super) fn may_matter(grant: &Grant, meta: &Metadata) -> bool {
        let guarded = |file: &FileGrant| grant.fence().guards_below(&folder_of(file));
        meta.is_file()
            && meta.nlink() > 1
            && (grant.fence().may_contain_denied() || grant.files().iter().any(guarded))
    }

    /// Looks through the granted trees, the folders of granted files and wherever the rules point.
    pub(super) fn scan(grant: &Grant) -> Self {
        let mut tops: Vec<PathBuf> = grant.files().iter().map(folder_of).collect();
        tops.extend(grant.fence().literal_roots());
        tops.sort();
        tops.dedup_by(|later, earlier| later.starts_with(earlier));
        let mut denied = Self { read: HashSet::new(), write: HashSet::new(), complete: true };
        let mut budget = MAX_ENTRIES;
        for top in tops {
            if denied.scan_tree(grant, &top, &mut budget).is_err() {
                denied.complete = false;
            }
        }
        denied
    }

    /// Judges a file with several names.
    pub(super) fn judge(&self, path: &Path, meta: &Metadata, access: Access) -> Result<(), Fault> {
        let inode = (meta.dev(), meta.ino());
        let path = path.display();
        if self.read.contains(&inode) || (access == Access::Write && self.write.contains(&inode)) {
            return Err(Fault::refused(format!(
                "another name of the same file is kept out by a rule: `{path}`"
            )));
        }
        if !self.complete {
            return Err(Fault::refused(format!(
                "the file has other names, and whether a rule keeps one of them out could not be found out: `{path}`"
            )));
        }
        Ok(())
    }

    fn scan_tree(&mut self, grant: &Grant, top: &Path, budget: &mut usize) -> Result<(), Fault> {
        let all = FileGrant {
            path: top.to_owned(),
            named: top.to_owned(),
            access: Access::Write,
            extent: Extent::Tree,
        };
        let kept_out = |path: &Path, access| grant.fence().judge(path, access, &all).is_err();
        let dir = match resolver::pin_folder(top) {
            Ok((dir, _)) => dir,
            Err(fault) if fault.is_missing() => return Ok(()),
            Err(_) => {
                // Not a folder: the rule points at one file.
                let meta = std::fs::metadata(top)?;
                self.keep(
                    (meta.dev(), meta.ino()),
                    kept_out(top, Access::Read),
                    kept_out(top, Access::Write),
                );
                return Ok(());
            }
        };
        // Whatever is below a denied folder is denied with it.
        let mut below: Vec<PathBuf> = Vec::new();
        if kept_out(top, Access::Read) {
            below.push(PathBuf::new());
        }
        let finished = tree::look(&dir, budget, &mut |entry| {
            let path = top.join(entry.path);
            let read =
                below.iter().any(|folder| entry.path.starts_with(folder)) || kept_out(&path, Access::Read);
            if read && entry.kind == FileType::Directory {
                below.push(entry.path.to_owned());
            }
            let write = read || kept_out(&path, Access::Write);
            if write && entry.kind == FileType::RegularFile {
                let file = resolver::pin_name(entry.dir, entry.name)?;
                let meta = file.metadata()?;
                self.keep((meta.dev(), meta.ino()), read, write);
            }
            Ok(())
        })?;
        if finished { Ok(()) } else { Err(Fault::refused("too many files to look through")) }
    }

    fn keep(&mut self, inode: Inode, read: bool, write: bool) {
        if read {
            self.read.insert(inode);
        }
        if write {
            self.write.insert(inode);
        }
    }
}

/// Where names that a rule may keep out lie beside what was granted.
fn folder_of(file: &FileGrant) -> PathBuf {
    match (file.extent, file.path.parent()) {
        (Extent::File, Some(parent)) => parent.to_owned(),
        _ => file.path.clone(),
    }
}
