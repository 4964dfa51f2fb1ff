//! What Read promises, on files in a temporary folder.

use std::path::Path;

use mortise_sdk::serde_json::{Value, json};
use mortise_sdk::testing::{self, Session};
use mortise_sdk::{Access, Extent, PathSubject, Subject};
use tempfile::TempDir;

use super::Read;

struct Folder {
    dir: TempDir,
    _session: Session,
}

impl Folder {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let session = Session::new(dir.path());
        Self { dir, _session: session }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path().join(name), content).unwrap();
        self
    }
}

fn read(input: Value) -> (String, Value) {
    let outcome = testing::call::<Read>(input).unwrap_or_else(|failure| panic!("{failure:?}"));
    (testing::text(&outcome.content), testing::structured(&outcome)["file"].clone())
}

fn refused(input: Value) -> String {
    testing::message(&testing::call::<Read>(input).unwrap_err())
}

#[test]
fn lines_are_numbered_as_cat_does() {
    let _folder = Folder::new().with("a.txt", "one\n\ttwo\n\nfour");
    let (text, file) = read(json!({"file_path": "a.txt"}));
    assert_eq!(text, "     1\tone\n     2\t\ttwo\n     3\t\n     4\tfour");
    assert_eq!(file["content"], "one\n\ttwo\n\nfour");
    assert_eq!(
        (&file["numLines"], &file["startLine"], &file["totalLines"]),
        (&json!(4), &json!(1), &json!(4))
    );
    assert!(file["filePath"].as_str().unwrap().starts_with('/'));
}

#[test]
fn a_range_is_shown_and_the_rest_counted() {
    let _folder = Folder::new().with("a.txt", "1\n2\n3\n4\n5\n");
    let (text, file) = read(json!({"file_path": "a.txt", "offset": 2, "limit": 2}));
    assert_eq!(text, "     2\t2\n     3\t3");
    assert_eq!(
        (&file["numLines"], &file["startLine"], &file["totalLines"]),
        (&json!(2), &json!(2), &json!(5))
    );
    assert!(read(json!({"file_path": "a.txt", "offset": 9})).0.contains("has 5 lines"));
    assert_eq!(read(json!({"file_path": "a.txt", "offset": 0, "limit": 1})).0, "     1\t1");
}

#[test]
fn carriage_returns_and_byte_order_mark_are_not_shown() {
    let _folder = Folder::new().with("a.txt", "\u{feff}one\r\ntwo\r\n").with("b.txt", "one\rtwo\n");
    assert_eq!(read(json!({"file_path": "a.txt"})).0, "     1\tone\n     2\ttwo");
    assert_eq!(read(json!({"file_path": "b.txt"})).0, "     1\tone\rtwo");
}

#[test]
fn a_large_file_is_shown_in_part_and_the_notice_says_how_to_read_on() {
    let content: String = (0..20_000).map(|n| format!("line number {n}\n")).collect();
    let _folder = Folder::new().with("a.txt", &content);
    let (text, file) = read(json!({"file_path": "a.txt"}));
    let shown = file["numLines"].as_u64().unwrap();
    assert!(
        text.starts_with("[PARTIAL view") && text.contains(&format!("offset {}", shown + 1)),
        "{}",
        &text[..200]
    );
    assert_eq!((&file["truncatedByTokenCap"], &file["totalLines"]), (&json!(true), &json!(20_000)));

    let next = read(json!({"file_path": "a.txt", "offset": shown + 1, "limit": 1})).0;
    assert!(next.ends_with(&format!("line number {shown}")));

    let refusal = refused(json!({"file_path": "a.txt", "offset": 1, "limit": 20_000}));
    assert!(refusal.contains("tokens") && refusal.contains(&format!("at most {shown}")), "{refusal}");
    assert_eq!(read(json!({"file_path": "a.txt", "limit": shown})).1["numLines"], shown);
    let whole = read(json!({"file_path": "a.txt", "offset": 1, "limit": 15_000, "allow_large": true})).1;
    assert_eq!(whole["numLines"], 15_000);
}

#[test]
fn a_very_long_line_is_cut_with_a_note() {
    let long = "é".repeat(200_000);
    let _folder = Folder::new().with("a.txt", format!("{long}\r\nnext\n"));
    let (text, file) = read(json!({"file_path": "a.txt"}));
    assert!(text.contains("line cut here: 396000 more bytes") && text.ends_with("     2\tnext"));
    assert_eq!(file["totalLines"], 2);
}

#[test]
fn an_empty_and_a_missing_file_are_told_apart() {
    let folder = Folder::new().with("empty.txt", "").with("config.yaml", "");
    assert!(read(json!({"file_path": "empty.txt"})).0.contains("is empty"));
    assert!(refused(json!({"file_path": "config.yml"})).contains("`config.yaml`"));
    assert!(refused(json!({"file_path": "emty.txt"})).contains("`empty.txt`"));
    assert!(refused(json!({"file_path": "none/at/all"})).contains("no file"));
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    assert!(refused(json!({"file_path": "sub"})).contains("is a folder"));
}

#[test]
fn what_is_not_text_is_refused_with_help() {
    let _folder = Folder::new()
        .with("nul", b"ab\nc\0d")
        .with("latin1", b"ab\nca\xf1on\n")
        .with("utf16", b"\xff\xfea\0")
        .with("cut", b"ab\xe2\x82");
    assert!(refused(json!({"file_path": "nul"})).contains("NUL byte in line 2"));
    assert!(refused(json!({"file_path": "latin1"})).contains("not UTF-8 (line 2"));
    assert!(refused(json!({"file_path": "utf16"})).contains("UTF-16"));
    assert!(refused(json!({"file_path": "cut"})).contains("not UTF-8"));
}

#[test]
fn a_name_that_is_no_text_file_is_refused_before_anything_is_opened() {
    let _folder = Folder::new();
    for path in ["/dev/zero", "/proc/self/fd/0", "//host/share", r"\\host\share", "a.png", "a.txt::$DATA"] {
        assert!(testing::inspect::<Read>(json!({"file_path": path})).rejection.is_some(), "{path}");
        assert!(testing::call::<Read>(json!({"file_path": path})).is_err(), "{path}");
    }
    let answers = testing::inspect::<Read>(json!({"file_path": "a.txt", "pages": "1-2"}));
    assert!(answers.rejection.unwrap().message.contains("text only"));
}

#[test]
fn the_answers_are_those_of_a_harmless_read_of_one_file() {
    let folder = Folder::new();
    let path = folder.path().join("src/main.rs").to_string_lossy().into_owned();
    let answers = testing::inspect::<Read>(json!({"file_path": path}));
    assert_eq!((answers.read_only, answers.concurrency_safe), (Some(true), Some(true)));
    assert_eq!(answers.open_world, Some(false));
    assert_eq!(answers.title.as_deref(), Some("Reading src/main.rs"));
    let subject = PathSubject { path, access: Access::Read, extent: Extent::File };
    assert_eq!(answers.subjects, [Subject::Path(subject)]);
}

#[test]
fn the_descriptor_takes_the_published_input() {
    let schema: Value = mortise_sdk::serde_json::from_str(&testing::describe::<Read>().input_schema).unwrap();
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["file_path", "offset", "limit", "pages", "allow_large"]);
    assert_eq!(schema["required"], json!(["file_path"]));
    assert_eq!(schema["additionalProperties"], json!(false));
}

#[test]
fn a_call_that_was_given_up_stops() {
    let folder = Folder::new().with("a.txt", "one");
    folder._session.cancel();
    assert_eq!(testing::call::<Read>(json!({"file_path": "a.txt"})), Err(mortise_sdk::Failure::Interrupted));
}
