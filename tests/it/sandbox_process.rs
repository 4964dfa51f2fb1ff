//! What a guest may make of commands: the one line that was granted, in `call`, and nothing else. What confines a
//! command is tested beside the code (`host/src/sandbox/process/tests.rs`), and through the tool in `bash.rs`.

use mortise::config::RuleEffect;
use mortise::execution::Ending;
use mortise::host::Host;
use mortise::sandbox::process::Support;
use serde_json::{Value, json};

use crate::support::{Site, call, still_serves, text_of};

async fn host() -> (Site, Host) {
    let mut site = Site::with(&["runs"]);
    site.rule(RuleEffect::Allow, "runs");
    let host = site.host().await;
    (site, host)
}

fn input(names: &[&str], runs: &str, at: &str) -> Value {
    json!({"names": names, "runs": runs, "at": at})
}

#[tokio::test]
async fn only_the_approved_line_is_run() {
    let (_site, host) = host().await;
    for other in ["echo b", "echo a ", "echo a; echo b", " echo a", "echo a\n", ""] {
        let ran = call(&host, "runs", input(&["echo a"], other, "call")).await;
        assert_eq!(ran.ending, Ending::Failed, "{other:?}: {ran:#?}");
        assert!(text_of(&ran).contains("byte for byte"), "{other:?}: {ran:#?}");
    }
    let ran = call(&host, "runs", input(&["echo a"], "echo a", "call")).await;
    if Support::of_this_kernel().confines() {
        assert_eq!((ran.ending, text_of(&ran).as_str()), (Ending::Done, "a\nSome(0)"), "{ran:#?}");
    } else {
        assert!(text_of(&ran).contains("[process] unconfined = true"), "{ran:#?}");
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn of_no_command_or_two_none_is_run() {
    let (_site, host) = host().await;
    for names in [&[][..], &["echo a", "echo b"]] {
        let ran = call(&host, "runs", input(names, "echo a", "call")).await;
        assert_eq!(ran.ending, Ending::Failed, "{names:?}: {ran:#?}");
        assert!(text_of(&ran).contains("granted no command"), "{names:?}: {ran:#?}");
    }
}

#[tokio::test]
async fn nothing_is_run_before_it_is_decided() {
    let (_site, host) = host().await;
    for runs in ["echo a", "stop bash_1"] {
        let ran = call(&host, "runs", input(&["echo a"], runs, "inspect")).await;
        assert_eq!(ran.ending, Ending::Invalid, "{runs}: {ran:#?}");
        assert!(text_of(&ran).contains("answers only in `call`"), "{runs}: {ran:#?}");
    }
}

#[tokio::test]
async fn a_command_of_another_plugin_is_not_stopped() {
    let mut site = Site::with(&["runs"]);
    site.config.registry.embedded = true;
    site.rule(RuleEffect::Allow, "runs");
    site.rule(RuleEffect::Allow, "Bash(sleep 1000)");
    let host = site.host().await;
    let left = call(&host, "Bash", json!({"command": "sleep 1000", "run_in_background": true})).await;
    if !Support::of_this_kernel().confines() {
        assert!(text_of(&left).contains("[process] unconfined = true"), "{left:#?}");
        return;
    }
    let structured = left.structured.as_ref().unwrap();
    let id = structured["backgroundTaskId"].as_str().unwrap();
    let stopped = call(&host, "runs", input(&["echo a"], &format!("stop {id}"), "call")).await;
    assert!(text_of(&stopped).contains("no command runs"), "{stopped:#?}");
    let stopped = call(&host, "TaskStop", json!({"task_id": id})).await;
    assert_eq!(stopped.ending, Ending::Done, "{stopped:#?}");
}
