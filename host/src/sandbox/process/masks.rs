//! What rules keep out of a tree that a command was granted: found by name before the command starts, so that the
//! kernel can be told.
//!
//! Leaves to others: telling the kernel (`confine`), what a rule says (`permission`).

#![expect(clippy::disallowed_methods, reason = "it looks through granted folders, by the host's own right")]

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::confine::BASE;
use crate::contract::{Access, Extent};
use crate::permission::{CommandGrant, Fence, FileGrant};

/// Entries looked at before giving up; giving up refuses the command.
const MAX_ENTRIES: usize = 300_000;

/// What is kept out of the granted trees.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Neither read nor written.
    pub(super) hidden: Vec<PathBuf>,
    /// Read and not written.
    pub(super) frozen: Vec<PathBuf>,
}

impl Kept {
    /// Whether something in `folder`, or the folder itself, is kept.
    pub(super) fn touches(&self, folder: &Path) -> bool {
        self.all().any(|kept| kept.starts_with(folder))
    }

    /// All of it.
    pub(super) fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.hidden.iter().chain(&self.frozen)
    }

    pub(super) fn hides(&self, path: &Path) -> bool {
        self.hidden.iter().any(|kept| path.starts_with(kept))
    }

    pub(super) fn freezes(&self, path: &Path) -> bool {
        self.frozen.iter().any(|kept| path.starts_with(kept))
    }

    fn tidy(&mut self) {
        for list in [&mut self.hidden, &mut self.frozen] {
            list.sort_unstable();
            list.dedup_by(|later, earlier| later.starts_with(earlier));
        }
        let hidden = std::mem::take(&mut self.hidden);
        self.frozen.retain(|path| !hidden.iter().any(|kept| path.starts_with(kept)));
        self.hidden = hidden;
    }
}

/// Looks for it.
///
/// # Errors
/// There is too much to look through, in words.
pub(super) fn find(grant: &CommandGrant, fence: &Fence) -> Result<Kept, String> {
    let mut search = Search {
        base: BASE.map(|folder| FileGrant {
            path: folder.into(),
            named: folder.into(),
            access: Access::Read,
            extent: Extent::Tree,
        }),
        grant,
        fence,
        kept: Kept::default(),
        inodes: HashSet::new(),
        several: Vec::new(),
        left: MAX_ENTRIES,
    };
    for tree in grant.files.iter().filter(|file| file.extent == Extent::Tree) {
        let own = fence.own_files().iter().filter(|own| own.starts_with(&tree.path));
        for own in own.filter(|own| own.symlink_metadata().is_ok()) {
            search.judge(own);
        }
        if fence.speaks_in(&tree.path) {
            search.folder(&tree.path)?;
        }
    }
    search.base()?;
    for (path, inode) in std::mem::take(&mut search.several) {
        if search.inodes.contains(&inode) {
            search.kept.hidden.push(path);
        }
    }
    search.kept.tidy();
    Ok(search.kept)
}

struct Search<'a> {
    /// What every command may read.
    base: [FileGrant; BASE.len()],
    grant: &'a CommandGrant,
    fence: &'a Fence,
    kept: Kept,
    /// Of files that are hidden: another name must not lead to them.
    inodes: HashSet<(u64, u64)>,
    /// Files with several names that are not hidden by this one.
    several: Vec<(PathBuf, (u64, u64))>,
    left: usize,
}

impl Search<'_> {
    /// What rules name in the folders that every command may read.
    fn base(&mut self) -> Result<(), String> {
        let base = BASE.map(Path::new);
        for root in self.fence.literal_roots() {
            let inside = base.iter().any(|base| root.starts_with(base));
            if !inside || self.grant.files.iter().any(|file| file.covers(&root)) {
                continue;
            }
            if self.judge(&root) {
                continue;
            }
            // Of the whole of /usr, what rules say with wildcards is left to the analysis of the line.
            if root.components().count() > 2 || root == Path::new("/etc") {
                self.folder(&root)?;
            }
        }
        Ok(())
    }

    fn folder(&mut self, folder: &Path) -> Result<(), String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.filter_map(Result::ok) {
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                format!(
                    "rules keep files out of `{}`, and it holds more than {MAX_ENTRIES} entries to look through; \
                     hint: start in a smaller folder",
                    folder.display()
                )
            })?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let hidden = self.judge(&path);
            if kind.is_dir() && !hidden {
                self.folder(&path)?;
            } else if kind.is_file()
                && let Ok(found) = entry.metadata()
                && found.nlink() > 1
            {
                let inode = (found.dev(), found.ino());
                if hidden {
                    self.inodes.insert(inode);
                } else {
                    self.several.push((path, inode));
                }
            }
        }
        Ok(())
    }

    /// Judges one path, notes what is kept, and says whether it is hidden.
    fn judge(&mut self, path: &Path) -> bool {
        let within = self.grant.files.iter().chain(&self.base);
        let covering = |access| within.clone().filter(move |file| file.access >= access && file.covers(path));
        let open =
            |access| covering(access).any(|file| self.fence.judge_for_command(path, access, file).is_ok());
        if !open(Access::Read) {
            // A denied name may be a link to a file that has another: what it leads to is kept, too.
            let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            self.kept.hidden.push(real);
            return true;
        }
        if covering(Access::Write).next().is_some() && !open(Access::Write) {
            let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            self.kept.frozen.push(real);
        }
        false
    }
}
