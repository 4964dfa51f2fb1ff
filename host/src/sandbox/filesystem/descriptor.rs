//! The functions of `wasi:filesystem` as the linker calls them: each finds its descriptor, hands over to
//! `ground` and its neighbours, keeps a refusal as text and answers with an error code.
//!
//! Everything is done inline; nothing here waits for anything but the file system. A full table traps.

use rustix::fs::OFlags;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry,
    DirectoryEntryStream, ErrorCode, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::fault::{Fault, code_of};
use super::listing::Listing;
use super::open::How;
use super::opened::{Kind, Opened};
use super::stream::{self, FileReader, FileWriter};
use super::{FilesystemCtxView, resolver, times};
use crate::contract::Access;

type Fd = Resource<Descriptor>;

impl FilesystemCtxView<'_> {
    fn opened(&self, fd: &Fd) -> FsResult<Opened> {
        Ok(self.table.get(&Resource::<Opened>::new_borrow(fd.rep()))?.clone())
    }

    fn push(&mut self, opened: Opened) -> Result<Fd, wasmtime::component::ResourceTableError> {
        Ok(Resource::new_own(self.table.push(opened)?.rep()))
    }

    fn told<T>(&mut self, result: Result<T, Fault>) -> FsResult<T> {
        result.map_err(|fault| {
            self.files.note(&fault);
            fault.code().into()
        })
    }

    /// Reaches a path only to look at it.
    fn look_at(&mut self, fd: &Fd, flags: PathFlags, path: &str) -> FsResult<super::ground::Node> {
        let base = self.opened(fd)?;
        let node = self.files.ground.look(&base, path, flags.contains(PathFlags::SYMLINK_FOLLOW));
        self.told(node)
    }
}

impl super::ground::Ground {
    /// Reaches a path only to look at it.
    pub(super) fn look(&self, base: &Opened, path: &str, follow: bool) -> Result<super::ground::Node, Fault> {
        let spelled = self.spell(base, path, Access::Read)?;
        let node = self.node(base, &spelled, follow)?;
        self.judge_node(&node, Access::Read)?;
        Ok(node)
    }

    /// The target of a symlink, as text.
    pub(super) fn read_link(&self, base: &Opened, path: &str) -> Result<String, Fault> {
        let node = self.look(base, path, false)?;
        if !node.meta.is_symlink() {
            return Err(Fault::Code(ErrorCode::Invalid));
        }
        let target = resolver::read_link(&node.file)?.into_os_string().into_string();
        target.map_err(|_| Fault::Code(ErrorCode::IllegalByteSequence))
    }
}

impl preopens::Host for FilesystemCtxView<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Fd, String)>> {
        let mut directories = Vec::new();
        for opened in self.files.ground.preopens()? {
            // A name that is not UTF-8 cannot be said in WASI.
            let Some(name) = opened.named.to_str().map(str::to_owned) else { continue };
            directories.push((self.push(opened)?, name));
        }
        Ok(directories)
    }
}

impl types::Host for FilesystemCtxView<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        Ok(self.table.get(&error)?.downcast_ref::<std::io::Error>().map(code_of))
    }
}

impl types::HostDescriptor for FilesystemCtxView<'_> {
    fn read_via_stream(&mut self, fd: Fd, offset: u64) -> FsResult<Resource<DynInputStream>> {
        let opened = self.opened(&fd)?;
        self.told(opened.readable().map(|_| ()))?;
        let stream: DynInputStream = Box::new(FileReader::new(opened, offset));
        Ok(self.table.push(stream)?)
    }

    fn write_via_stream(&mut self, fd: Fd, offset: u64) -> FsResult<Resource<DynOutputStream>> {
        let opened = self.opened(&fd)?;
        self.told(opened.writable().map(|_| ()))?;
        let stream: DynOutputStream = Box::new(FileWriter::new(opened, Some(offset)));
        Ok(self.table.push(stream)?)
    }

    fn append_via_stream(&mut self, fd: Fd) -> FsResult<Resource<DynOutputStream>> {
        let opened = self.opened(&fd)?;
        self.told(opened.writable().map(|_| ()))?;
        let stream: DynOutputStream = Box::new(FileWriter::new(opened, None));
        Ok(self.table.push(stream)?)
    }

    async fn advise(&mut self, fd: Fd, _offset: u64, _length: u64, _advice: Advice) -> FsResult<()> {
        // Advice may be ignored, and a guest should not steer the host's cache.
        let opened = self.opened(&fd)?;
        if opened.is_dir() { Err(ErrorCode::BadDescriptor.into()) } else { Ok(()) }
    }

    async fn sync_data(&mut self, fd: Fd) -> FsResult<()> {
        self.sync(fd).await
    }

    async fn sync(&mut self, fd: Fd) -> FsResult<()> {
        let opened = self.opened(&fd)?;
        let synced = if opened.is_dir() {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            resolver::reopen(&*opened.file, flags).and_then(|dir| Ok(dir.sync_all()?))
        } else {
            opened.file.sync_all().map_err(Fault::from)
        };
        self.told(synced)
    }

    async fn get_flags(&mut self, fd: Fd) -> FsResult<DescriptorFlags> {
        let when = |flag, set| if set { flag } else { DescriptorFlags::empty() };
        Ok(match self.opened(&fd)?.kind {
            Kind::Folder { mutable } => {
                DescriptorFlags::READ | when(DescriptorFlags::MUTATE_DIRECTORY, mutable)
            }
            Kind::File { read, write } => {
                when(DescriptorFlags::READ, read) | when(DescriptorFlags::WRITE, write)
            }
        })
    }

    async fn get_type(&mut self, fd: Fd) -> FsResult<DescriptorType> {
        let opened = self.opened(&fd)?;
        Ok(if opened.is_dir() { DescriptorType::Directory } else { DescriptorType::RegularFile })
    }

    async fn set_size(&mut self, fd: Fd, size: u64) -> FsResult<()> {
        let opened = self.opened(&fd)?;
        let done = opened.writable().and_then(|opened| {
            opened.file.set_len(size)?;
            opened.watched(|watch| watch.resized(&opened.file, size));
            Ok(())
        });
        self.told(done)
    }

    async fn set_times(&mut self, fd: Fd, access: NewTimestamp, modification: NewTimestamp) -> FsResult<()> {
        let opened = self.opened(&fd)?;
        let done = times::timestamps(access, modification)
            .and_then(|times| self.files.ground.set_times(&opened, &times));
        self.told(done)
    }

    async fn read(&mut self, fd: Fd, length: u64, offset: u64) -> FsResult<(Vec<u8>, bool)> {
        let opened = self.opened(&fd)?;
        let length = usize::try_from(length).unwrap_or(stream::CHUNK);
        let read = opened.readable().and_then(|opened| Ok(stream::read_at(opened, offset, length)?));
        let bytes = self.told(read)?;
        let ended = bytes.is_empty();
        Ok((bytes.into(), ended))
    }

    async fn write(&mut self, fd: Fd, bytes: Vec<u8>, offset: u64) -> FsResult<u64> {
        let opened = self.opened(&fd)?;
        let done = opened.writable().and_then(|opened| Ok(stream::write_at(opened, Some(offset), &bytes)?));
        self.told(done)?;
        Ok(bytes.len() as u64)
    }

    async fn read_directory(&mut self, fd: Fd) -> FsResult<Resource<DirectoryEntryStream>> {
        let opened = self.opened(&fd)?;
        let listing = Listing::new(self.files.ground.clone(), &opened);
        let listing = self.told(listing)?;
        Ok(Resource::new_own(self.table.push(listing)?.rep()))
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let base = self.opened(&fd)?;
        let done = self.files.ground.create_directory(&base, &path);
        self.told(done)
    }

    async fn stat(&mut self, fd: Fd) -> FsResult<DescriptorStat> {
        let meta = self.opened(&fd)?.file.metadata().map_err(Fault::from);
        Ok(times::stat_of(&self.told(meta)?))
    }

    async fn stat_at(&mut self, fd: Fd, flags: PathFlags, path: String) -> FsResult<DescriptorStat> {
        Ok(times::stat_of(&self.look_at(&fd, flags, &path)?.meta))
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
        access: NewTimestamp,
        modification: NewTimestamp,
    ) -> FsResult<()> {
        let base = self.opened(&fd)?;
        let follow = flags.contains(PathFlags::SYMLINK_FOLLOW);
        let done = times::timestamps(access, modification)
            .and_then(|times| self.files.ground.set_times_at(&base, &path, follow, &times));
        self.told(done)
    }

    async fn link_at(&mut self, fd: Fd, flags: PathFlags, old: String, to: Fd, new: String) -> FsResult<()> {
        let (from, to) = (self.opened(&fd)?, self.opened(&to)?);
        let follow = flags.contains(PathFlags::SYMLINK_FOLLOW);
        let done = self.files.ground.link(&from, &old, follow, &to, &new);
        self.told(done)
    }

    async fn open_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
        open: OpenFlags,
        mode: DescriptorFlags,
    ) -> FsResult<Fd> {
        let synced = DescriptorFlags::FILE_INTEGRITY_SYNC
            | DescriptorFlags::DATA_INTEGRITY_SYNC
            | DescriptorFlags::REQUESTED_WRITE_SYNC;
        if mode.intersects(synced) {
            return Err(ErrorCode::Unsupported.into());
        }
        let base = self.opened(&fd)?;
        let how = How {
            follow: flags.contains(PathFlags::SYMLINK_FOLLOW),
            create: open.contains(OpenFlags::CREATE),
            exclusive: open.contains(OpenFlags::EXCLUSIVE),
            truncate: open.contains(OpenFlags::TRUNCATE),
            directory: open.contains(OpenFlags::DIRECTORY),
            read: mode.contains(DescriptorFlags::READ),
            write: mode.contains(DescriptorFlags::WRITE),
        };
        let opened = self.files.ground.open(&base, &path, how);
        let opened = self.told(opened)?;
        Ok(self.push(opened)?)
    }

    async fn readlink_at(&mut self, fd: Fd, path: String) -> FsResult<String> {
        let base = self.opened(&fd)?;
        let target = self.files.ground.read_link(&base, &path);
        self.told(target)
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let base = self.opened(&fd)?;
        let done = self.files.ground.remove_directory(&base, &path);
        self.told(done)
    }

    async fn rename_at(&mut self, fd: Fd, old: String, to: Fd, new: String) -> FsResult<()> {
        let (from, to) = (self.opened(&fd)?, self.opened(&to)?);
        let done = self.files.ground.rename(&from, &old, &to, &new);
        self.told(done)
    }

    async fn symlink_at(&mut self, fd: Fd, target: String, path: String) -> FsResult<()> {
        let base = self.opened(&fd)?;
        let done = self.files.ground.symlink(&base, &target, &path);
        self.told(done)
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let base = self.opened(&fd)?;
        let done = self.files.ground.unlink_file(&base, &path);
        self.told(done)
    }

    async fn is_same_object(&mut self, one: Fd, other: Fd) -> wasmtime::Result<bool> {
        let identity = |fd: &Fd| -> wasmtime::Result<(u64, u64)> {
            use std::os::unix::fs::MetadataExt;
            let opened = self.table.get(&Resource::<Opened>::new_borrow(fd.rep()))?;
            let meta = opened.file.metadata()?;
            Ok((meta.dev(), meta.ino()))
        };
        Ok(identity(&one)? == identity(&other)?)
    }

    async fn metadata_hash(&mut self, fd: Fd) -> FsResult<MetadataHashValue> {
        let meta = self.opened(&fd)?.file.metadata().map_err(Fault::from);
        Ok(times::hash_of(&self.told(meta)?))
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        Ok(times::hash_of(&self.look_at(&fd, flags, &path)?.meta))
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Opened>::new_own(fd.rep()))?;
        Ok(())
    }
}

impl types::HostDirectoryEntryStream for FilesystemCtxView<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        let listing = self.table.get_mut(&Resource::<Listing>::new_borrow(stream.rep()))?;
        let entry = listing.next();
        self.told(entry)
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Listing>::new_own(stream.rep()))?;
        Ok(())
    }
}
