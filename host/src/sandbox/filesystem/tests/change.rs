//! Changing folders: links, moves, removals.

use std::fs;

use super::*;

#[test]
fn writable_tree_is_changed() {
    let scratch = Scratch::new(&["ws/a", "ws/gone"]);
    let files = scratch.write_tree();
    let ws = files.ws();
    files.ground.create_directory(&ws, "new/").unwrap();
    files.ground.rename(&ws, "a", &ws, "new/b").unwrap();
    files.ground.link(&ws, "new/b", false, &ws, "c").unwrap();
    files.ground.symlink(&ws, "b", "new/link").unwrap();
    files.ground.unlink_file(&ws, "gone").unwrap();
    assert_eq!(scratch.text("ws/new/link"), "ws/a");
    assert_eq!(scratch.text("ws/c"), "ws/a");
    files.ground.unlink_file(&ws, "new/link").unwrap();
    files.ground.unlink_file(&ws, "new/b").unwrap();
    files.ground.remove_directory(&ws, "new").unwrap();
    assert!(!scratch.has("ws/new") && !scratch.has("ws/gone"));
}

#[test]
fn read_only_tree_is_not_changed() {
    let scratch = Scratch::new(&["ws/a", "ws/sub/b"]);
    let files = scratch.read_tree();
    let ws = files.ws();
    refused(files.ground.create_directory(&ws, "new"));
    refused(files.ground.rename(&ws, "a", &ws, "b"));
    refused(files.ground.link(&ws, "a", false, &ws, "b"));
    refused(files.ground.symlink(&ws, "a", "b"));
    refused(files.ground.unlink_file(&ws, "a"));
    refused(files.ground.remove_directory(&ws, "sub"));
    let opened = files.open("a", READ).unwrap();
    refused(files.ground.set_times(&opened, &long_ago()));
    refused(files.ground.set_times_at(&ws, "a", true, &long_ago()));
    assert!(opened.writable().is_err());
}

#[test]
fn times_are_set_on_writable_ground() {
    use std::os::unix::fs::MetadataExt;
    let scratch = Scratch::new(&["ws/a"]);
    scratch.link("a", "ws/link");
    let files = scratch.write_tree();
    let mtime = |path: &str| fs::symlink_metadata(scratch.path(path)).unwrap().mtime();
    files.ground.set_times_at(&files.ws(), "link", false, &long_ago()).unwrap();
    assert_eq!(mtime("ws/link"), 1);
    assert_ne!(mtime("ws/a"), 1);
    files.ground.set_times(&files.open("a", READ).unwrap(), &long_ago()).unwrap();
    assert_eq!(mtime("ws/a"), 1);
}

#[test]
fn nothing_is_carried_from_read_only_into_writable_ground() {
    let scratch = Scratch::new(&["ws/a", "lib/b", "lib/sub/c"]);
    let grants =
        [scratch.grant("ws", Access::Write, Extent::Tree), scratch.grant("lib", Access::Read, Extent::Tree)];
    let files = scratch.files(&grants, &[], &[]);
    let (ws, lib) = (files.ws(), files.preopen(&scratch.path("lib")));
    refused(files.ground.link(&lib, "b", false, &ws, "b"));
    refused(files.ground.rename(&lib, "b", &ws, "b"));
    refused(files.ground.rename(&lib, "sub", &ws, "sub"));
    refused(files.ground.link(&ws, "../lib/b", false, &ws, "b"));
    refused(files.ground.symlink(&ws, "../lib/b", "b"));
    refused(files.ground.rename(&ws, "a", &lib, "a"));
    assert!(!scratch.has("ws/b") && scratch.has("lib/sub/c") && scratch.has("ws/a"));
}

#[test]
fn symlink_that_leads_out_is_not_made() {
    let scratch = Scratch::new(&["out/secret", "ws/deep/a", "ws/.env"]);
    scratch.link("../../out", "ws/deep/evil");
    let files = scratch.write_tree_but(&[".env"], &[]);
    let ws = files.ws();
    for target in [
        "/etc/passwd",
        "../out/secret",
        "..",
        "deep/evil/",
        "deep/evil",
        "deep/../../out",
        ".env",
        "absent/../../out",
    ] {
        refused(files.ground.symlink(&ws, target, "link"));
    }
    refused(files.ground.symlink(&ws, "evil/", "deep/link1"));
    refused(files.ground.symlink(&ws, "../../out/secret", "deep/link1"));
    assert!(!scratch.has("ws/link") && !scratch.has("ws/deep/link1"));
    for (index, target) in ["deep/a", "deep", "absent", "absent/er", "./deep/"].iter().enumerate() {
        files.ground.symlink(&ws, target, &format!("link{index}")).unwrap();
    }
    files.ground.symlink(&ws, "../link0", "deep/up").unwrap();
}

#[test]
fn climbing_symlink_stays_in_its_folder() {
    let scratch = Scratch::new(&["ws/a", "ws/x/y/b"]);
    let files = scratch.write_tree();
    let ws = files.ws();
    files.ground.symlink(&ws, "../../a", "x/y/up").unwrap();
    refused(files.ground.rename(&ws, "x/y/up", &ws, "up"));
    refused(files.ground.rename(&ws, "x/y", &ws, "y"));
    files.ground.rename(&ws, "x/y/up", &ws, "x/y/above").unwrap();
    files.ground.rename(&ws, "x/y", &ws, "x/z").unwrap();
    files.ground.unlink_file(&ws, "x/z/above").unwrap();
    files.ground.rename(&ws, "x/z", &ws, "z").unwrap();
    assert!(scratch.has("ws/z/b"));
}

#[test]
fn symlinks_are_not_hard_linked() {
    let scratch = Scratch::new(&["ws/a"]);
    scratch.link("a", "ws/link");
    let files = scratch.write_tree();
    let ws = files.ws();
    refused(files.ground.link(&ws, "link", false, &ws, "twin"));
    files.ground.link(&ws, "link", true, &ws, "twin").unwrap();
    assert!(!fs::symlink_metadata(scratch.path("ws/twin")).unwrap().is_symlink());
}

#[test]
fn moving_a_folder_does_not_lift_a_rule() {
    let scratch = Scratch::new(&["ws/a/secret/key", "ws/plain/x", "ws/plan/secret/key", "ws/deep/er/.env"]);
    let files = scratch.write_tree_but(&["ws/a/secret", "ws/b/secret", ".env"], &[]);
    let ws = files.ws();
    refused(files.ground.rename(&ws, "a", &ws, "free"));
    refused(files.ground.remove_directory(&ws, "a/secret"));
    refused(files.ground.rename(&ws, "plan", &ws, "b"));
    refused(files.ground.rename(&ws, "deep", &ws, "shallow"));
    refused(files.ground.rename(&ws, "deep/er", &ws, "er"));
    files.ground.rename(&ws, "plain", &ws, "deep/c").unwrap();
    assert!(scratch.has("ws/a/secret/key") && scratch.has("ws/deep/c/x") && scratch.has("ws/deep/er/.env"));
}

#[test]
fn guarded_paths_are_not_written_moved_or_bypassed_even_when_absent() {
    let scratch = Scratch::new(&["ws/conf/x", "ws/mine/settings", "ws/plain/x"]);
    let files = scratch.write_tree_but(&[], &["ws/conf/settings", "ws/absent/settings"]);
    let ws = files.ws();
    refused(files.open("conf/settings", CREATE));
    refused(files.ground.create_directory(&ws, "conf/settings"));
    refused(files.ground.rename(&ws, "plain/x", &ws, "conf/settings"));
    refused(files.ground.rename(&ws, "conf", &ws, "away"));
    refused(files.ground.rename(&ws, "mine", &ws, "conf"));
    refused(files.ground.rename(&ws, "mine", &ws, "absent"));
    refused(files.ground.symlink(&ws, "mine", "absent"));
    files.ground.unlink_file(&ws, "conf/x").unwrap();
    refused(files.ground.remove_directory(&ws, "conf"));
    files.ground.symlink(&ws, "mine", "link").unwrap();
    refused(files.ground.rename(&ws, "link", &ws, "absent"));
    files.ground.rename(&ws, "plain", &ws, "simple").unwrap();
    files.open("conf/other", CREATE).unwrap();
}

#[test]
fn preopened_folder_itself_stays() {
    let scratch = Scratch::new(&["ws/a"]);
    let files = scratch.write_tree();
    let ws = files.ws();
    assert!(files.ground.remove_directory(&ws, ".").is_err());
    assert!(files.ground.rename(&ws, ".", &ws, "b").is_err());
    assert!(files.ground.rename(&ws, "a", &ws, "..").is_err());
    assert!(scratch.has("ws/a"));
}

#[test]
fn files_are_no_folders() {
    let scratch = Scratch::new(&["ws/a"]);
    let files = scratch.write_tree();
    let ws = files.ws();
    assert!(files.open("a/", READ).is_err());
    assert!(files.open("a/b", CREATE).is_err());
    assert!(files.open("new/", CREATE).is_err());
    assert!(files.ground.look(&ws, "a/", true).is_err());
    assert!(files.ground.look(&files.open("a", READ).unwrap(), "b", true).is_err());
    assert!(files.ground.unlink_file(&ws, "a/").is_err());
    assert!(scratch.has("ws/a"));
}

fn long_ago() -> rustix::fs::Timestamps {
    let time = rustix::fs::Timespec { tv_sec: 1, tv_nsec: 0 };
    rustix::fs::Timestamps { last_access: time, last_modification: time }
}
