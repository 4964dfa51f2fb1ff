//! What Glob and Grep promise, on trees in a temporary folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use mortise_sdk::serde_json::{Value, json};
use mortise_sdk::testing::{self, Session};
use mortise_sdk::{Access, Extent, PathSubject, Subject, Tool};
use tempfile::TempDir;

use super::{Glob, Grep};

struct Tree {
    dir: TempDir,
    session: Session,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let session = Session::new(dir.path());
        Self { dir, session }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Sets a file's time; a larger number is newer.
    fn at(self, name: &str, time: u64) -> Self {
        set_time(&self.path(name), time);
        self
    }
}

fn set_time(path: &Path, time: u64) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(time)).unwrap();
}

fn done<T: Tool>(input: Value) -> (String, Value) {
    let outcome =
        testing::call::<T>(input).unwrap_or_else(|failure| panic!("{}", testing::message(&failure)));
    (testing::text(&outcome.content), testing::structured(&outcome))
}

fn refused<T: Tool>(input: Value) -> String {
    testing::message(&testing::call::<T>(input).unwrap_err())
}

fn rejected<T: Tool>(input: Value) -> String {
    testing::inspect::<T>(input).rejection.expect("a rejection").message
}

fn subject<T: Tool>(input: Value) -> Subject {
    testing::inspect::<T>(input).subjects.remove(0)
}

fn tree(path: &str) -> Subject {
    Subject::Path(PathSubject { path: path.into(), access: Access::Read, extent: Extent::Tree })
}

#[test]
fn glob_lists_the_newest_first_and_ignores_no_ignored_file() {
    let _tree = Tree::new()
        .with(".gitignore", "*.log\n")
        .with("old.log", "")
        .with("sub/new.log", "")
        .with(".hidden/mid.log", "")
        .with(".git/a.log", "")
        .with("other.txt", "")
        .at("old.log", 1)
        .at(".hidden/mid.log", 2)
        .at("sub/new.log", 3);
    let (text, output) = done::<Glob>(json!({"pattern": "**/*.log"}));
    assert_eq!(text, "sub/new.log\n.hidden/mid.log\nold.log");
    assert_eq!(output["filenames"], json!(["sub/new.log", ".hidden/mid.log", "old.log"]));
    assert_eq!((&output["numFiles"], &output["truncated"]), (&json!(3), &json!(false)));
    assert_eq!((&output["totalMatches"], &output["countIsComplete"]), (&json!(3), &json!(true)));
    assert!(output["durationMs"].is_u64());
    assert_eq!(done::<Glob>(json!({"pattern": "*.log"})).1["numFiles"], 3);
    assert_eq!(done::<Glob>(json!({"pattern": "*/*.log"})).1["numFiles"], 2);
    assert_eq!(done::<Glob>(json!({"pattern": ".git/*.log"})).0, ".git/a.log");
}

#[test]
fn glob_says_honestly_when_there_are_more_than_a_hundred() {
    let mut whole = Tree::new();
    for n in 0..100 {
        whole = whole.with(&format!("{n}.txt"), "").at(&format!("{n}.txt"), n);
    }
    let (_, output) = done::<Glob>(json!({"pattern": "*.txt"}));
    assert_eq!((&output["numFiles"], &output["truncated"]), (&json!(100), &json!(false)));
    let _whole = whole.with("100.txt", "").at("100.txt", 1_000);
    let (text, output) = done::<Glob>(json!({"pattern": "*.txt"}));
    assert!(text.starts_with("100.txt\n99.txt") && text.contains("100 of 101"), "{text}");
    assert_eq!(
        (&output["numFiles"], &output["truncated"], &output["totalMatches"]),
        (&json!(100), &json!(true), &json!(101))
    );
}

#[test]
fn glob_matches_braces_folders_and_literal_names() {
    let whole = Tree::new().with("src/a.ts", "").with("src/deep/b.tsx", "").with("lib/c.ts", "");
    let found = |pattern: &str| done::<Glob>(json!({"pattern": pattern})).1["numFiles"].clone();
    assert_eq!(found("src/**/*.{ts,tsx}"), 2);
    assert_eq!(found("src/*.ts"), 1);
    assert_eq!(found("./src/a.ts"), 1);
    assert_eq!(found("src/"), 2);
    assert_eq!(found("nowhere/**"), 0);
    assert_eq!(done::<Glob>(json!({"pattern": "*.ts", "path": "lib"})).0, "lib/c.ts");
    let absolute = format!("{}/*.ts", whole.path("lib").display());
    assert_eq!(done::<Glob>(json!({"pattern": absolute, "path": "src"})).0, "lib/c.ts");
    assert_eq!(done::<Glob>(json!({"pattern": "zzz"})).0, "No files found");
}

#[test]
fn glob_touches_the_folder_that_its_pattern_points_to() {
    let _tree = Tree::new();
    assert_eq!(subject::<Glob>(json!({"pattern": "**/*.rs"})), tree("."));
    assert_eq!(subject::<Glob>(json!({"pattern": "**/*.rs", "path": "src"})), tree("src"));
    assert_eq!(subject::<Glob>(json!({"pattern": "/etc/*.conf", "path": "src"})), tree("/etc"));
    assert_eq!(subject::<Glob>(json!({"pattern": "../x/*.rs"})), tree("../x"));
    assert!(rejected::<Glob>(json!({"pattern": "*/../../x"})).contains("upwards"));
    assert!(rejected::<Glob>(json!({"pattern": "a[b"})).contains("not valid"));
    assert!(rejected::<Glob>(json!({"pattern": "*", "path": "//host/share"})).contains("network"));
}

#[test]
fn a_missing_folder_is_an_error_that_says_so() {
    let _tree = Tree::new().with("a.txt", "");
    assert!(refused::<Glob>(json!({"pattern": "*", "path": "none"})).contains("no file or folder `none`"));
    assert!(refused::<Glob>(json!({"pattern": "*", "path": "a.txt"})).contains("is a file"));
    assert!(refused::<Grep>(json!({"pattern": "x", "path": "none"})).contains("no file or folder `none`"));
}

#[test]
fn grep_lists_matching_files_newest_first() {
    let _tree = Tree::new()
        .with("a.txt", "needle")
        .with("b.txt", "Needle")
        .with("c.txt", "needle")
        .at("a.txt", 1)
        .at("c.txt", 2);
    let (text, output) = done::<Grep>(json!({"pattern": "needle"}));
    assert_eq!(text, "Found 2 files\nc.txt\na.txt");
    assert_eq!(output, json!({"mode": "files_with_matches", "numFiles": 2, "filenames": ["c.txt", "a.txt"]}));
    assert_eq!(done::<Grep>(json!({"pattern": "needle", "-i": true})).1["numFiles"], 3);
    assert_eq!(done::<Grep>(json!({"pattern": "absent"})).0, "No files found");
}

#[test]
fn grep_skips_ignored_version_control_and_binary_files_but_not_hidden_ones() {
    let _tree = Tree::new()
        .with(".gitignore", "target/\n*.log\n")
        .with(".ignore", "secret.txt\n")
        .with("target/x.txt", "needle")
        .with("a.log", "needle")
        .with("secret.txt", "needle")
        .with(".git/config", "needle")
        .with("binary", b"needle\0needle")
        .with("late", [&b"needle\n".repeat(20_000)[..], b"\0"].concat())
        .with(".env", "needle")
        .with("sub/target/x.txt", "needle")
        .with("sub/y.txt", "needle");
    let names = |input| {
        let mut names: Vec<String> =
            done::<Grep>(input).1["filenames"].as_array().unwrap().iter().map(|n| n.to_string()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names(json!({"pattern": "needle", "output_mode": "count"})), r#"".env" "sub/y.txt""#);
    // The ignore files above the folder count too.
    assert_eq!(names(json!({"pattern": "needle", "path": "sub"})), r#""sub/y.txt""#);
    // A file that is named is searched.
    assert_eq!(names(json!({"pattern": "needle", "path": "a.log"})), r#""a.log""#);
    assert!(done::<Grep>(json!({"pattern": "needle", "path": "binary"})).0.contains("is a binary file"));
}

#[test]
fn grep_shows_lines_with_numbers_and_context() {
    let _tree =
        Tree::new().with("a.txt", "one\ntwo\nneedle\r\nfour\nfive\nsix\nneedle\n").with("b.txt", "needle\n");
    let content = |mut input: Value| {
        input["pattern"] = json!("needle$");
        input["output_mode"] = json!("content");
        done::<Grep>(input)
    };
    let (text, output) = content(json!({}));
    assert_eq!(text, "a.txt:3:needle\na.txt:7:needle\nb.txt:1:needle");
    assert_eq!(output["content"], text);
    assert_eq!((&output["numLines"], &output["filenames"]), (&json!(3), &json!(["a.txt", "b.txt"])));
    assert_eq!(content(json!({"-n": false, "glob": "a.*"})).0, "a.txt:needle\na.txt:needle");
    assert_eq!(content(json!({"-B": 1, "path": "a.txt"})).0, "2-two\n3:needle\n--\n6-six\n7:needle");
    assert_eq!(content(json!({"-A": 1, "path": "a.txt"})).0, "3:needle\n4-four\n--\n7:needle");
    for name in ["-C", "context"] {
        let around = content(json!({name: 1, "path": "a.txt"})).0;
        assert_eq!(around, "2-two\n3:needle\n4-four\n--\n6-six\n7:needle");
    }
}

#[test]
fn grep_shows_only_what_matched() {
    let _tree = Tree::new().with("a.txt", "x1 x22\nx3\n");
    let input = json!({"pattern": "x\\d+", "output_mode": "content", "-o": true});
    assert_eq!(done::<Grep>(input).0, "a.txt:1:x1\na.txt:1:x22\na.txt:2:x3");
}

#[test]
fn grep_counts() {
    let _tree = Tree::new().with("a.txt", "x\nx\ny\n").with("b.txt", "x\n").with("c.txt", "y\n");
    let (text, output) = done::<Grep>(json!({"pattern": "x", "output_mode": "count"}));
    assert_eq!(text, "a.txt:2\nb.txt:1\n\nFound 3 matching lines in 2 files.");
    assert_eq!((&output["numMatches"], &output["numFiles"]), (&json!(3), &json!(2)));
    assert_eq!(output["content"], "a.txt:2\nb.txt:1");
}

#[test]
fn grep_matches_across_lines_only_when_told() {
    let _tree = Tree::new().with("a.txt", "begin\nmiddle\nend\n");
    let input = json!({"pattern": "begin.*end", "output_mode": "content", "multiline": true});
    assert_eq!(done::<Grep>(input).0, "a.txt:1:begin\na.txt:2:middle\na.txt:3:end");
    assert_eq!(done::<Grep>(json!({"pattern": "begin.*end"})).0, "No files found");
    assert!(rejected::<Grep>(json!({"pattern": "begin\\nmiddle"})).contains("`multiline`: true"));
}

#[test]
fn grep_pages_through_entries() {
    let content: String = (1..=300).map(|n| format!("needle {n}\n")).collect();
    let _tree = Tree::new().with("a.txt", &content).with("b.txt", "needle\n");
    let page = |input: Value| {
        let mut whole = json!({"pattern": "needle", "output_mode": "content"});
        whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        done::<Grep>(whole)
    };
    let (text, output) = page(json!({}));
    assert_eq!((&output["numLines"], &output["appliedLimit"]), (&json!(250), &json!(250)));
    assert!(text.contains("offset 250"), "{}", &text[text.len() - 200..]);
    let (_, output) = page(json!({"offset": 250}));
    assert_eq!((&output["numLines"], &output["appliedOffset"]), (&json!(51), &json!(250)));
    assert_eq!(output["appliedLimit"], Value::Null);
    assert_eq!(page(json!({"head_limit": 0})).1["numLines"], 301);
    assert_eq!(page(json!({"head_limit": 300})).1["appliedLimit"], 300);
    assert_eq!(page(json!({"head_limit": 301})).1["appliedLimit"], Value::Null);
    assert_eq!(page(json!({"head_limit": 1, "offset": 300})).1["content"], "b.txt:1:needle");
    for mode in ["content", "count", "files_with_matches"] {
        let (text, output) = page(json!({"offset": 1_000, "output_mode": mode}));
        assert!(text.starts_with("No entries at this offset"), "{mode}: {text}");
        assert_eq!(output["numFiles"], 0, "{mode}");
    }
    let (text, output) = page(json!({"output_mode": "files_with_matches", "head_limit": 1}));
    assert!(text.starts_with("Found 2 files") && text.contains("offset 1"), "{text}");
    assert_eq!((&output["numFiles"], &output["appliedLimit"]), (&json!(1), &json!(1)));
}

#[test]
fn grep_takes_globs_with_folders_braces_and_several_at_once() {
    let _tree = Tree::new()
        .with("src/a.ts", "x")
        .with("src/deep/b.tsx", "x")
        .with("src/c.js", "x")
        .with("lib/d.ts", "x");
    let found = |glob: &str, path: &str| {
        done::<Grep>(json!({"pattern": "x", "glob": glob, "path": path})).1["numFiles"].clone()
    };
    assert_eq!(found("src/**/*.ts", "."), 1);
    assert_eq!(found("*.{ts,tsx}", "."), 3);
    assert_eq!(found("*.ts,*.js", "."), 3);
    assert_eq!(found("*.ts *.tsx", "."), 3);
    assert_eq!(found("!*.ts", "."), 2);
    assert_eq!(found("src/**/*.ts", "src"), 1);
    assert_eq!(found("**/*.tsx", "src"), 1);
    assert!(rejected::<Grep>(json!({"pattern": "x", "glob": "*.{ts"})).contains("`*.{ts` is not valid"));
}

#[test]
fn grep_takes_types_and_says_which_there_are() {
    let _tree = Tree::new().with("a.rs", "x").with("b.py", "x").with("c.tsx", "x");
    assert_eq!(done::<Grep>(json!({"pattern": "x", "type": "rust"})).1["filenames"], json!(["a.rs"]));
    assert_eq!(done::<Grep>(json!({"pattern": "x", "type": "py"})).1["filenames"], json!(["b.py"]));
    assert!(rejected::<Grep>(json!({"pattern": "x", "type": "tsx"})).contains("of type `ts`"));
    let refusal = rejected::<Grep>(json!({"pattern": "x", "type": "foo"}));
    assert!(refusal.contains("no file type `foo`") && refusal.contains("python"), "{refusal}");
}

#[test]
fn a_bad_pattern_is_refused_before_anything_is_opened() {
    let _tree = Tree::new();
    assert!(rejected::<Grep>(json!({"pattern": "foo("})).contains("unclosed group"));
    assert!(rejected::<Grep>(json!({"pattern": "(?=x)"})).contains("look-around"));
    assert!(rejected::<Grep>(json!({"pattern": "(\\w{1000}){1000}"})).contains("repetitions"));
    assert!(testing::inspect::<Grep>(json!({"pattern": "foo\\("})).rejection.is_none());
}

#[test]
fn a_very_long_line_is_cut_around_its_match() {
    let line = format!("{}needle{}\n", "é".repeat(5_000), "b".repeat(5_000));
    let _tree = Tree::new().with("a.txt", line);
    let (text, _) = done::<Grep>(json!({"pattern": "needle", "output_mode": "content"}));
    assert!(text.contains("[… 9900 bytes] é") && text.contains("éneedleb") && text.len() < 700, "{text}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_leaves_a_partial_result_with_a_note() {
    use std::os::unix::fs::PermissionsExt;
    let whole = Tree::new().with("a.txt", "x").with("closed/b.txt", "x").with("no.txt", "x");
    let allow = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(whole.path("closed"), permissions.clone()).unwrap();
        std::fs::set_permissions(whole.path("no.txt"), permissions).unwrap();
    };
    allow(0o000);
    if std::fs::read_dir(whole.path("closed")).is_err() {
        let (text, output) = done::<Grep>(json!({"pattern": "x"}));
        assert!(text.contains("a.txt") && text.contains("partial") && text.contains("closed"), "{text}");
        assert!(!text.contains("no.txt"));
        assert_eq!(output["numFiles"], 1);
        let (text, output) = done::<Glob>(json!({"pattern": "**/*.txt"}));
        assert!(text.contains("closed"));
        assert_eq!(output["countIsComplete"], false);
    }
    allow(0o755);
    assert_eq!(done::<Grep>(json!({"pattern": "x"})).1["numFiles"], 3);
}

#[test]
fn paths_outside_the_working_directory_are_absolute() {
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("a.txt"), "needle").unwrap();
    let _tree = Tree::new();
    let path = other.path().to_string_lossy().into_owned();
    let expected = json!([format!("{path}/a.txt")]);
    assert_eq!(done::<Grep>(json!({"pattern": "needle", "path": path})).1["filenames"], expected);
    assert_eq!(done::<Glob>(json!({"pattern": "*.txt", "path": path})).1["filenames"], expected);
}

#[test]
fn the_answers_are_those_of_a_harmless_search_of_one_tree() {
    let _tree = Tree::new();
    assert_eq!(subject::<Grep>(json!({"pattern": "x"})), tree("."));
    assert_eq!(subject::<Grep>(json!({"pattern": "x", "path": "src"})), tree("src"));
    for answers in
        [testing::inspect::<Grep>(json!({"pattern": "x"})), testing::inspect::<Glob>(json!({"pattern": "x"}))]
    {
        assert_eq!(answers.rejection, None);
        assert_eq!((answers.read_only, answers.concurrency_safe), (Some(true), Some(true)));
        assert_eq!(answers.open_world, Some(false));
    }
}

#[test]
fn the_descriptor_of_grep_takes_the_published_input() {
    let schema: Value = mortise_sdk::serde_json::from_str(&testing::describe::<Grep>().input_schema).unwrap();
    let names: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let published = [
        "pattern",
        "path",
        "glob",
        "type",
        "output_mode",
        "-A",
        "-B",
        "-C",
        "context",
        "-n",
        "-i",
        "-o",
        "head_limit",
        "offset",
        "multiline",
    ];
    assert_eq!(names, published);
    assert!(schema["properties"]["output_mode"].to_string().contains("files_with_matches"));
}

#[test]
fn a_search_that_was_given_up_stops() {
    let mut whole = Tree::new();
    for n in 0..100 {
        whole = whole.with(&format!("{n}.txt"), "x");
    }
    whole.session.cancel();
    assert_eq!(testing::call::<Grep>(json!({"pattern": "x"})), Err(mortise_sdk::Failure::Interrupted));
    assert_eq!(testing::call::<Glob>(json!({"pattern": "*"})), Err(mortise_sdk::Failure::Interrupted));
}
