//! The ground a call may tread: from a folder the guest holds and a path it spelled to the very inode, judged
//! under every name it has on the way. Every path operation passes here.
//!
//! First the spelling is judged, then the path is taken in one kernel step that follows no symlink; where there
//! is one, [`Ground::walk`] takes the way hop by hop. What was reached is judged by where the kernel says it is.
//!
//! Leaves to others: the system calls (`resolver`), what is then done (`open`, `mutate`, `replace`).

use std::collections::BTreeMap;
use std::ffi::{CStr, OsString};
use std::fs::{File, Metadata};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::fault::Fault;
use super::links::DeniedInodes;
use super::opened::Opened;
use super::preopens::{Root, roots_of};
use super::resolver;
use super::watch::Seen;
use crate::contract::Access;
use crate::permission::Grant;

/// A grant, and what has been learnt about the files it covers. Nothing is opened before it is asked for.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) grant: Arc<Grant>,
    pub(super) seen: Arc<Mutex<BTreeMap<PathBuf, Seen>>>,
    roots: OnceLock<Vec<Root>>,
    denied: OnceLock<DeniedInodes>,
}

/// A path as a guest spelled it.
#[derive(Debug)]
pub(super) struct Spelled {
    /// Absolute, `.` and `..` removed by text alone.
    pub(super) named: PathBuf,
    /// Below the folder that it was given with.
    pub(super) path: PathBuf,
    /// It ends in a way that only a folder may.
    pub(super) folder: bool,
}

/// A thing that exists, pinned.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) file: File,
    pub(super) meta: Metadata,
    /// Where it really is.
    pub(super) path: PathBuf,
}

/// A name in a pinned folder, whether or not it exists.
#[derive(Debug)]
pub(super) struct Hold {
    pub(super) parent: File,
    /// Where the folder really is, and the name in it.
    pub(super) path: PathBuf,
    pub(super) name: OsString,
}

/// What a path came to. No node: it does not exist. No hold: it names a folder by `.` or `..`.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) node: Option<Node>,
    pub(super) hold: Option<Hold>,
}

impl Ground {
    pub(super) fn new(grant: Arc<Grant>) -> Self {
        Self { grant, seen: Arc::default(), roots: OnceLock::new(), denied: OnceLock::new() }
    }

    /// The folders that the guest starts from.
    pub(super) fn roots(&self) -> &[Root] {
        self.roots.get_or_init(|| roots_of(&self.grant))
    }

    /// Reads a guest's spelling and judges it.
    pub(super) fn spell(&self, base: &Opened, path: &str, access: Access) -> Result<Spelled, Fault> {
        if path.is_empty() {
            return Err(Fault::Code(ErrorCode::NoEntry));
        }
        let path = Path::new(path);
        if path.is_absolute() {
            return Err(Fault::Code(ErrorCode::NotPermitted));
        }
        if !base.is_dir() {
            return Err(Fault::Code(ErrorCode::NotDirectory));
        }
        let text = path.as_os_str().as_encoded_bytes();
        let folder = text.ends_with(b"/") || text.ends_with(b"/.") || matches!(text, b"." | b"..");
        let spelled = Spelled { named: lexical(&base.named, path), path: path.to_owned(), folder };
        self.judge_named(&spelled.named, access)?;
        Ok(spelled)
    }

    /// Judges a spelling. The folders that the guest was handed may be looked at, whatever else in them may not.
    pub(super) fn judge_named(&self, named: &Path, access: Access) -> Result<(), Fault> {
        if access == Access::Read && self.roots().iter().any(|root| root.name == named) {
            return Ok(());
        }
        Ok(self.grant.judge_spelling(named, access)?)
    }

    /// Judges something that was reached, by where it really is.
    pub(super) fn judge_node(&self, node: &Node, access: Access) -> Result<(), Fault> {
        if access == Access::Read
            && node.meta.is_dir()
            && self.roots().iter().any(|root| root.real == node.path)
        {
            return Ok(());
        }
        for path in resolver::names_of(&node.path) {
            if access == Access::Read && node.meta.is_symlink() {
                self.grant.judge_spelling(&path, access)?;
            } else {
                self.grant.judge_path(&path, access)?;
            }
        }
        self.judge_inode(node, access)
    }

    /// Judges a name in a folder that is pinned, before it is made, changed or removed.
    pub(super) fn judge_hold(&self, hold: &Hold, access: Access) -> Result<(), Fault> {
        resolver::names_of(&hold.path).try_for_each(|path| Ok(self.grant.judge_path(&path, access)?))
    }

    /// A file with several names may have a denied one.
    fn judge_inode(&self, node: &Node, access: Access) -> Result<(), Fault> {
        if !DeniedInodes::may_matter(&self.grant, &node.meta) {
            return Ok(());
        }
        let denied = self.denied.get_or_init(|| DeniedInodes::scan(&self.grant));
        denied.judge(&node.path, &node.meta, access)
    }

    /// Judges an entry of a folder that has several names, for a listing.
    pub(super) fn judge_second_name(&self, dir: &File, name: &CStr, path: PathBuf) -> Result<(), Fault> {
        let file = resolver::pin_name(dir, name)?;
        let meta = file.metadata()?;
        self.judge_inode(&Node { file, meta, path }, Access::Read)
    }

    /// Reaches something that exists.
    pub(super) fn node(&self, base: &Opened, spelled: &Spelled, follow: bool) -> Result<Node, Fault> {
        let straight = if has_up(&spelled.path) {
            None
        } else {
            resolver::open_beneath(&base.file, &spelled.path, resolver::PIN)?
        };
        if let Some(file) = straight {
            let node = Node::of(file)?;
            if !(node.meta.is_symlink() && (follow || spelled.folder)) {
                return node.folder_if(spelled.folder);
            }
        }
        let found = self.walk(base, spelled, follow)?;
        found.node.ok_or(Fault::Code(ErrorCode::NoEntry))
    }

    /// Reaches a name in its folder, and what it names if there is anything.
    pub(super) fn find(&self, base: &Opened, spelled: &Spelled, follow: bool) -> Result<Found, Fault> {
        let name = spelled.path.file_name().filter(|_| !has_up(&spelled.path));
        let Some(name) = name else { return self.walk(base, spelled, follow) };
        let above = spelled.path.parent().filter(|above| !above.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new("."));
        let parent = resolver::open_beneath(&base.file, above, resolver::FOLDER)?;
        let Some(parent) = parent else { return self.walk(base, spelled, follow) };
        let node = match resolver::pin_name(&parent, name) {
            Ok(file) => Some(Node::of(file)?),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(errno.into()),
        };
        let node = match node {
            Some(node) if node.meta.is_symlink() && (follow || spelled.folder) => {
                return self.walk(base, spelled, follow);
            }
            Some(node) => Some(node.folder_if(spelled.folder)?),
            None => None,
        };
        let path = resolver::where_is(&parent)?.join(name);
        Ok(Found { node, hold: Some(Hold { parent, path, name: name.to_owned() }) })
    }
}

impl Node {
    pub(super) fn of(file: File) -> Result<Self, Fault> {
        let meta = file.metadata()?;
        let path = resolver::where_is(&file)?;
        Ok(Self { file, meta, path })
    }

    /// Itself, unless it had to be a folder and is none.
    pub(super) fn folder_if(self, folder: bool) -> Result<Self, Fault> {
        if folder && !self.meta.is_dir() { Err(Fault::Code(ErrorCode::NotDirectory)) } else { Ok(self) }
    }
}

/// Joins by text alone.
pub(super) fn lexical(base: &Path, path: &Path) -> PathBuf {
    let mut named = base.to_owned();
    for step in path.components() {
        match step {
            Component::Normal(name) => named.push(name),
            Component::ParentDir => {
                named.pop();
            }
            Component::RootDir => named = PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    named
}

pub(super) fn has_up(path: &Path) -> bool {
    path.components().any(|step| step == Component::ParentDir)
}
