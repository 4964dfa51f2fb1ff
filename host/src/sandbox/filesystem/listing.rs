//! Folder listings, read as the guest asks for them. What it may not reach is not in them.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType};
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, DirectoryEntry, ErrorCode};

use super::fault::Fault;
use super::ground::Ground;
use super::opened::Opened;
use super::{resolver, tree};
use crate::contract::Access;

/// A listing under way.
pub(super) struct Listing {
    ground: Arc<Ground>,
    entries: Dir,
    dir: File,
    /// Both names of the folder.
    named: PathBuf,
    real: PathBuf,
}

impl Listing {
    pub(super) fn new(ground: Arc<Ground>, opened: &Opened) -> Result<Self, Fault> {
        if !opened.is_dir() {
            return Err(Fault::Code(ErrorCode::NotDirectory));
        }
        let dir = opened.file.try_clone()?;
        let entries = resolver::entries(&dir)?;
        let real = resolver::where_is(&dir)?;
        Ok(Self { ground, entries, dir, named: opened.named.clone(), real })
    }

    /// The next entry within reach. A name that is not UTF-8 cannot be said in WASI and is left out.
    pub(super) fn next(&mut self) -> Result<Option<DirectoryEntry>, Fault> {
        loop {
            let Some(entry) = self.entries.read() else { return Ok(None) };
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            let Ok(name) = std::str::from_utf8(bytes) else { continue };
            if name == "." || name == ".." || !self.within_reach(OsStr::from_bytes(bytes)) {
                continue;
            }
            let kind = match tree::kind_of(&self.dir, entry.file_name(), entry.file_type()) {
                Ok(kind) => kind,
                Err(fault) if fault.is_missing() => continue,
                Err(fault) => return Err(fault),
            };
            // A guest looks at each entry; one that it may not look at would end its whole listing.
            if kind == FileType::RegularFile && self.is_second_name(entry.file_name()) {
                continue;
            }
            return Ok(Some(DirectoryEntry { type_: type_of(kind), name: name.to_owned() }));
        }
    }

    /// Whether it is another name of a file that a rule keeps out, or might be, or is gone.
    fn is_second_name(&self, name: &CStr) -> bool {
        if !self.ground.grant.fence().may_contain_denied() {
            return false;
        }
        let path = self.real.join(OsStr::from_bytes(name.to_bytes()));
        match rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if stat.st_nlink <= 1 => false,
            _ => self.ground.judge_second_name(&self.dir, name, path).is_err(),
        }
    }

    fn within_reach(&self, name: &OsStr) -> bool {
        let grant = &self.ground.grant;
        grant.judge_spelling(&self.named.join(name), Access::Read).is_ok()
            && (self.named == self.real || grant.judge_spelling(&self.real.join(name), Access::Read).is_ok())
    }
}

/// The WASI word for a kind of file.
pub(super) fn type_of(kind: FileType) -> DescriptorType {
    match kind {
        FileType::RegularFile => DescriptorType::RegularFile,
        FileType::Directory => DescriptorType::Directory,
        FileType::Symlink => DescriptorType::SymbolicLink,
        FileType::Fifo => DescriptorType::Fifo,
        FileType::Socket => DescriptorType::Socket,
        FileType::CharacterDevice => DescriptorType::CharacterDevice,
        FileType::BlockDevice => DescriptorType::BlockDevice,
        FileType::Unknown => DescriptorType::Unknown,
    }
}
