//! What Bash and TaskStop say, with commands that go as the test says.

use mortise_sdk::serde_json::{Value, json};
use mortise_sdk::testing::{self, Ran, Session};
use mortise_sdk::{Failure, Need, Subject};

use super::line::{commands, goes_on, meaning};
use super::output::{Kept, cut};
use super::{Bash, TaskStop};

fn ran(code: i32, stdout: &str, stderr: &str) -> Ran {
    Ran { stdout: stdout.to_owned(), stderr: stderr.to_owned(), code: Some(code), timed_out: false }
}

fn call(session: &Session, line: &str, ran: Ran) -> Result<(String, Value), String> {
    session.run(ran);
    match testing::call::<Bash>(json!({"command": line})) {
        Ok(outcome) => Ok((testing::text(&outcome.content), testing::structured(&outcome))),
        Err(failure) => {
            assert!(matches!(failure, Failure::Failed(_)), "{failure:?}");
            Err(testing::message(&failure))
        }
    }
}

#[test]
fn both_streams_are_shown_and_kept_apart_for_programs() {
    let session = Session::new("/work");
    let (text, structured) = call(&session, "make", ran(0, "built\n", "warned\n")).unwrap();
    assert_eq!(text, "built\nwarned");
    assert_eq!(structured, json!({"stdout": "built\n", "stderr": "warned\n", "interrupted": false}));
    assert_eq!(call(&session, "true", ran(0, "", "")).unwrap().0, "(no output)");
}

#[test]
fn a_failure_says_its_code_and_what_was_written() {
    let session = Session::new("/work");
    assert_eq!(
        call(&session, "make", ran(2, "half\n", "no rule\n")).unwrap_err(),
        "Exit code 2\nhalf\nno rule"
    );
    assert_eq!(call(&session, "false", ran(1, "", "")).unwrap_err(), "Exit code 1");
}

#[test]
fn an_exit_code_that_only_answers_is_no_failure() {
    let session = Session::new("/work");
    let (text, structured) = call(&session, "cat a | grep x", ran(1, "", "")).unwrap();
    assert_eq!(text, "No matches found (exit code 1)");
    assert_eq!(structured["returnCodeInterpretation"], "No matches found");
    for line in [
        "rg x",
        "/usr/bin/egrep x",
        "git grep x",
        "find .",
        "diff a b",
        "git diff --exit-code",
        "test -f a",
        "[ -f a ]",
        "cd a && fgrep 'a;b' c",
    ] {
        assert!(meaning(line, 1).is_some(), "{line}");
        assert!(meaning(line, 2).is_none(), "{line}");
    }
    for line in ["ls", "grep x a; false", "git status", "echo grep", "grep 'x"] {
        assert!(meaning(line, 1).is_none(), "{line}");
    }
}

#[test]
fn a_line_is_taken_apart_at_what_is_not_quoted() {
    let parts = |line| {
        commands(line).map(|commands| commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>())
    };
    assert_eq!(
        parts("a 'b;c' && d \"e|f\" 2>&1 | g\\ h # i"),
        Some(vec!["a b;c".into(), "d e|f 2>&1".into(), "g h".into()])
    );
    assert_eq!(parts("a 'b"), None);
    assert_eq!(parts("a \\"), None);
}

#[test]
fn a_line_goes_on_unless_it_sleeps_holds_locks_or_cannot_be_read() {
    for line in ["make", "cd a && npm test", "echo git-like; make", "make; sleep 1"] {
        assert!(goes_on(line), "{line}");
    }
    for line in ["sleep 100", "sleep 1; make", "git pull", "cd a && /usr/bin/git gc", "make 'x", ""] {
        assert!(!goes_on(line), "{line}");
    }
}

#[test]
fn a_command_whose_time_is_up_goes_on_in_the_background_or_is_stopped() {
    let session = Session::new("/work");
    let late = || Ran { stdout: "working\n".into(), timed_out: true, ..Ran::default() };
    let (text, structured) = call(&session, "make", late()).unwrap();
    assert!(
        text.starts_with(
            "Command did not complete within its 120s timeout and was moved to the background with id bash_1."
        ),
        "{text}"
    );
    assert!(text.ends_with("So far:\nworking"), "{text}");
    assert_eq!(
        (&structured["backgroundTaskId"], &structured["timedOutAfterMs"]),
        (&json!("bash_1"), &json!(120_000))
    );

    let text = call(&session, "git pull", late()).unwrap_err();
    assert_eq!(text, "The command did not complete within its 120s timeout and was stopped\nworking");
}

#[test]
fn a_command_that_is_wanted_in_the_background_goes_on_there() {
    let session = Session::new("/work");
    let (text, structured) = call(&session, "git pull", Ran::default()).unwrap();
    assert!(text.starts_with("Command is running in the background with id bash_1."), "{text}");
    assert_eq!(structured["backgroundTaskId"], "bash_1");
    session.run(Ran::default());
    let outcome = testing::call::<Bash>(json!({"command": "npm start", "run_in_background": true})).unwrap();
    assert_eq!(testing::structured(&outcome)["backgroundTaskId"], "bash_1");
}

#[test]
fn long_output_loses_its_middle() {
    let session = Session::new("/work");
    let long = format!("begin\n{}end", "ä".repeat(40_000));
    let (text, structured) = call(&session, "cat a", ran(0, &long, "")).unwrap();
    assert!(text.starts_with("begin\n") && text.ends_with("end") && text.contains("characters left out"));
    assert!((30_000..30_100).contains(&text.chars().count()), "{}", text.chars().count());
    assert_eq!(structured["persistedOutputSize"], json!(long.len()));
    let text = call(&session, "cat a", ran(1, &long, "")).unwrap_err();
    assert!((10_000..10_200).contains(&text.chars().count()), "{}", text.chars().count());
    assert_eq!(cut("abcdef", 6, None), "abcdef");
    assert_eq!(cut("abcdef", 4, Some("/f")), "ab\n… [2 characters left out; all of it is in /f] …\nef");
}

#[test]
fn memory_is_bounded_whatever_a_command_writes() {
    let mut kept = Kept::default();
    for _ in 0..100 {
        kept.take(&[b'x'; 64 << 10]);
    }
    kept.take(b"end");
    assert_eq!(kept.total(), 100 * (64 << 10) + 3);
    let text = kept.text();
    assert!(text.len() < 300 << 10 && text.ends_with("end") && text.contains("bytes left out"));
}

#[test]
fn the_answers_name_the_command_and_promise_nothing() {
    let _session = Session::new("/work");
    let answers = testing::inspect::<Bash>(json!({"command": "rm -r a\nls", "description": "Removes a"}));
    assert_eq!(answers.subjects, [Subject::Command("rm -r a\nls".to_owned())]);
    assert_eq!((answers.read_only, answers.concurrency_safe), (None, None));
    assert_eq!(answers.title.as_deref(), Some("Running rm -r a"));
    assert_eq!(answers.classify.as_deref(), Some("Removes a"));
    for input in [
        json!({"command": " "}),
        json!({"command": "ls", "timeout": 600_001}),
        json!({"command": "ls", "timeout": 0}),
    ] {
        assert!(testing::inspect::<Bash>(input.clone()).rejection.is_some(), "{input}");
    }
    let long = json!({"command": "ls", "timeout": 7_200_000, "run_in_background": true});
    assert!(testing::inspect::<Bash>(long).rejection.is_none());
}

#[test]
fn the_descriptors_are_as_published() {
    let bash = testing::describe::<Bash>();
    assert_eq!(bash.needs, [Need::RunCommands]);
    let schema: Value = mortise_sdk::serde_json::from_str(&bash.input_schema).unwrap();
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["command", "timeout", "description", "run_in_background", "dangerouslyDisableSandbox"]
    );
    let stop = testing::describe::<TaskStop>();
    assert!(stop.needs.is_empty());
    assert_eq!(stop.aliases, ["KillShell", "KillBash"]);
}

#[test]
fn a_command_left_running_is_stopped_by_its_id() {
    let _session = Session::new("/work");
    let stopped = testing::call::<TaskStop>(json!({"task_id": "bash_1"})).unwrap();
    assert_eq!(testing::structured(&stopped)["command"], "sleep 1000");
    assert!(testing::call::<TaskStop>(json!({"shell_id": "bash_1"})).is_ok());
    assert!(matches!(testing::call::<TaskStop>(json!({"task_id": "bash_2"})), Err(Failure::Rejected(_))));
    assert!(testing::inspect::<TaskStop>(json!({})).rejection.is_some());
}
