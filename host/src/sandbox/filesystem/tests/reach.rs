//! What may be reached, by which spelling, through which symlink.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use super::*;

#[test]
fn granted_tree_is_read() {
    let scratch = Scratch::new(&["ws/a", "ws/deep/er/b"]);
    let files = scratch.read_tree();
    assert_eq!(files.read("a").unwrap(), "ws/a");
    assert_eq!(files.read("deep/er/b").unwrap(), "ws/deep/er/b");
    assert_eq!(files.read("deep/../a").unwrap(), "ws/a");
    assert_eq!(files.read("./deep/./er//b").unwrap(), "ws/deep/er/b");
}

#[test]
fn nothing_granted_is_nothing_to_start_from() {
    assert!(Files::none().ground.preopens().unwrap().is_empty());
}

#[test]
fn dots_do_not_lead_out() {
    let scratch = Scratch::new(&["ws/a", "out/secret"]);
    let files = scratch.read_tree();
    for path in ["../out/secret", "a/../../out/secret", "../ws/../out/secret", ".."] {
        refused(files.read(path));
    }
    assert_eq!(files.read("../ws/a").unwrap(), "ws/a");
}

#[test]
fn absolute_paths_are_no_relative_paths() {
    let scratch = Scratch::new(&["ws/a"]);
    let files = scratch.read_tree();
    let path = scratch.path("ws/a");
    assert!(files.read(path.to_str().unwrap()).is_err());
    assert!(files.read("").is_err());
    assert!(files.read("a\0b").is_err());
}

#[test]
fn prefix_sibling_is_outside() {
    let scratch = Scratch::new(&["ws/a", "ws-evil/x"]);
    let files = scratch.read_tree();
    refused(files.read("../ws-evil/x"));
    scratch.link("../ws-evil/x", "ws/link");
    refused(files.read("link"));
}

#[test]
fn symlink_inside_the_tree_is_followed() {
    let scratch = Scratch::new(&["ws/a", "ws/deep/b"]);
    scratch.link("a", "ws/to-a");
    scratch.link("../a", "ws/deep/up");
    scratch.link("deep", "ws/folder");
    scratch.link(scratch.path("ws/a").to_str().unwrap(), "ws/absolute");
    let files = scratch.read_tree();
    for path in ["to-a", "deep/up", "absolute", "folder/up", "folder/../a"] {
        assert_eq!(files.read(path).unwrap(), "ws/a", "{path}");
    }
    assert_eq!(files.read("folder/b").unwrap(), "ws/deep/b");
    let opened = files.ground.open(&files.open("folder", READ).unwrap(), "b", READ).unwrap();
    assert_eq!(opened.file.metadata().unwrap().len(), 9);
}

#[test]
fn symlink_out_of_the_tree_is_refused() {
    let scratch = Scratch::new(&["ws/a", "out/secret"]);
    scratch.link("../out/secret", "ws/relative");
    scratch.link(scratch.path("out/secret").to_str().unwrap(), "ws/absolute");
    scratch.link("../out", "ws/folder");
    scratch.link("relative", "ws/twice");
    scratch.link("../out/nothing", "ws/dangling");
    let files = scratch.write_tree();
    for path in
        ["relative", "absolute", "folder/secret", "twice", "folder", "folder/../out/secret", "dangling"]
    {
        refused(files.read(path));
        refused(files.open(path, CREATE));
        refused(files.open(path, TRUNCATE));
        refused(files.ground.look(&files.ws(), path, true));
    }
    refused(files.open("folder/new", CREATE));
    refused(files.ground.create_directory(&files.ws(), "folder/new"));
    refused(files.ground.unlink_file(&files.ws(), "folder/secret"));
    refused(files.ground.rename(&files.ws(), "folder/secret", &files.ws(), "stolen"));
    refused(files.ground.rename(&files.ws(), "a", &files.ws(), "folder/a"));
    assert_eq!(scratch.text("out/secret"), "out/secret");
    assert!(!scratch.has("out/new") && !scratch.has("out/nothing"));
}

#[test]
fn symlink_that_passes_outside_and_returns_is_refused() {
    let scratch = Scratch::new(&["ws/a"]);
    scratch.link("../ws/a", "out/back");
    scratch.link("../out/back", "ws/round");
    let files = scratch.read_tree();
    refused(files.read("round"));
    scratch.link("../ws/a", "ws/past");
    assert_eq!(files.read("past").unwrap(), "ws/a");
}

#[test]
fn symlink_between_granted_trees_keeps_the_access_of_each() {
    let scratch = Scratch::new(&["ws/a", "two/b"]);
    scratch.link("../two/b", "ws/link");
    scratch.link("../two", "ws/folder");
    let grants =
        [scratch.grant("ws", Access::Write, Extent::Tree), scratch.grant("two", Access::Read, Extent::Tree)];
    let files = scratch.files(&grants, &[], &[]);
    assert_eq!(files.read("link").unwrap(), "two/b");
    assert_eq!(files.read("folder/b").unwrap(), "two/b");
    for path in ["link", "folder/b", "../two/b"] {
        refused(files.open(path, TRUNCATE));
    }
    refused(files.ground.unlink_file(&files.ws(), "folder/b"));
    assert_eq!(scratch.text("two/b"), "two/b");
}

#[test]
fn symlink_loop_ends() {
    let scratch = Scratch::new(&[]);
    scratch.link("two", "ws/one");
    scratch.link("one", "ws/two");
    assert!(matches!(scratch.read_tree().read("one"), Err(Fault::Os(_))));
}

#[test]
fn denied_name_is_out_of_reach_by_every_way() {
    let scratch = Scratch::new(&["ws/.env", "ws/sub/.env", "ws/secret/key", "ws/a"]);
    scratch.link(".env", "ws/link");
    scratch.link("sub", "ws/folder");
    scratch.link("secret/../a", "ws/past");
    let files = scratch.write_tree_but(&[".env", "ws/secret"], &[]);
    let ws = files.ws();
    for path in [
        ".env",
        "./.env",
        "sub/../.env",
        "link",
        "folder/.env",
        "secret/key",
        "secret",
        "past",
        "secret/../.env",
    ] {
        refused(files.read(path));
        refused(files.open(path, CREATE));
        refused(files.ground.look(&ws, path, true));
    }
    refused(files.ground.look(&ws, "secret/absent", true));
    refused(files.ground.rename(&ws, ".env", &ws, "seen"));
    refused(files.ground.rename(&ws, "a", &ws, ".env"));
    refused(files.ground.link(&ws, ".env", false, &ws, "seen"));
    refused(files.ground.unlink_file(&ws, ".env"));
    assert_eq!(scratch.text("ws/.env"), "ws/.env");
    assert_eq!(files.read("a").unwrap(), "ws/a");
}

#[test]
fn denied_symlink_is_no_way_to_what_is_allowed() {
    let scratch = Scratch::new(&["ws/a"]);
    scratch.link("a", "ws/hidden");
    scratch.link("hidden", "ws/first");
    let files = scratch.write_tree_but(&["ws/hidden"], &[]);
    refused(files.read("first"));
    assert_eq!(scratch.write_tree().read("first").unwrap(), "ws/a");
}

#[test]
fn listing_omits_what_is_denied_and_what_is_not_granted() {
    let scratch = Scratch::new(&["ws/.env", "ws/a", "ws/sub/b", "ws/secret/key"]);
    let files = scratch.write_tree_but(&[".env", "ws/secret"], &[]);
    assert_eq!(files.list(&files.ws()), ["a", "sub"]);
    let grant = scratch.grant("ws/a", Access::Read, Extent::File);
    let files = scratch.files(&[grant], &[], &[]);
    assert_eq!(files.list(&files.ws()), ["a"]);
}

#[test]
fn single_file_grant_opens_that_file_only() {
    let scratch = Scratch::new(&["ws/a", "ws/b", "ws/sub/a"]);
    let files = scratch.files(&[scratch.grant("ws/a", Access::Read, Extent::File)], &[], &[]);
    assert_eq!(files.read("a").unwrap(), "ws/a");
    for path in ["b", "sub/a", "sub", "absent"] {
        refused(files.read(path));
        refused(files.ground.look(&files.ws(), path, false));
    }
    refused(files.open("a", WRITE));
    assert!(files.ground.look(&files.ws(), ".", true).unwrap().meta.is_dir());
    refused(files.ground.set_times_at(&files.ws(), ".", true, &now()));
}

#[test]
fn file_granted_by_its_symlink_is_found_under_both_names() {
    let scratch = Scratch::new(&["data/real", "data/other"]);
    scratch.link("../data/real", "ws/link");
    let files = scratch.files(&[scratch.grant("ws/link", Access::Read, Extent::File)], &[], &[]);
    assert_eq!(files.read("link").unwrap(), "data/real");
    let data = files.preopen(&scratch.path("data"));
    assert!(files.ground.open(&data, "real", READ).is_ok());
    refused(files.ground.open(&data, "other", READ));
    assert_eq!(files.list(&files.ws()), ["link"]);
}

#[test]
fn tree_granted_by_its_symlink_is_found_under_both_names() {
    let scratch = Scratch::new(&["data/tree/a", "out/secret"]);
    fs::remove_dir(scratch.path("ws")).unwrap();
    scratch.link("data/tree", "ws");
    scratch.link(scratch.path("ws/a").to_str().unwrap(), "data/tree/round");
    let files = scratch.read_tree();
    assert_eq!(files.read("a").unwrap(), "data/tree/a");
    assert_eq!(files.read("round").unwrap(), "data/tree/a");
    assert!(files.ground.open(&files.preopen(&scratch.path("data/tree")), "a", READ).is_ok());
    assert_eq!(files.list(&files.ws()), ["a", "round"]);
}

#[test]
fn missing_grant_starts_at_the_nearest_folder_and_reaches_only_itself() {
    let scratch = Scratch::new(&["ws/a"]);
    let files = scratch.files(&[scratch.grant("ws/new/er", Access::Write, Extent::Tree)], &[], &[]);
    refused(files.read("a"));
    refused(files.open("b", CREATE));
    refused(files.ground.create_directory(&files.ws(), "other"));
    fs::create_dir(scratch.path("ws/new")).unwrap();
    files.ground.create_directory(&files.ws(), "new/er").unwrap();
    files.open("new/er/file", CREATE).unwrap();
    assert!(scratch.has("ws/new/er/file"));
}

#[test]
fn nested_grants_are_each_reached_from_either_folder() {
    let scratch = Scratch::new(&["ws/a", "ws/sub/b"]);
    let grants = [
        scratch.grant("ws", Access::Read, Extent::Tree),
        scratch.grant("ws/sub", Access::Write, Extent::Tree),
    ];
    let files = scratch.files(&grants, &[], &[]);
    files.open("sub/b", WRITE).unwrap();
    let sub = files.preopen(&scratch.path("ws/sub"));
    assert!(files.ground.open(&sub, "../a", READ).is_ok());
    refused(files.ground.open(&sub, "../a", WRITE));
}

#[test]
fn read_only_file_is_not_truncated() {
    let scratch = Scratch::new(&["ws/a"]);
    let files = scratch.read_tree();
    for how in [TRUNCATE, How { write: false, ..TRUNCATE }, CREATE, WRITE] {
        refused(files.open("a", how));
    }
    refused(files.open("new", CREATE));
    assert_eq!(scratch.text("ws/a"), "ws/a");
    scratch.write_tree().open("a", TRUNCATE).unwrap();
    assert_eq!(scratch.text("ws/a"), "");
}

#[test]
fn exclusive_create_makes_only_new_files() {
    let scratch = Scratch::new(&["ws/a"]);
    scratch.link("nothing", "ws/dangling");
    let files = scratch.write_tree();
    let how = How { exclusive: true, ..CREATE };
    assert!(files.open("a", how).is_err());
    assert!(files.open("dangling", how).is_err());
    files.open("b", how).unwrap();
    files.open("dangling", CREATE).unwrap();
    assert!(scratch.has("ws/nothing") && scratch.has("ws/b"));
}

#[test]
fn pipes_and_sockets_are_not_opened() {
    let scratch = Scratch::new(&["ws/a"]);
    rustix::fs::mkfifoat(rustix::fs::CWD, scratch.path("ws/pipe"), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scratch.path("ws/socket")).unwrap();
    scratch.link("pipe", "ws/link");
    let files = scratch.write_tree();
    for path in ["pipe", "link", "socket"] {
        assert!(files.open(path, READ).is_err(), "{path}");
        assert!(files.open(path, WRITE).is_err(), "{path}");
        assert!(files.open(path, CREATE).is_err(), "{path}");
    }
    refused(files.open("pipe", READ));
}

#[test]
fn magic_links_are_text() {
    let scratch = Scratch::new(&["out/secret"]);
    let held = fs::File::open(scratch.path("out/secret")).unwrap();
    let proc = FileGrant {
        path: "/proc/self/fd".into(),
        named: "/proc/self/fd".into(),
        access: Access::Read,
        extent: Extent::Tree,
    };
    let files = scratch.files(&[proc], &[], &[]);
    let base = files.preopen(Path::new("/proc/self/fd"));
    refused(files.ground.open(&base, &held.as_raw_fd().to_string(), READ));
}

#[test]
fn hard_link_to_a_denied_file_is_refused() {
    let scratch = Scratch::new(&["ws/.env", "ws/a", "out/key"]);
    fs::hard_link(scratch.path("ws/.env"), scratch.path("ws/innocent")).unwrap();
    fs::hard_link(scratch.path("out/key"), scratch.path("ws/outer")).unwrap();
    fs::hard_link(scratch.path("ws/a"), scratch.path("ws/twin")).unwrap();
    let files = scratch.write_tree_but(&[".env", "out/key"], &[]);
    for path in ["innocent", "outer"] {
        refused(files.read(path));
        refused(files.open(path, TRUNCATE));
        refused(files.ground.look(&files.ws(), path, true));
    }
    assert_eq!(files.list(&files.ws()), ["a", "twin"], "nor listed: looking at it would fail");
    assert_eq!(files.read("twin").unwrap(), "ws/a");
    assert_eq!(scratch.text("ws/.env"), "ws/.env");
    assert_eq!(scratch.write_tree().read("innocent").unwrap(), "ws/.env");
}

#[test]
fn hard_link_beside_a_single_file_is_refused() {
    let scratch = Scratch::new(&["ws/.env"]);
    fs::hard_link(scratch.path("ws/.env"), scratch.path("ws/innocent")).unwrap();
    let grant = scratch.grant("ws/innocent", Access::Read, Extent::File);
    refused(scratch.files(std::slice::from_ref(&grant), &[".env"], &[]).read("innocent"));
    assert!(scratch.files(&[grant], &[], &[]).read("innocent").is_ok());
}

#[test]
fn hard_link_to_a_guarded_file_is_read_but_not_written() {
    let scratch = Scratch::new(&["ws/mortise.toml"]);
    fs::hard_link(scratch.path("ws/mortise.toml"), scratch.path("ws/twin")).unwrap();
    let files = scratch.write_tree_but(&[], &["ws/mortise.toml"]);
    assert_eq!(files.read("twin").unwrap(), "ws/mortise.toml");
    refused(files.open("twin", WRITE));
    refused(files.open("mortise.toml", WRITE));
}

#[test]
fn kernel_without_openat2_makes_no_difference() {
    crate::sandbox::filesystem::resolver::WALK.set(true);
    for test in [
        granted_tree_is_read,
        dots_do_not_lead_out,
        symlink_inside_the_tree_is_followed,
        symlink_out_of_the_tree_is_refused,
        symlink_between_granted_trees_keeps_the_access_of_each,
        denied_name_is_out_of_reach_by_every_way,
        single_file_grant_opens_that_file_only,
        missing_grant_starts_at_the_nearest_folder_and_reaches_only_itself,
        read_only_file_is_not_truncated,
        exclusive_create_makes_only_new_files,
        pipes_and_sockets_are_not_opened,
        hard_link_to_a_denied_file_is_refused,
    ] {
        test();
    }
}

#[test]
fn identity_is_the_same_by_every_way() {
    let scratch = Scratch::new(&["ws/a", "ws/b"]);
    scratch.link("a", "ws/link");
    let files = scratch.read_tree();
    let inode = |path: &str, follow| files.ground.look(&files.ws(), path, follow).unwrap().meta.ino();
    assert_eq!(inode("a", true), inode("link", true));
    assert_ne!(inode("a", true), inode("link", false));
    assert_ne!(inode("a", true), inode("b", true));
    assert_eq!(files.ground.read_link(&files.ws(), "link").unwrap(), "a");
}

fn now() -> rustix::fs::Timestamps {
    let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
    rustix::fs::Timestamps { last_access: now, last_modification: now }
}
