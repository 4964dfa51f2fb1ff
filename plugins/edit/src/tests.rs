//! What Write and Edit promise, on files in a temporary folder.

use std::path::PathBuf;

use mortise_sdk::serde_json::{Value, json};
use mortise_sdk::testing::{self, Session};
use mortise_sdk::{Access, Extent, PathSubject, Subject, Tool};
use tempfile::TempDir;

use super::{Edit, Write};

struct Folder {
    dir: TempDir,
    session: Session,
}

impl Folder {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let session = Session::new(dir.path());
        Self { dir, session }
    }

    /// A file that the session has read.
    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), content).unwrap();
        self.session.mark_read(self.path(name), true);
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "a.txt", "old_string": old, "new_string": new})
}

fn done<T: Tool>(input: Value) -> (String, Value) {
    let outcome =
        testing::call::<T>(input).unwrap_or_else(|failure| panic!("{}", testing::message(&failure)));
    (testing::text(&outcome.content), testing::structured(&outcome))
}

fn refused<T: Tool>(input: Value) -> String {
    testing::message(&testing::call::<T>(input).unwrap_err())
}

#[test]
fn a_new_file_needs_no_read_and_gets_its_folders() {
    let folder = Folder::new();
    let (text, output) = done::<Write>(json!({"file_path": "sub/a.txt", "content": "one\ntwo\n"}));
    assert_eq!(folder.text("sub/a.txt"), "one\ntwo\n");
    assert!(text.contains("sub/a.txt has been created"));
    assert_eq!((&output["type"], &output["originalFile"]), (&json!("create"), &Value::Null));
    assert_eq!(output["structuredPatch"], json!([]));
    assert!(output["filePath"].as_str().unwrap().ends_with("/sub/a.txt"));
}

#[test]
fn an_existing_file_must_have_been_read() {
    let folder = Folder::new();
    std::fs::write(folder.path("a.txt"), "one").unwrap();
    for refusal in [
        refused::<Write>(json!({"file_path": "a.txt", "content": "two"})),
        refused::<Edit>(edit("one", "two")),
        testing::preview::<Edit>(edit("one", "two")).unwrap_err().message,
    ] {
        assert!(refusal.contains("has not been read"), "{refusal}");
    }
    assert_eq!(folder.text("a.txt"), "one");

    folder.session.mark_read(folder.path("a.txt"), false);
    let (_, output) = done::<Write>(json!({"file_path": "a.txt", "content": "two"}));
    assert_eq!((&output["type"], &output["originalFile"]), (&json!("update"), &json!("one")));
}

#[test]
fn a_file_changed_since_it_was_read_is_refused_and_one_only_touched_is_not() {
    let folder = Folder::new().with("a.txt", "one");
    let touch = |name: &str, seconds: u64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options().append(true).open(folder.path(name)).unwrap().set_modified(time).unwrap();
    };
    touch("a.txt", 1_000_000);
    done::<Edit>(edit("one", "two"));

    folder.session.mark_read(folder.path("a.txt"), true);
    std::fs::write(folder.path("a.txt"), "2wo").unwrap();
    touch("a.txt", 2_000_000);
    assert!(refused::<Edit>(edit("2wo", "x")).contains("modified since"));
    assert!(refused::<Write>(json!({"file_path": "a.txt", "content": "x"})).contains("modified since"));

    // Of a file read in part, the content is not known.
    folder.session.mark_read(folder.path("a.txt"), false);
    touch("a.txt", 3_000_000);
    assert!(refused::<Edit>(edit("2wo", "x")).contains("modified since"));
    assert_eq!(folder.text("a.txt"), "2wo");
}

#[test]
fn one_exact_place_is_replaced_and_shown() {
    let content: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    let folder = Folder::new().with("a.txt", &content);
    let (text, output) = done::<Edit>(edit("line 15\n", "line 15a\nline 15b\n"));
    assert_eq!(folder.text("a.txt"), content.replace("line 15\n", "line 15a\nline 15b\n"));
    assert!(
        text.contains("has been updated") && text.contains("    15\tline 15a\n    16\tline 15b\n"),
        "{text}"
    );
    assert!(text.lines().count() < 15);
    assert_eq!(output["originalFile"], content);
    assert_eq!((&output["userModified"], &output["replaceAll"]), (&json!(false), &json!(false)));
    assert_eq!(
        output["structuredPatch"],
        json!([{"oldStart": 12, "oldLines": 7, "newStart": 12, "newLines": 8, "lines": [
            " line 12", " line 13", " line 14", "-line 15", "+line 15a", "+line 15b", " line 16", " line 17", " line 18",
        ]}])
    );
}

#[test]
fn several_places_need_replace_all() {
    let folder = Folder::new().with("a.txt", "x = 1\ny = x\nx = 2\n");
    let refusal = refused::<Edit>(edit("x = ", "z = "));
    assert!(refusal.contains("2 places") && refusal.contains("lines 1, 3"), "{refusal}");
    let all = json!({"file_path": "a.txt", "old_string": "x = ", "new_string": "z = ", "replace_all": true});
    let (text, output) = done::<Edit>(all);
    assert_eq!(folder.text("a.txt"), "z = 1\ny = x\nz = 2\n");
    assert!(text.contains("2 places"));
    assert_eq!(output["replaceAll"], true);
}

#[test]
fn overlapping_places_are_ambiguous() {
    let folder = Folder::new().with("a.txt", "aaa");
    assert!(refused::<Edit>(edit("aa", "b")).contains("2 places"));
    assert_eq!(folder.text("a.txt"), "aaa");
}

#[test]
fn a_file_of_carriage_returns_matches_and_keeps_its_endings() {
    let folder = Folder::new().with("a.txt", "one\r\ntwo\r\nthree\r\n");
    done::<Edit>(edit("one\ntwo\n", "1\n2\n2a\n"));
    assert_eq!(folder.text("a.txt"), "1\r\n2\r\n2a\r\nthree\r\n");
}

#[test]
fn an_empty_old_string_makes_a_file_and_spares_one_that_is_there() {
    let folder = Folder::new().with("a.txt", "one").with("empty.txt", "");
    done::<Edit>(json!({"file_path": "new.txt", "old_string": "", "new_string": "hello\n"}));
    assert_eq!(folder.text("new.txt"), "hello\n");
    done::<Edit>(json!({"file_path": "empty.txt", "old_string": "", "new_string": "hello\n"}));
    assert_eq!(folder.text("empty.txt"), "hello\n");
    assert!(refused::<Edit>(edit("", "two")).contains("not empty"));
    let missing = refused::<Edit>(json!({"file_path": "b.txt", "old_string": "x", "new_string": "y"}));
    assert!(missing.contains("no file"));
}

#[test]
fn a_near_miss_says_what_is_different() {
    let content = "fn main() {\n\tlet a = \"x\";\n    let b = 'y';  \n    say(“hello”);\n}\n";
    let folder = Folder::new().with("a.txt", content);
    for (old, hint) in [
        ("    let a = \"x\";", "tabs where old_string has spaces"),
        ("\tlet b = 'y';", "spaces where old_string has tabs"),
        ("let b = 'y';\n    say", "ends of lines"),
        ("say(\"hello\");", "quotes"),
        ("     1\tfn main() {\n     2\t\tlet a = \"x\";", "line numbers"),
        ("let a = \\\"x\\\";", "escapes"),
        ("fn main() {\\n\tlet a", "escapes"),
        ("FN main()", "case"),
        ("let a = \"xyz\";", "     2\t\tlet a = \"x\";"),
        ("nothing like this at all, really", "Nothing in the file"),
    ] {
        let message = refused::<Edit>(edit(old, "new"));
        assert!(message.contains("not found") && message.contains(hint), "{old:?}: {message}");
    }
    assert!(refused::<Edit>(edit("gone", "let a = \"x\";")).contains("there already, at line 2"));
    assert_eq!(folder.text("a.txt"), content);
}

#[test]
fn an_edit_that_changes_nothing_is_refused_before_anything_is_opened() {
    let _folder = Folder::new();
    let rejection = testing::inspect::<Edit>(edit("same", "same")).rejection.unwrap();
    assert!(rejection.message.contains("nothing would change"));
    assert!(testing::inspect::<Edit>(edit("same", "other")).rejection.is_none());
}

#[test]
fn what_is_not_text_is_left_alone() {
    let folder = Folder::new().with("a.txt", b"ca\xf1on");
    assert!(refused::<Edit>(edit("ca", "x")).contains("not UTF-8"));
    assert!(refused::<Write>(json!({"file_path": "a.txt", "content": "x"})).contains("not UTF-8"));
    assert_eq!(std::fs::read(folder.path("a.txt")).unwrap(), b"ca\xf1on");
    for path in ["/dev/sda", "//host/share", "a.png", "/proc/self/mem"] {
        assert!(
            testing::inspect::<Write>(json!({"file_path": path, "content": ""})).rejection.is_some(),
            "{path}"
        );
        let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
        assert!(testing::inspect::<Edit>(input).rejection.is_some(), "{path}");
    }
    assert!(refused::<Write>(json!({"file_path": ".", "content": "x"})).contains("folder"));
}

#[test]
fn a_preview_is_a_diff_and_changes_nothing() {
    let folder = Folder::new().with("a.txt", "one\r\ntwo\r\n");
    let diff = testing::text(&testing::preview::<Edit>(edit("two", "2")).unwrap());
    assert!(diff.contains("--- a.txt\n+++ a.txt\n") && diff.contains(" one\n-two\n+2\n"), "{diff}");
    let diff =
        testing::text(&testing::preview::<Write>(json!({"file_path": "a.txt", "content": "one\n"})).unwrap());
    assert!(diff.contains("-two"), "{diff}");
    let new =
        testing::text(&testing::preview::<Write>(json!({"file_path": "b.txt", "content": "x\n"})).unwrap());
    assert!(new.contains("new file") && new.contains("+x"), "{new}");
    assert_eq!(folder.text("a.txt"), "one\r\ntwo\r\n");
    assert!(!folder.path("b.txt").exists());
    assert!(testing::preview::<Edit>(edit("three", "3")).unwrap_err().message.contains("not found"));
}

#[test]
fn a_preview_of_what_cannot_be_seen_says_so() {
    let _folder = Folder::new();
    let text = testing::text(&testing::preview::<Edit>(edit("one", "two")).unwrap());
    assert!(text.contains("before permission") && text.contains("-one\n+two"), "{text}");
}

#[test]
fn the_answers_are_those_of_writing_one_file() {
    let _folder = Folder::new();
    let subject = PathSubject { path: "a.txt".into(), access: Access::Write, extent: Extent::File };
    for answers in [
        testing::inspect::<Edit>(edit("a", "b")),
        testing::inspect::<Write>(json!({"file_path": "a.txt", "content": ""})),
    ] {
        assert_eq!((answers.read_only, answers.concurrency_safe, answers.destructive), (None, None, None));
        assert_eq!(answers.subjects, [Subject::Path(subject.clone())]);
    }
    assert_eq!(testing::describe::<Edit>().previews, Some(true));
}
