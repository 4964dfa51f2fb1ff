//! The functions as the linker calls them: descriptors, streams, what was seen, what was refused.

use std::fs;

use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::p2::StreamError;
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host as _;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Descriptor, DescriptorFlags, ErrorCode, HostDescriptor, HostDirectoryEntryStream, NewTimestamp,
    OpenFlags, PathFlags,
};

use super::*;
use crate::sandbox::filesystem::{FilesystemCtxView, FilesystemView, Seen, add_to_linker};

type Fd = Resource<Descriptor>;

fn borrow(fd: &Fd) -> Fd {
    Resource::new_borrow(fd.rep())
}

async fn open(view: &mut FilesystemCtxView<'_>, path: &str, open: OpenFlags, flags: DescriptorFlags) -> Fd {
    let ws = view.get_directories().unwrap().remove(0).0;
    view.open_at(ws, PathFlags::SYMLINK_FOLLOW, path.into(), open, flags).await.unwrap()
}

fn drain(view: &mut FilesystemCtxView<'_>, fd: &Fd, chunk: usize) -> Vec<u8> {
    let stream = view.read_via_stream(borrow(fd), 0).unwrap();
    let mut bytes = Vec::new();
    loop {
        match view.table.get_mut(&stream).unwrap().read(chunk) {
            Ok(more) => bytes.extend_from_slice(&more),
            Err(StreamError::Closed) => return bytes,
            Err(error) => panic!("{error}"),
        }
    }
}

fn one(scratch: &Scratch, access: Access) -> Files {
    scratch.files(&[scratch.grant("ws/a", access, Extent::File)], &[], &[])
}

fn only(files: &mut Files) -> Seen {
    let mut seen = files.take_seen();
    assert_eq!(seen.len(), 1, "{seen:?}");
    seen.remove(0)
}

fn digest(text: &str) -> Option<String> {
    use sha2::{Digest, Sha256};
    Some(format!("{:x}", Sha256::digest(text)))
}

#[tokio::test]
async fn descriptors_streams_and_listings_live_in_the_table() {
    let scratch = Scratch::new(&["ws/a", "ws/.env"]);
    let mut files = scratch.write_tree_but(&[".env"], &[]);
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let (ws, name) = view.get_directories().unwrap().remove(0);
    assert_eq!(name, scratch.path("ws").to_str().unwrap());
    let fd = open(&mut view, "a", OpenFlags::empty(), DescriptorFlags::READ).await;
    assert_eq!(drain(&mut view, &fd, 3), b"ws/a");
    assert_eq!(view.read(borrow(&fd), 100, 3).await.unwrap(), (b"a".to_vec(), false));
    assert_eq!(view.read(borrow(&fd), 100, 4).await.unwrap(), (vec![], true));
    assert_eq!(view.stat(borrow(&fd)).await.unwrap().size, 4);
    let same =
        view.open_at(borrow(&ws), PathFlags::empty(), "a".into(), OpenFlags::empty(), DescriptorFlags::READ);
    let same = same.await.unwrap();
    assert!(view.is_same_object(borrow(&fd), borrow(&same)).await.unwrap());
    assert!(!view.is_same_object(borrow(&fd), borrow(&ws)).await.unwrap());
    let hash = view.metadata_hash(borrow(&fd)).await.unwrap();
    let there = view.metadata_hash_at(borrow(&ws), PathFlags::empty(), "a".into()).await.unwrap();
    assert_eq!((hash.lower, hash.upper), (there.lower, there.upper));
    let listing = view.read_directory(borrow(&ws)).await.unwrap();
    let mut names = Vec::new();
    while let Some(entry) = view.read_directory_entry(Resource::new_borrow(listing.rep())).await.unwrap() {
        names.push(entry.name);
    }
    assert_eq!(names, ["a"]);
    HostDirectoryEntryStream::drop(&mut view, listing).unwrap();
    HostDescriptor::drop(&mut view, fd).unwrap();
}

#[tokio::test]
async fn refusal_is_an_error_code_to_the_guest_and_text_to_the_host() {
    let scratch = Scratch::new(&["ws/a", "ws/.env"]);
    let mut files = scratch.write_tree_but(&[".env"], &[]);
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let ws = view.get_directories().unwrap().remove(0).0;
    for _ in 0..3 {
        let error = view.stat_at(borrow(&ws), PathFlags::empty(), ".env".into()).await.unwrap_err();
        assert!(matches!(error.downcast().unwrap(), ErrorCode::NotPermitted));
    }
    let error = view.stat_at(borrow(&ws), PathFlags::empty(), "absent".into()).await.unwrap_err();
    assert!(matches!(error.downcast().unwrap(), ErrorCode::NoEntry));
    for index in 0..200 {
        let path = format!("../out/{index}");
        view.stat_at(borrow(&ws), PathFlags::empty(), path).await.unwrap_err();
    }
    let denials = files.denials();
    assert!(denials[0].0.contains(".env") && denials[1].0.contains("out/0"), "{denials:?}");
    assert!(denials.len() < 100, "bounded");
}

#[tokio::test]
async fn full_table_traps() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = scratch.read_tree();
    let mut table = ResourceTable::new();
    table.set_max_capacity(3);
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let ws = view.get_directories().unwrap().remove(0).0;
    let mut opened = 0;
    let error = loop {
        let flags = (OpenFlags::empty(), DescriptorFlags::READ);
        match view.open_at(borrow(&ws), PathFlags::empty(), "a".into(), flags.0, flags.1).await {
            Ok(_) => opened += 1,
            Err(error) => break error,
        }
    };
    assert!(opened <= 3 && error.downcast().is_err(), "a trap, not an error code");
}

#[tokio::test]
async fn reading_all_of_a_named_file_is_seen_whole() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = one(&scratch, Access::Read);
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let fd = open(&mut view, "a", OpenFlags::empty(), DescriptorFlags::READ).await;
    drain(&mut view, &fd, 3);
    let seen = only(view.files);
    assert!(seen.whole);
    assert_eq!(seen.digest, digest("ws/a"));
    view.read(borrow(&fd), 4, 0).await.unwrap();
    assert!(only(view.files).whole, "read in one piece, by position");
}

#[tokio::test]
async fn reading_a_part_of_a_named_file_is_not_seen_whole() {
    let scratch = Scratch::new(&["ws/a"]);
    for (offset, length) in [(0, 2), (2, 100)] {
        let mut files = one(&scratch, Access::Read);
        let mut table = ResourceTable::new();
        let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
        let fd = open(&mut view, "a", OpenFlags::empty(), DescriptorFlags::READ).await;
        view.read(borrow(&fd), length, offset).await.unwrap();
        let seen = only(view.files);
        assert_eq!((seen.whole, seen.digest), (false, None));
    }
}

#[tokio::test]
async fn file_changed_while_it_is_read_is_not_seen_whole() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = one(&scratch, Access::Read);
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let fd = open(&mut view, "a", OpenFlags::empty(), DescriptorFlags::READ).await;
    view.read(borrow(&fd), 2, 0).await.unwrap();
    fs::write(scratch.path("ws/a"), "no/b").unwrap();
    let later = fs::File::options().write(true).open(scratch.path("ws/a")).unwrap();
    later.set_modified(std::time::UNIX_EPOCH).unwrap();
    view.read(borrow(&fd), 2, 2).await.unwrap();
    assert!(!only(view.files).whole);
}

#[tokio::test]
async fn files_of_a_granted_tree_are_not_followed() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = scratch.read_tree();
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let fd = open(&mut view, "a", OpenFlags::empty(), DescriptorFlags::READ).await;
    drain(&mut view, &fd, 100);
    assert!(view.files.take_seen().is_empty());
}

#[tokio::test]
async fn writing_all_of_a_named_file_is_seen_whole() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = one(&scratch, Access::Write);
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let fd = open(&mut view, "a", OpenFlags::TRUNCATE, DescriptorFlags::WRITE).await;
    let stream = view.write_via_stream(borrow(&fd), 0).unwrap();
    for part in ["one ", "two"] {
        view.table.get_mut(&stream).unwrap().write(part.into()).unwrap();
    }
    let seen = only(view.files);
    assert_eq!((seen.whole, seen.digest), (true, digest("one two")));
    let end = view.append_via_stream(borrow(&fd)).unwrap();
    view.table.get_mut(&end).unwrap().write(" three".into()).unwrap();
    assert_eq!(only(view.files).digest, digest("one two three"));
    assert_eq!(scratch.text("ws/a"), "one two three");
    view.write(borrow(&fd), b"X".to_vec(), 0).await.unwrap();
    assert!(!only(view.files).whole, "no longer known");
    view.set_size(borrow(&fd), 3).await.unwrap();
    assert_eq!(scratch.text("ws/a"), "Xne");
}

#[tokio::test]
async fn read_only_descriptor_changes_nothing() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = one(&scratch, Access::Read);
    let mut table = ResourceTable::new();
    let mut view = FilesystemCtxView { files: &mut files, table: &mut table };
    let fd = open(&mut view, "a", OpenFlags::empty(), DescriptorFlags::READ).await;
    assert!(view.write(borrow(&fd), b"x".to_vec(), 0).await.is_err());
    assert!(view.write_via_stream(borrow(&fd), 0).is_err());
    assert!(view.append_via_stream(borrow(&fd)).is_err());
    assert!(view.set_size(borrow(&fd), 0).await.is_err());
    assert!(view.set_times(borrow(&fd), NewTimestamp::Now, NewTimestamp::Now).await.is_err());
    assert_eq!(view.get_flags(borrow(&fd)).await.unwrap(), DescriptorFlags::READ);
    assert_eq!(scratch.text("ws/a"), "ws/a");
}

struct Store {
    files: Files,
    table: ResourceTable,
    wasi: wasmtime_wasi::WasiCtx,
}

impl wasmtime_wasi::WasiView for Store {
    fn ctx(&mut self) -> wasmtime_wasi::WasiCtxView<'_> {
        wasmtime_wasi::WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl FilesystemView for Store {
    fn filesystem(&mut self) -> FilesystemCtxView<'_> {
        FilesystemCtxView { files: &mut self.files, table: &mut self.table }
    }
}

#[test]
fn our_functions_are_linked_over_the_engines_own() {
    let engine = wasmtime::Engine::default();
    let mut linker = wasmtime::component::Linker::<Store>::new(&engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
    add_to_linker(&mut linker).unwrap();
}
