//! Opening: what is there is opened, judged, and only then emptied if asked; what is not is made under a name
//! that was judged, and never anything but made.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::fault::Fault;
use super::ground::{Ground, Node, Spelled, has_up};
use super::opened::{Kind, Opened};
use super::resolver;
use super::watch::Watch;
use crate::contract::Access;

/// How often a name may change under an open before it is given up.
const TRIES: usize = 8;

/// How to open.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of `open-at`, one by one")]
pub(super) struct How {
    pub(super) follow: bool,
    pub(super) create: bool,
    pub(super) exclusive: bool,
    pub(super) truncate: bool,
    pub(super) directory: bool,
    pub(super) read: bool,
    pub(super) write: bool,
}

impl How {
    fn access(self) -> Access {
        if self.create || self.truncate || self.write { Access::Write } else { Access::Read }
    }

    fn flags(self) -> OFlags {
        let reads = self.read || !self.write;
        let mode = match (reads, self.write || self.truncate) {
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
            _ => OFlags::RDONLY,
        };
        let folder = if self.directory { OFlags::DIRECTORY } else { OFlags::empty() };
        mode | folder | resolver::CALM
    }
}

impl Ground {
    /// Opens or makes a file, or opens a folder.
    pub(super) fn open(&self, base: &Opened, path: &str, how: How) -> Result<Opened, Fault> {
        if how.directory && (how.create || how.exclusive || how.truncate) {
            return Err(Fault::Code(ErrorCode::Invalid));
        }
        let spelled = self.spell(base, path, how.access())?;
        if !how.create {
            return self.open_existing(base, &spelled, how)?.ok_or(Fault::Code(ErrorCode::NoEntry));
        }
        for _ in 0..TRIES {
            if !how.exclusive
                && let Some(opened) = self.open_existing(base, &spelled, how)?
            {
                return Ok(opened);
            }
            match self.create(base, &spelled, how) {
                Err(Fault::Os(error))
                    if error.kind() == std::io::ErrorKind::AlreadyExists && !how.exclusive => {}
                other => return other,
            }
        }
        Err(Fault::Code(ErrorCode::Busy))
    }

    fn open_existing(&self, base: &Opened, spelled: &Spelled, how: How) -> Result<Option<Opened>, Fault> {
        let straight = if has_up(&spelled.path) {
            None
        } else {
            match resolver::open_beneath(&base.file, &spelled.path, how.flags()) {
                Err(fault) if fault.is_missing() => return Ok(None),
                other => other?,
            }
        };
        let node = match straight {
            Some(file) => {
                let node = Node::of(file)?.folder_if(spelled.folder)?;
                only_plain(&node)?;
                self.judge_node(&node, how.access())?;
                node
            }
            None => {
                let Some(node) = self.walk(base, spelled, how.follow)?.node else { return Ok(None) };
                only_plain(&node)?;
                self.judge_node(&node, how.access())?;
                Node { file: resolver::reopen(&node.file, how.flags())?, ..node }
            }
        };
        self.admit(node, spelled.named.clone(), how, false).map(Some)
    }

    fn create(&self, base: &Opened, spelled: &Spelled, how: How) -> Result<Opened, Fault> {
        let found = self.find(base, spelled, how.follow && !how.exclusive)?;
        let Some(hold) = found.hold.filter(|_| found.node.is_none()) else {
            return Err(Errno::EXIST.into());
        };
        if spelled.folder {
            return Err(Fault::Code(ErrorCode::IsDirectory));
        }
        self.judge_hold(&hold, Access::Write)?;
        let flags = how.flags() | OFlags::CREATE | OFlags::EXCL;
        let mode = Mode::from_raw_mode(0o666);
        let file = File::from(rustix::fs::openat(&hold.parent, &hold.name, flags, mode)?);
        let node = Node::of(file)?;
        self.judge_node(&node, Access::Write)?;
        self.admit(node, spelled.named.clone(), how, true)
    }

    /// Makes a descriptor of what was judged, and empties it if that was asked.
    fn admit(&self, node: Node, named: PathBuf, how: How, made: bool) -> Result<Opened, Fault> {
        if node.meta.is_dir() {
            if how.write || how.truncate {
                return Err(Fault::Code(ErrorCode::IsDirectory));
            }
            let mutable = self.grant.judge_spelling(&named, Access::Write).is_ok()
                && self.grant.judge_path(&node.path, Access::Write).is_ok();
            return Ok(Opened::folder(node.file, named, mutable));
        }
        if how.truncate && !made {
            node.file.set_len(0)?;
        }
        let empty = made || how.truncate;
        let watch = self.grant.files().iter().any(|file| file.path == node.path).then(|| {
            let mut watch = Watch::new(node.path.clone(), Arc::clone(&self.seen));
            if empty {
                watch.emptied(&node.file);
            }
            Arc::new(Mutex::new(watch))
        });
        let kind = Kind::File { read: how.read || !how.write, write: how.write };
        Ok(Opened { file: Arc::new(node.file), named, kind, watch })
    }
}

/// Devices, pipes and sockets are no files to a guest: what they do has no bounds here.
fn only_plain(node: &Node) -> Result<(), Fault> {
    if node.meta.is_file() || node.meta.is_dir() {
        return Ok(());
    }
    if node.meta.is_symlink() {
        return Err(Fault::Code(ErrorCode::Loop));
    }
    let path = node.path.display();
    Err(Fault::refused(format!("only regular files and folders can be opened: `{path}`")))
}
