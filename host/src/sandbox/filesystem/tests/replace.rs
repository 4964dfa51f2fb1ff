//! Replacing whole files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;
use crate::sandbox::filesystem::Replaced;
use crate::sandbox::filesystem::replace::{fill, put};

const MADE: Replaced = Replaced { created: true, in_place: false };
const SWAPPED: Replaced = Replaced { created: false, in_place: false };

fn one(scratch: &Scratch, path: &str) -> Files {
    scratch.files(&[scratch.grant(path, Access::Write, Extent::File)], &[], &[])
}

#[test]
fn whole_file_is_swapped_and_keeps_its_mode() {
    let scratch = Scratch::new(&["ws/a"]);
    fs::set_permissions(scratch.path("ws/a"), fs::Permissions::from_mode(0o751)).unwrap();
    let before = fs::metadata(scratch.path("ws/a")).unwrap().ino();
    let reader = fs::File::open(scratch.path("ws/a")).unwrap();
    let mut files = one(&scratch, "ws/a");
    assert_eq!(files.replace(scratch.path("ws/a").to_str().unwrap(), b"new"), Ok(SWAPPED));
    let after = fs::metadata(scratch.path("ws/a")).unwrap();
    assert_eq!((scratch.text("ws/a").as_str(), after.mode() & 0o7777), ("new", 0o751));
    assert_ne!(after.ino(), before);
    assert_eq!(std::io::read_to_string(reader).unwrap(), "ws/a", "readers keep the old content whole");
    assert_eq!(fs::read_dir(scratch.path("ws")).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn missing_file_and_folders_are_made() {
    let scratch = Scratch::new(&[]);
    let mut files = one(&scratch, "ws/new/er/file");
    assert_eq!(files.replace("new/er/file", b"x"), Ok(MADE));
    assert_eq!(files.replace("new/er/file", b""), Ok(SWAPPED));
    assert_eq!(scratch.text("ws/new/er/file"), "");
    assert!(files.replace("new/er/other", b"x").is_err());
    assert!(files.replace("new/beside/file", b"x").is_err());
    assert!(!scratch.has("ws/new/beside"));
}

#[test]
fn denied_folder_is_not_made() {
    let scratch = Scratch::new(&[]);
    let grant = scratch.grant("ws/secret/file", Access::Write, Extent::File);
    let mut files = scratch.files(&[grant], &["ws/secret"], &[]);
    assert!(files.replace("secret/file", b"x").is_err());
    assert!(!scratch.has("ws/secret"));
}

#[test]
fn read_only_and_outside_are_not_replaced() {
    let scratch = Scratch::new(&["ws/a", "out/secret"]);
    let mut files = scratch.read_tree();
    let why = files.replace("a", b"x").unwrap_err();
    assert!(why.contains("reading only"), "{why}");
    assert_eq!(files.denials().len(), 1);
    let mut files = scratch.write_tree();
    for path in ["../out/secret", scratch.path("out/secret").to_str().unwrap(), "", "a/", "."] {
        assert!(files.replace(path, b"x").is_err(), "{path}");
    }
    assert_eq!((scratch.text("ws/a").as_str(), scratch.text("out/secret").as_str()), ("ws/a", "out/secret"));
}

#[test]
fn symlink_is_followed_only_to_granted_ground() {
    let scratch = Scratch::new(&["ws/a", "out/secret", "ws/.env"]);
    scratch.link("a", "ws/link");
    scratch.link("../out/secret", "ws/evil");
    scratch.link("../out/new", "ws/dangling");
    scratch.link("../out", "ws/folder");
    scratch.link(".env", "ws/denied");
    let mut files = scratch.write_tree_but(&[".env"], &[]);
    assert_eq!(files.replace("link", b"new"), Ok(SWAPPED));
    assert_eq!(scratch.text("ws/a"), "new");
    assert!(fs::symlink_metadata(scratch.path("ws/link")).unwrap().is_symlink());
    for path in ["evil", "dangling", "folder/secret", "folder/sub/new", "denied"] {
        assert!(files.replace(path, b"x").is_err(), "{path}");
    }
    assert_eq!(scratch.text("out/secret"), "out/secret");
    assert_eq!(fs::read_dir(scratch.path("out")).unwrap().count(), 1);
}

#[test]
fn file_with_other_names_is_written_in_place() {
    let scratch = Scratch::new(&["ws/a"]);
    fs::hard_link(scratch.path("ws/a"), scratch.path("ws/twin")).unwrap();
    let mut files = one(&scratch, "ws/a");
    assert_eq!(files.replace("a", b"x"), Ok(Replaced { created: false, in_place: true }));
    assert_eq!(scratch.text("ws/twin"), "x");
    let mut files = scratch.write_tree_but(&[], &["ws/twin"]);
    assert!(files.replace("a", b"y").is_err());
    assert_eq!(scratch.text("ws/twin"), "x");
}

#[test]
fn only_regular_files_are_replaced() {
    let scratch = Scratch::new(&["ws/folder/a"]);
    rustix::fs::mkfifoat(rustix::fs::CWD, scratch.path("ws/pipe"), 0o600.into()).unwrap();
    let mut files = scratch.write_tree();
    for path in ["folder", "pipe", "folder/a/b"] {
        assert!(files.replace(path, b"x").is_err(), "{path}");
    }
    assert!(scratch.has("ws/folder/a") && !scratch.path("ws/pipe").is_file());
}

#[test]
fn failure_leaves_everything_as_it_was() {
    let scratch = Scratch::new(&["ws/folder/a"]);
    let files = scratch.write_tree();
    let ws = files.ws();
    let spelled = files.ground.spell(&ws, "folder", Access::Write).unwrap();
    let hold = files.ground.find(&ws, &spelled, true).unwrap().hold.unwrap();
    // The new file is written; that a folder has taken the name shows only when it is to be put there.
    assert!(put(&hold, b"x", None).is_err());
    assert_eq!(scratch.text("ws/folder/a"), "ws/folder/a");
    assert_eq!(fs::read_dir(scratch.path("ws")).unwrap().count(), 1, "the new file is gone");
}

#[test]
fn full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let fault = fill(&full, b"x", None).unwrap_err();
    assert!(fault.to_string().contains("space"), "{fault}");
}

#[test]
fn replaced_content_counts_as_seen() {
    let scratch = Scratch::new(&["ws/a"]);
    let mut files = one(&scratch, "ws/a");
    files.replace("a", b"abc").unwrap();
    let seen = files.take_seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].path, scratch.path("ws/a"));
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(seen[0].digest.as_deref(), Some(abc));
    let meta = fs::metadata(scratch.path("ws/a")).unwrap();
    let modified = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    assert_eq!(seen[0].modified_ns, modified.to_string());
    assert!(files.take_seen().is_empty());
}
