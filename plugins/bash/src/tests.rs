//! What Bash and TaskStop say, with commands that go as the test says.

use mortise_sdk::serde_json::{Value, json};
use mortise_sdk::testing::{self, Ran, Session};
use mortise_sdk::{Failure, Need, Subject};

use super::line::{commands, goes_on, meaning};
use super::output::{Kept, cut};
use super::sed::Edit;
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
    assert_eq!(bash.needs, [Need::RunCommands, Need::WriteFiles]);
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

#[test]
fn the_one_form_of_sed_is_done_as_sed_does_it() {
    for (line, before, after) in [
        ("sed -i 's/one/two/' f", "one one\none\n", "two one\ntwo\n"),
        ("sed -i 's/one/two/g' f", "one one\none", "two two\ntwo"),
        ("sed -i -e 's|a/b|c&d|g' f", "xa/by\r\n", "xca/bdy\r\n"),
        (r"sed -i 's/a\.b/\&\\/' f", "a.b axb\n", "&\\ axb\n"),
        (r"sed -i 's/a\/b/c\/d/' f", "a/b\n", "c/d\n"),
        ("sed -i 's/^/> /' f", "a\n\n", "> a\n> \n"),
        ("sed -i 's/$/;/' f", "a\nb", "a;\nb;"),
        ("sed -i 's/^a$/b/' f", "a\naa\n", "b\naa\n"),
        ("sed -i 's/aa/b/g' f", "aaaaa\n", "bba\n"),
        ("sed -i \"s/it's/it is/\" 'f'", "it's\n", "it is\n"),
        ("/bin/sed -i s/a/b/ f", "a\n", "b\n"),
        ("sed -i 's/a//g' f", "banana\n", "bnn\n"),
        ("sed -i 's/a/b/' f", "", ""),
    ] {
        let edit = Edit::parse(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(edit.file, "f", "{line}");
        assert_eq!(String::from_utf8(edit.apply(before.as_bytes())).unwrap(), after, "{line}");
        // The real one, where there is one.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), before).unwrap();
        let ran = std::process::Command::new("sh").args(["-c", line]).current_dir(folder.path()).status();
        if ran.is_ok_and(|status| status.success()) {
            assert_eq!(
                std::fs::read_to_string(folder.path().join("f")).unwrap(),
                after,
                "sed itself: {line}"
            );
        }
    }
}

#[test]
fn what_is_more_than_the_one_form_is_left_to_sed() {
    for line in [
        "sed 's/a/b/' f",
        "sed -i 's/a/b/' f g",
        "sed -i.bak 's/a/b/' f",
        "sed -i -n 's/a/b/p' f",
        "sed -E -i 's/a/b/' f",
        "sed -i 's/a.*/b/' f",
        "sed -i 's/[ab]/c/' f",
        r"sed -i 's/\(a\)/\1/' f",
        r"sed -i 's/a/\n/' f",
        r"sed -i 's/\t/ /' f",
        "sed -i 's/a/b/2' f",
        "sed -i 's/a/b/w out' f",
        "sed -i 's/a/b/e' f",
        "sed -i 's/a/b/;s/c/d/' f",
        "sed -i '2s/a/b/' f",
        "sed -i 's//b/' f",
        "sed -i 's.a.b.' f",
        "sed -i 's/a/b' f",
        "sed -i 's/a/b/' *.txt",
        "sed -i 's/a/b/' ~/f",
        "sed -i 's/a/b/' $f",
        "sed -i \"s/$a/b/\" f",
        "sed -i 's/a/b/' f > g",
        "sed -i 's/a/b/' f; rm g",
        "sed -i 's/a/b/' f &",
        "x=1 sed -i 's/a/b/' f",
        "sed -i 's/a/b/' --help",
        "sed -i 's/a/b/",
    ] {
        assert_eq!(Edit::parse(line), None, "{line}");
    }
}

#[test]
fn what_is_shown_first_is_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(folder.path());
    let file = folder.path().join("a.txt");
    let before: String = (1..=20).map(|number| format!("line {number}\n")).collect();
    std::fs::write(&file, &before).unwrap();
    let input = json!({"command": "sed -i 's/line 1/Zeile 1/' a.txt"});
    let shown = testing::text(&testing::preview::<Bash>(input.clone()).unwrap());
    assert!(shown.contains("-line 10\n+Zeile 10\n") && shown.contains(" line 2\n"), "{shown}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "nothing yet");
    let path = file.to_string_lossy().into_owned();
    let subjects = testing::inspect::<Bash>(input.clone()).subjects;
    assert_eq!(subjects[1], Subject::write_file(path), "{subjects:?}");
    // No command is run: the test has none.
    let outcome = testing::call::<Bash>(input).unwrap();
    assert_eq!(testing::text(&outcome.content), "a.txt was changed in 11 lines");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.replace("line 1", "Zeile 1"));

    assert!(testing::preview::<Bash>(json!({"command": "ls"})).unwrap().is_empty());
    let missing = testing::call::<Bash>(json!({"command": "sed -i 's/a/b/' none"})).unwrap_err();
    assert!(testing::message(&missing).starts_with("sed: none"), "{missing:?}");
    drop(session);
}
