//! Somebody swaps names while a guest opens them: it may fail, it may never get what is outside.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

const ROUNDS: usize = 4_000;

/// Swaps `one` and `other` for as long as `work` runs.
fn while_swapping(scratch: &Scratch, one: &str, other: &str, work: impl FnOnce()) {
    let (one, other) = (scratch.path(one), scratch.path(other));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        struct Stop<'a>(&'a AtomicBool);
        impl Drop for Stop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _stop = Stop(&done);
        work();
    });
}

fn never_leaks(scratch: &Scratch, path: &str) {
    let files = scratch.write_tree();
    for _ in 0..ROUNDS {
        if let Ok(text) = files.read(path) {
            assert_eq!(text, "inside");
        }
        if let Ok(opened) = files.open(path, TRUNCATE) {
            stream::write_at(&opened, Some(0), b"inside").unwrap();
        }
    }
}

#[test]
fn swapped_file_and_symlink_leak_nothing() {
    let scratch = Scratch::new(&["out/secret"]);
    scratch.put("ws/file", "inside");
    scratch.link("../out/secret", "ws/other");
    while_swapping(&scratch, "ws/file", "ws/other", || never_leaks(&scratch, "file"));
    assert_eq!(scratch.text("out/secret"), "out/secret");
}

#[test]
fn swapped_folder_and_symlink_leak_nothing() {
    let scratch = Scratch::new(&["out/file"]);
    scratch.put("ws/folder/file", "inside");
    scratch.link("../out", "ws/other");
    while_swapping(&scratch, "ws/folder", "ws/other", || never_leaks(&scratch, "folder/file"));
    assert_eq!(scratch.text("out/file"), "out/file");
}

#[test]
fn swapped_folder_is_not_written_through() {
    let scratch = Scratch::new(&["ws/a", "out/keep"]);
    std::fs::create_dir(scratch.path("ws/folder")).unwrap();
    scratch.link("../out", "ws/other");
    while_swapping(&scratch, "ws/folder", "ws/other", || {
        let mut files = scratch.write_tree();
        for _ in 0..ROUNDS / 4 {
            let ws = files.ws();
            let _ = files.open("folder/new", CREATE);
            let _ = files.ground.create_directory(&ws, "folder/dir");
            let _ = files.ground.symlink(&ws, "x", "folder/link");
            let _ = files.ground.rename(&ws, "folder/new", &ws, "folder/newer");
            let _ = files.ground.unlink_file(&ws, "folder/keep");
            let _ = files.replace("folder/replaced", b"x");
        }
    });
    let left: Vec<_> = std::fs::read_dir(scratch.path("out")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
