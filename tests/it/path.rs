//! The path of one call, through real components: the core tools on real files.

use std::path::Path;
use std::sync::Arc;

use mortise::config::{Config, Level, RawRule, RuleEffect, RuleSource};
use mortise::execution::{Call, CallResult, Ending};
use mortise::host::Host;
use serde_json::{Value, json};

use crate::support::{config_in, text_of};

async fn host(folder: &Path, rules: &[(RuleEffect, &str)]) -> Host {
    let mut config: Config = config_in(folder);
    config.permission.rules = rules
        .iter()
        .map(|(effect, text)| RawRule {
            effect: *effect,
            text: (*text).to_owned(),
            source: RuleSource { level: Level::CommandLine, file: None, line: None, root: folder.to_owned() },
        })
        .collect();
    Host::builder().config(config).build().await.unwrap()
}

async fn call(host: &Host, name: &str, input: Value) -> CallResult {
    host.call(Call { id: "toolu_1".into(), name: name.into(), input }).await
}

#[tokio::test]
async fn the_core_tools_are_in_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path(), &[]).await;
    let pool = host.pool();
    let names: Vec<_> = pool.tools().iter().map(|tool| tool.descriptor.name.as_str()).collect();
    assert_eq!(names, ["Bash", "Edit", "Glob", "Grep", "Read", "TaskStop", "Write"], "{:?}", pool.entries());
}

#[tokio::test]
async fn a_file_is_found_read_edited_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("greeting.txt");
    std::fs::write(&file, "hello\nworld\n").unwrap();
    let host = host(folder.path(), &[(RuleEffect::Allow, "Edit(**)")]).await;

    let found = call(&host, "Grep", json!({"pattern": "wor", "output_mode": "content"})).await;
    assert_eq!(found.ending, Ending::Done, "{found:#?}");
    assert!(text_of(&found).contains("greeting.txt"), "{found:#?}");

    let read = call(&host, "Read", json!({"file_path": file})).await;
    assert_eq!(read.ending, Ending::Done, "{read:#?}");
    assert!(text_of(&read).contains("hello"), "{read:#?}");

    let edit = json!({"file_path": file, "old_string": "world", "new_string": "there"});
    let edited = call(&host, "Edit", edit).await;
    assert_eq!(edited.ending, Ending::Done, "{edited:#?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "hello\nthere\n");

    let read = call(&host, "Read", json!({"file_path": file})).await;
    assert!(text_of(&read).contains("there"), "{read:#?}");
}

#[tokio::test]
async fn an_edit_of_a_file_never_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, "one\n").unwrap();
    let host = host(folder.path(), &[(RuleEffect::Allow, "Edit(**)")]).await;
    let edit = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    let edited = call(&host, "Edit", edit).await;
    assert!(edited.ending.is_error(), "{edited:#?}");
    assert!(text_of(&edited).contains("read"), "{edited:#?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n");
}

#[tokio::test]
async fn a_search_over_a_tree_neither_finds_nor_lists_a_denied_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "KEY=tenon\n").unwrap();
    std::fs::write(folder.path().join("open.txt"), "tenon\n").unwrap();
    let host = host(folder.path(), &[(RuleEffect::Deny, "Read(./.env)")]).await;
    let found = call(&host, "Grep", json!({"pattern": "tenon"})).await;
    assert!(text_of(&found).contains("open.txt"), "{found:#?}");
    assert!(!text_of(&found).contains(".env"), "{found:#?}");
    let listed = call(&host, "Glob", json!({"pattern": "**/*"})).await;
    assert!(text_of(&listed).contains("open.txt"), "{listed:#?}");
    assert!(!text_of(&listed).contains(".env"), "{listed:#?}");
    let read = call(&host, "Read", json!({"file_path": folder.path().join(".env")})).await;
    assert_eq!(read.ending, Ending::Denied, "{read:#?}");
}

#[tokio::test]
async fn with_nobody_to_ask_a_read_outside_is_denied_with_the_line_that_allows_it() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path(), &[]).await;
    let read = call(&host, "Read", json!({"file_path": "/etc/passwd"})).await;
    assert_eq!(read.ending, Ending::Denied, "{read:#?}");
    assert!(read.notes.iter().any(|note| note.contains("Read(//etc/passwd)")), "{read:#?}");
    assert!(!text_of(&read).contains("root:"), "{read:#?}");
}

/// Keeps the import of `Arc` honest where a test shares a host between tasks.
#[tokio::test]
async fn calls_of_one_host_may_run_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let host = Arc::new(host(folder.path(), &[]).await);
    let file = folder.path().join("a.txt");
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let (host, file) = (Arc::clone(&host), file.clone());
            tokio::spawn(async move { call(&host, "Read", json!({"file_path": file})).await })
        })
        .collect();
    for task in tasks {
        assert!(text_of(&task.await.unwrap()).contains("one"));
    }
}
