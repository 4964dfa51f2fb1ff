//! The tool Bash through the host: what a command that was allowed reaches, and how it ends. On a kernel that cannot
//! confine, every one of these asserts that the command was refused with the next step.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mortise::config::RuleEffect;
use mortise::execution::{Attendance, Call, CallResult, Ending};
use mortise::host::Host;
use mortise::sandbox::process::Support;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::binary::Machine;
use crate::support::{Site, call, text_of};

/// A site with the core tools, whose commands are all allowed.
fn site(rules: &[(RuleEffect, &str)]) -> Site {
    let mut site = Site::with(&[]);
    site.config.registry.embedded = true;
    for (effect, text) in rules.iter().chain(&[(RuleEffect::Allow, "Bash")]) {
        site.rule(*effect, text);
    }
    site
}

/// Runs a line. `None`: the kernel confines nothing, and it was refused for that.
async fn bash(host: &Host, input: Value) -> Option<CallResult> {
    let ran = call(host, "Bash", input).await;
    ran_at_all(&ran).then_some(ran)
}

fn ran_at_all(ran: &CallResult) -> bool {
    if Support::of_this_kernel().confines() {
        return true;
    }
    let text = text_of(ran);
    assert_eq!(ran.ending, Ending::Failed, "{ran:#?}");
    assert!(text.contains("cannot confine") && text.contains("[process] unconfined = true"), "{ran:#?}");
    false
}

async fn line(host: &Host, line: &str) -> Option<CallResult> {
    bash(host, json!({"command": line})).await
}

#[track_caller]
fn done(ran: Option<CallResult>, text: &str) {
    let Some(ran) = ran else { return };
    assert_eq!((ran.ending, text_of(&ran).as_str()), (Ending::Done, text), "{ran:#?}");
}

#[track_caller]
fn failed(ran: Option<CallResult>, secret: &str) {
    let Some(ran) = ran else { return };
    assert_eq!(ran.ending, Ending::Failed, "{ran:#?}");
    assert!(!text_of(&ran).contains(secret), "{ran:#?}");
}

/// A file that a command locks, so that its end can be waited for.
fn lock(site: &Site) -> PathBuf {
    PathBuf::from(site.put("ws/lock", ""))
}

fn is_free(lock: &Path) -> bool {
    let file = fs::File::open(lock).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok()
}

async fn until_free(lock: &Path) {
    let file = fs::File::open(lock).unwrap();
    let wait = move || rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    tokio::time::timeout(Duration::from_secs(60), tokio::task::spawn_blocking(wait)).await.unwrap().unwrap();
}

/// What holds the lock for as long as it lives, and says so.
const HOLDS: &str = "flock lock sh -c 'echo locked; exec sleep 1000'";

/// A call under way that has shown a sign of life.
async fn under_way(host: &Arc<Host>, input: Value) -> (JoinHandle<CallResult>, Attendance) {
    let (alive, mut lives) = tokio::sync::mpsc::unbounded_channel();
    let attendance = Attendance {
        progress: Some(Arc::new(move |_| {
            let _ = alive.send(());
        })),
        ..Attendance::default()
    };
    let call = Call { id: "toolu_1".into(), name: "Bash".into(), input };
    let (host, attended) = (Arc::clone(host), attendance.clone());
    let running = tokio::spawn(async move { host.call_attended(call, attended).await });
    lives.recv().await;
    (running, attendance)
}

/// Runs a script of the working folder: what it does is in no line, so that only the kernel can hold it.
async fn script(site: &Site, host: &Host, text: &str) -> Option<CallResult> {
    site.put("ws/script.sh", text);
    line(host, "bash script.sh").await
}

#[tokio::test]
async fn a_sibling_of_the_granted_folder_is_not_read() {
    let site = site(&[]);
    site.put("ws/own.txt", "own");
    let foreign = site.put("other/secret.txt", "foreign");
    let host = site.host().await;
    done(script(&site, &host, "cat own.txt").await, "own");
    failed(script(&site, &host, "cat ../other/secret.txt").await, "foreign");
    failed(script(&site, &host, &format!("cat {foreign}")).await, "foreign");
    failed(script(&site, &host, "ls ../other").await, "secret.txt");
}

#[tokio::test]
async fn the_network_is_not_reached() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let site = site(&[]);
    let host = site.host().await;
    done(script(&site, &host, "echo here").await, "here");
    let dial = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached");
    failed(script(&site, &host, &dial).await, "reached");
    server.set_nonblocking(true).unwrap();
    assert!(server.accept().is_err(), "nobody called");
    // The pair: who is not confined reaches it.
    let dialled = std::process::Command::new("bash").args(["-c", &dial]).output().unwrap();
    assert_eq!(dialled.stdout, b"reached\n");
}

#[tokio::test]
async fn a_deny_rule_holds_inside_the_granted_folder() {
    let rules = [(RuleEffect::Deny, "Read(.env)"), (RuleEffect::Deny, "Edit(fixed.txt)")];
    let site = site(&rules);
    site.put("ws/.env", "KEY=secret");
    site.put("ws/fixed.txt", "fixed");
    site.put("ws/open.txt", "open");
    let host = site.host().await;
    failed(script(&site, &host, "cat .env").await, "secret");
    failed(script(&site, &host, "cp .env copy && cat copy").await, "secret");
    failed(script(&site, &host, "mv .env moved && cat moved").await, "secret");
    failed(script(&site, &host, "grep -rs --include='.e*' secret .").await, "secret");
    failed(script(&site, &host, "echo x >> fixed.txt").await, "nothing");
    done(script(&site, &host, "cat fixed.txt; echo more > open.txt; cat open.txt").await, "fixedmore");
    assert_eq!((site.text("ws/fixed.txt").as_str(), site.text("ws/.env").as_str()), ("fixed", "KEY=secret"));
}

#[tokio::test]
async fn standard_input_is_at_its_end_and_the_environment_is_clean() {
    let mut site = site(&[]);
    let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    site.config.sandbox.process.environment = vec![named("LANG", "C"), named("NAMED", "by the operator")];
    let host = site.host().await;
    done(line(&host, "cat; echo end").await, "end");
    done(
        line(&host, "env | cut -d= -f1 | sort | xargs; echo $NAMED").await,
        "LANG NAMED PATH PWD SHLVL TMPDIR _\nby the operator",
    );
}

#[tokio::test]
async fn what_is_left_behind_holding_the_output_is_not_waited_for() {
    let site = site(&[]);
    let host = site.host().await;
    done(line(&host, "sleep 1000 & echo started").await, "started");
    done(line(&host, "setsid sh -c 'sleep 1000' & echo started").await, "started");
}

#[tokio::test]
async fn a_command_whose_time_is_up_is_killed_with_its_whole_pipe() {
    let site = site(&[]);
    let lock = lock(&site);
    let host = site.host().await;
    // Nothing with git goes on in the background.
    let input = json!({"command": format!("{HOLDS} | cat; : git"), "timeout": 300});
    let Some(ran) = bash(&host, input).await else { return };
    assert_eq!(ran.ending, Ending::Failed, "{ran:#?}");
    assert!(text_of(&ran).contains("within its 300ms timeout and was stopped"), "{ran:#?}");
    until_free(&lock).await;
    let slept = call(&host, "Bash", json!({"command": "sleep 999 | cat", "timeout": 100})).await;
    assert_eq!(slept.ending, Ending::Failed, "{slept:#?}");
}

#[tokio::test]
async fn a_command_whose_time_is_up_goes_on_in_the_background_and_is_stopped_by_its_id() {
    let site = site(&[]);
    let lock = lock(&site);
    let host = site.host().await;
    let input = json!({"command": HOLDS, "timeout": 3_000});
    let Some(ran) = bash(&host, input).await else { return };
    assert_eq!(ran.ending, Ending::Done, "{ran:#?}");
    let structured = ran.structured.clone().unwrap();
    assert_eq!(structured["timedOutAfterMs"], 3_000, "{ran:#?}");
    assert!(
        text_of(&ran).contains("moved to the background") && text_of(&ran).contains("locked"),
        "{ran:#?}"
    );
    assert!(!is_free(&lock), "it still runs");
    let read = call(&host, "Read", json!({"file_path": structured["persistedOutputPath"]})).await;
    assert_eq!(read.ending, Ending::Done, "no rule is needed to read it: {read:#?}");
    assert!(text_of(&read).contains("locked"), "{read:#?}");
    // By its former name, too.
    let stopped = call(&host, "KillShell", json!({"shell_id": structured["backgroundTaskId"]})).await;
    assert_eq!(stopped.ending, Ending::Done, "{stopped:#?}");
    until_free(&lock).await;
    let again = call(&host, "TaskStop", json!({"task_id": structured["backgroundTaskId"]})).await;
    assert!(again.ending.is_error() && text_of(&again).contains("ended already"), "{again:#?}");
}

#[tokio::test]
async fn a_command_run_in_the_background_answers_at_once_and_ends_with_the_host() {
    let site = site(&[]);
    let lock = lock(&site);
    let host = site.host().await;
    let line = format!("mkfifo gate; {HOLDS} > gate");
    let Some(ran) = bash(&host, json!({"command": line, "run_in_background": true})).await else { return };
    assert_eq!(ran.ending, Ending::Done, "{ran:#?}");
    let file = ran.structured.as_ref().unwrap()["persistedOutputPath"].as_str().unwrap().to_owned();
    assert!(text_of(&ran).contains(&file), "{ran:#?}");
    // The gate opens once the lock is held.
    done(self::line(&host, "until [ -p gate ]; do :; done; read word < gate; echo $word").await, "locked");
    assert!(!is_free(&lock));
    drop(host);
    until_free(&lock).await;
}

#[test]
fn a_command_ends_with_the_hosts_process_however_that_ends() {
    let machine = Machine::new();
    let lock = machine.write("project/lock", "");
    let gate = machine.path("project/gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let line = "/usr/bin/flock lock /bin/sh -c 'echo locked > gate; exec /bin/sleep 1000'";
    let input = json!({"command": line}).to_string();
    let args = ["call", "Bash", &input, "--allow", "Bash"];
    if !Support::of_this_kernel().confines() {
        assert!(machine.run(&args).exits(1).out.contains("[process] unconfined = true"));
        return;
    }
    let mut child = machine.command(&args).spawn().unwrap();
    assert_eq!(fs::read_to_string(&gate).unwrap(), "locked\n");
    assert!(!is_free(&lock));
    child.kill().unwrap();
    child.wait().unwrap();
    let file = fs::File::open(&lock).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
}

#[tokio::test]
async fn a_cancelled_command_is_killed() {
    let site = site(&[]);
    let lock = lock(&site);
    let host = Arc::new(site.host().await);
    if !Support::of_this_kernel().confines() {
        assert!(line(&host, HOLDS).await.is_none());
        return;
    }
    for command in [HOLDS.to_owned(), format!("(setsid {HOLDS} &); sleep 1000")] {
        let (running, attendance) = under_way(&host, json!({"command": command})).await;
        assert!(!is_free(&lock), "{command}");
        attendance.cancel.cancel();
        assert_eq!(running.await.unwrap().ending, Ending::Interrupted);
        until_free(&lock).await;
    }
}

#[tokio::test]
async fn a_running_command_is_sent_to_the_background_without_a_restart() {
    let site = site(&[]);
    let lock = lock(&site);
    let host = Arc::new(site.host().await);
    assert!(!host.background("toolu_1"), "none runs");
    if !Support::of_this_kernel().confines() {
        assert!(line(&host, HOLDS).await.is_none());
        return;
    }
    let (running, _) = under_way(&host, json!({"command": format!("echo $$; {HOLDS}")})).await;
    assert!(!host.background("toolu_2"), "another call's");
    assert!(host.background("toolu_1"));
    let ran = running.await.unwrap();
    assert_eq!(ran.ending, Ending::Done, "{ran:#?}");
    let structured = ran.structured.clone().unwrap();
    assert!(structured.get("timedOutAfterMs").is_none(), "{ran:#?}");
    let stopped = call(&host, "TaskStop", json!({"task_id": structured["backgroundTaskId"]})).await;
    assert_eq!(stopped.ending, Ending::Done, "{stopped:#?}");
    until_free(&lock).await;
    let file = structured["persistedOutputPath"].as_str().unwrap();
    let kept = fs::read_to_string(file).unwrap();
    let runs = kept.lines().filter(|line| line.bytes().all(|byte| byte.is_ascii_digit())).count();
    assert_eq!(runs, 1, "it was started once: {kept}");
}

#[tokio::test]
async fn the_working_directory_is_kept_inside_and_reset_outside() {
    let site = site(&[]);
    site.put("ws/sub/a.txt", "below");
    let ws = site.path("ws");
    let host = site.host().await;
    done(line(&host, "cd sub").await, "(no output)");
    done(line(&host, "cat a.txt; pwd").await, &format!("below{ws}/sub"));
    done(line(&host, "(cd ..); true").await, "(no output)");
    done(line(&host, "pwd").await, &format!("{ws}/sub"));
    done(line(&host, "cd /usr").await, &format!("(no output)\nShell cwd was reset to {ws}"));
    done(line(&host, "pwd").await, &ws);
    done(line(&host, "export A=1; b=2").await, "(no output)");
    done(line(&host, "echo \"$A$b.\"").await, ".");
}

#[tokio::test]
async fn a_plain_sed_is_a_write_to_its_file_and_done_where_the_shell_is() {
    let mut site = Site::with(&[]);
    site.config.registry.embedded = true;
    site.rule(RuleEffect::Allow, "Bash(sed -i *)");
    site.rule(RuleEffect::Allow, "Bash(cd sub)");
    site.rule(RuleEffect::Allow, "Edit(sub/**)");
    for name in ["a.txt", "sub/a.txt"] {
        site.put(&format!("ws/{name}"), "one\n");
    }
    let host = site.host().await;
    let sed = json!({"command": "sed -i 's/one/two/' a.txt"});
    let ran = call(&host, "Bash", sed.clone()).await;
    assert_eq!(ran.ending, Ending::Denied, "no rule opens ws/a.txt for writing: {ran:#?}");
    if line(&host, "cd sub").await.is_none() {
        return;
    }
    done(bash(&host, sed).await, "a.txt was changed in 1 lines");
    assert_eq!((site.text("ws/a.txt").as_str(), site.text("ws/sub/a.txt").as_str()), ("one\n", "two\n"));
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle_and_whole_in_a_file_that_is_read_unasked() {
    let site = site(&[]);
    let host = site.host().await;
    let Some(ran) = line(&host, "seq 1 100000").await else { return };
    let text = text_of(&ran);
    assert_eq!(ran.ending, Ending::Done);
    assert!(text.chars().count() < 30_400, "{}", text.chars().count());
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n100000") && text.contains("left out"), "{text}");
    let file = ran.structured.as_ref().unwrap()["persistedOutputPath"].as_str().unwrap().to_owned();
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 100_000);
    let read = call(&host, "Read", json!({"file_path": file, "offset": 50_000, "limit": 1})).await;
    assert!(text_of(&read).ends_with("50000"), "{read:#?}");
    let grep =
        call(&host, "Grep", json!({"pattern": "^77777$", "path": file, "output_mode": "content"})).await;
    assert!(text_of(&grep).contains("77777"), "{grep:#?}");

    let Some(ran) = line(&host, "seq 1 100000; false").await else { return };
    assert_eq!(ran.ending, Ending::Failed);
    assert!(text_of(&ran).starts_with("Exit code 1\n1\n2\n"), "{ran:#?}");
    assert!(text_of(&ran).chars().count() < 10_400);
}

#[tokio::test]
async fn a_command_that_writes_without_end_bloats_nothing() {
    let site = site(&[]);
    let host = site.host().await;
    let Some(ran) = bash(&host, json!({"command": "yes; : git", "timeout": 1_000})).await else { return };
    assert_eq!(ran.ending, Ending::Failed, "{:?}", ran.ending);
    let file = ran.structured.as_ref().unwrap()["persistedOutputPath"].as_str().unwrap().to_owned();
    assert!(fs::metadata(&file).unwrap().len() <= (64 << 20) + 200);
    done(line(&host, "echo next").await, "next");
}

#[tokio::test]
async fn waiting_for_a_command_does_not_use_up_the_calls_own_time() {
    let mut site = site(&[]);
    site.config.sandbox.limits.time = Duration::from_millis(400);
    let host = site.host().await;
    done(line(&host, "sleep 1; echo late").await, "late");
}

#[tokio::test]
async fn an_exit_code_that_only_answers_is_no_failure() {
    let site = site(&[]);
    site.put("ws/a.txt", "a");
    let host = site.host().await;
    done(line(&host, "grep tenon a.txt").await, "No matches found (exit code 1)");
    let Some(ran) = line(&host, "exit 3").await else { return };
    assert_eq!((ran.ending, text_of(&ran).as_str()), (Ending::Failed, "Exit code 3"), "{ran:#?}");
}

#[tokio::test]
async fn a_field_that_would_lift_the_confinement_is_taken_out_with_a_note() {
    let site = site(&[]);
    site.put("other/secret.txt", "foreign");
    site.put("ws/script.sh", "cat ../other/secret.txt");
    let host = site.host().await;
    let input = json!({"command": "bash script.sh", "dangerouslyDisableSandbox": true});
    let ran = bash(&host, input).await;
    if let Some(ran) = &ran {
        assert!(ran.notes.iter().any(|note| note.contains("dangerouslyDisableSandbox")), "{ran:#?}");
    }
    failed(ran, "foreign");
}

#[tokio::test]
async fn without_a_rule_a_command_is_asked_and_with_nobody_there_denied() {
    let mut site = Site::with(&[]);
    site.config.registry.embedded = true;
    site.rule(RuleEffect::Allow, "Bash(touch a)");
    let host = site.host().await;
    done(line(&host, "touch a").await, "(no output)");
    let ran = call(&host, "Bash", json!({"command": "touch b"})).await;
    assert_eq!(ran.ending, Ending::Denied, "{ran:#?}");
    assert!(ran.notes.iter().any(|note| note.contains("Bash(touch")), "{ran:#?}");
    assert!(!site.top.join("ws/b").exists());
}

#[tokio::test]
async fn where_the_folder_that_was_entered_is_gone_commands_start_in_the_working_directory() {
    let site = site(&[]);
    let host = site.host().await;
    fs::create_dir(site.top.join("ws/sub")).unwrap();
    done(line(&host, "cd sub").await, "(no output)");
    fs::remove_dir(site.top.join("ws/sub")).unwrap();
    done(line(&host, "pwd").await, &site.path("ws"));
}

#[tokio::test]
async fn what_a_later_command_names_starts_where_the_last_one_ended() {
    let site = site(&[(RuleEffect::Deny, "Read(/top.txt)")]);
    site.put("ws/top.txt", "secret");
    site.put("ws/sub/own.txt", "open");
    let host = site.host().await;
    done(line(&host, "cat sub/own.txt").await, "open");
    if let Some(moved) = line(&host, "cd sub").await {
        assert_eq!(moved.ending, Ending::Done, "{moved:#?}");
        let denied = line(&host, "cat ../top.txt").await.unwrap();
        assert_eq!(denied.ending, Ending::Denied, "{denied:#?}");
        done(line(&host, "cat own.txt").await, "open");
    }
}
