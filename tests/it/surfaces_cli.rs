//! The command line, as a shell sees it: what goes to which stream, what is an error, which exit code.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};

use mortise::sandbox::process::Support;
use rustix::fs::inotify;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::binary::{Machine, Ran};

const COMMANDS: [&str; 7] = ["run", "call", "list", "explain", "demo", "doctor", "trust"];

fn tool_use(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn first_text(block: &Value) -> &str {
    block["content"][0]["text"].as_str().unwrap_or_default()
}

/// Names of a table's rows, in order.
fn names(table: &str) -> Vec<&str> {
    let rows = table.lines().skip(1).filter(|line| !line.starts_with(' '));
    rows.filter_map(|row| row.split_whitespace().next()).collect()
}

#[track_caller]
fn is_plain(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{ran:#?}");
    }
}

// run

#[test]
fn each_form_of_a_turn_is_answered_by_one_message_with_its_results_in_order() {
    let machine = Machine::new();
    machine.write("project/notes.txt", "tenon\n");
    let blocks = [
        tool_use("toolu_b", "Read", json!({"file_path": "notes.txt"})),
        tool_use("toolu_a", "Grep", json!({"pattern": "tenon"})),
    ];
    let text = json!({"type": "text", "text": "I look."});
    let response = json!({"role": "assistant", "content": [text, blocks[0], blocks[1]]}).to_string();
    let array = json!(blocks).to_string();
    let lines = format!("{}\n{}\n", blocks[0], blocks[1]);
    for form in [response, array, lines] {
        let file = machine.write("turn.json", &form);
        let from_file = machine.run(&["run", file.to_str().unwrap()]);
        let from_stdin = machine.run_with(&["run"], &form);
        for ran in [&from_file, &from_stdin] {
            let message = ran.json();
            assert_eq!(message["role"], "user");
            let ids: Vec<_> =
                message["content"].as_array().unwrap().iter().map(|block| &block["tool_use_id"]).collect();
            assert_eq!(ids, ["toolu_b", "toolu_a"], "{message:#}");
            assert!(first_text(&message["content"][0]).contains("tenon"), "{message:#}");
            assert!(message["content"][0].get("is_error").is_none(), "{message:#}");
            assert!(first_text(&message["content"][1]).contains("notes.txt"), "{message:#}");
        }
        assert_eq!(from_file.out, from_stdin.out);
    }
}

#[test]
fn what_a_model_got_wrong_is_a_result_that_says_what_to_do() {
    let machine = Machine::new();
    machine.write("project/.env", "KEY=mortar\n");
    let turn = json!([
        tool_use("toolu_1", "Raed", json!({"file_path": "a"})),
        tool_use("toolu_2", "Read", json!({"path": "a"})),
        tool_use("toolu_3", "Read", json!({"file_path": ".env"})),
        tool_use("toolu_4", "Glob", json!({"pattern": "*"})),
    ]);
    let ran = machine.run_with(&["run", "--deny", "Read(.env)"], &turn.to_string());
    let message = ran.json();
    let results = message["content"].as_array().unwrap();
    let failed: Vec<_> = results.iter().map(|block| block["is_error"] == true).collect();
    assert_eq!(failed, [true, true, true, false], "{message:#}");
    let [unknown, bad, denied] = [0, 1, 2].map(|at| first_text(&results[at]));
    assert!(unknown.starts_with("<tool_use_error>") && unknown.contains("`Read`"), "{unknown}");
    assert!(bad.starts_with("<tool_use_error>") && bad.contains("file_path"), "{bad}");
    assert!(denied.contains("denied") && denied.contains("Read(.env)"), "{denied}");
    assert!(!ran.out.contains("mortar"), "{}", ran.out);
}

#[test]
fn what_is_no_turn_is_wrong_usage() {
    let machine = Machine::new();
    for (input, says) in [
        ("", "the turn is empty"),
        ("event: message_start\n", "server-sent events"),
        ("[1", "line 1"),
        (r#"{"role":"assistant","content":"Done."}"#, "no `tool_use` block"),
    ] {
        let ran = machine.run_with(&["run"], input).exits(2);
        assert!(ran.err.contains(says) && ran.out.is_empty(), "{ran:#?}");
    }
    let ran = machine.run(&["run", "absent.json"]).exits(2);
    assert!(ran.err.contains("absent.json"), "{ran:#?}");
}

// call

#[test]
fn an_input_comes_from_the_line_a_file_or_standard_input() {
    let machine = Machine::new();
    machine.write("project/notes.txt", "tenon\n");
    let input = json!({"file_path": "notes.txt"}).to_string();
    machine.write("project/input.json", &input);
    let given = machine.run(&["call", "Read", &input]).exits(0);
    assert!(given.out.contains("tenon"), "{given:#?}");
    for other in
        [machine.run(&["call", "Read", "@input.json"]), machine.run_with(&["call", "Read", "-"], &input)]
    {
        assert_eq!((other.code, &other.out), (Some(0), &given.out));
    }
    for absent in ["@absent.json", "{file_path: 1}", ""] {
        let ran = machine.run(&["call", "Read", absent]).exits(2);
        assert!(ran.out.is_empty() && ran.err.starts_with("error: "), "{ran:#?}");
    }
}

#[test]
fn a_call_as_json_is_the_whole_tool_result() {
    let machine = Machine::new();
    machine.write("project/notes.txt", "tenon\n");
    let result = machine.run(&["call", "Read", r#"{"file_path":"notes.txt"}"#, "--json"]).json();
    assert_eq!(result["type"], "tool_result");
    assert!(first_text(&result).contains("tenon"), "{result:#}");
    let denied = machine.run(&["call", "Read", r#"{"file_path":"/etc/passwd"}"#, "--json"]).exits(3);
    let denied: Value = serde_json::from_str(&denied.out).unwrap();
    assert_eq!(denied["is_error"], true);
}

#[test]
fn the_exit_code_says_how_a_call_ended() {
    let machine = Machine::new();
    machine.write("project/notes.txt", "tenon\n");
    machine.write("plugins/broken.wasm", "not a component");
    let plugins = machine.path("plugins");
    let plugins = plugins.to_str().unwrap();
    for (tool, input, code, says) in [
        ("Read", r#"{"file_path":"notes.txt"}"#, 0, ""),
        ("Read", r#"{"file_path":"absent.txt"}"#, 1, "absent.txt"),
        ("Read", r#"{"path":"notes.txt"}"#, 2, "file_path"),
        ("Reed", "{}", 2, "`Read`"),
        ("Read", r#"{"file_path":"/etc/passwd"}"#, 3, "Read(//etc/passwd)"),
        ("Write", r#"{"file_path":"new.txt","content":"t"}"#, 3, "Edit("),
        ("broken", "{}", 4, "broken"),
    ] {
        let ran = machine.run(&["call", tool, input, "--plugins", plugins]).exits(code);
        assert_eq!(
            ran.out.is_empty(),
            code != 0,
            "data goes to standard output, the rest does not: {ran:#?}"
        );
        assert!(ran.err.contains(says), "{ran:#?}");
        assert!(!ran.err.contains("tool_use_error"), "a person is spared the marks for the model: {ran:#?}");
    }
}

#[test]
fn what_went_wrong_is_said_once() {
    let machine = Machine::new();
    for file in ["/etc/passwd", "absent.txt"] {
        let input = json!({ "file_path": file }).to_string();
        let ran = machine.run(&["call", "Read", &input]);
        assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    }
}

#[test]
fn a_broken_plugin_under_a_tools_name_changes_nothing_for_the_tool() {
    let machine = Machine::new();
    machine.write("project/notes.txt", "tenon\n");
    machine.write("plugins/Read.wasm", "not a component");
    let plugins = machine.path("plugins");
    let args = ["call", "Read", r#"{"file_path":"notes.txt"}"#, "--plugins", plugins.to_str().unwrap()];
    assert!(machine.run(&args).exits(0).out.contains("tenon"));
}

/// Starts a call that never returns, and answers once it is under way.
fn spinning(machine: &Machine, args: &[&str], input: Option<&str>) -> Child {
    machine.plugin("spin", "plugins/spin.wasm");
    let plugins = machine.path("plugins");
    let mut command = machine.command(args);
    command.args(["-vv", "--plugins", plugins.to_str().unwrap()]);
    if let Some(input) = input {
        let file = machine.write("turn.json", input);
        command.stdin(std::fs::File::open(file).unwrap());
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"permit\"") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "it ended before the call");
    }
    std::thread::spawn(move || log.read_to_end(&mut Vec::new()));
    child
}

fn interrupted(child: Child) -> Ran {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn an_interrupted_call_ends_at_once_with_130() {
    let machine = Machine::new();
    let child = spinning(&machine, &["call", "spin", r#"{"at":"call"}"#], None);
    let ran = interrupted(child).exits(130);
    assert!(ran.out.is_empty(), "{ran:#?}");
}

#[test]
fn an_interrupted_turn_still_has_a_result_for_every_call() {
    let machine = Machine::new();
    let turn = json!([
        tool_use("toolu_1", "spin", json!({"at": "call"})),
        tool_use("toolu_2", "Glob", json!({"pattern": "*"})),
    ]);
    let child = spinning(&machine, &["run"], Some(&turn.to_string()));
    let ran = interrupted(child).exits(130);
    let message: Value = serde_json::from_str(&ran.out).unwrap();
    let ids: Vec<_> =
        message["content"].as_array().unwrap().iter().map(|block| &block["tool_use_id"]).collect();
    assert_eq!(ids, ["toolu_1", "toolu_2"]);
    assert!(
        message["content"].as_array().unwrap().iter().all(|block| block["is_error"] == true),
        "{message:#}"
    );
}

// list

#[test]
fn the_list_is_embedded_tools_first_then_the_others_by_name() {
    let machine = Machine::new();
    machine.plugin("word_count", "plugins/a.wasm");
    machine.plugin("registry_first", "plugins/z.wasm");
    machine.write("plugins/m.wasm", "not a component");
    let plugins = machine.path("plugins");
    let plugins = plugins.to_str().unwrap();
    let table = machine.run(&["list", "--plugins", plugins]).exits(0);
    let order = [
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "Read",
        "TaskStop",
        "Write",
        "m",
        "registry_changing",
        "registry_companion",
        "word_count",
    ];
    assert_eq!(names(&table.out), order, "{table:#?}");
    assert!(table.out.contains(plugins) && table.out.contains("embedded:read"), "{table:#?}");
    let definitions = machine.run(&["list", "--json", "--plugins", plugins]);
    let shown = definitions.json();
    let callable: Vec<_> =
        shown.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(callable, order.into_iter().filter(|name| *name != "m").collect::<Vec<_>>());
    assert!(shown.as_array().unwrap().iter().all(|tool| tool["input_schema"]["type"] == "object"));
}

#[test]
fn the_same_tools_are_listed_in_the_same_bytes() {
    let (one, other) = (Machine::new(), Machine::new());
    for (machine, names) in [(&one, ["a", "b"]), (&other, ["z", "c"])] {
        machine.plugin("word_count", &format!("plugins/{}.wasm", names[0]));
        machine.plugin("registry_first", &format!("plugins/{}.wasm", names[1]));
    }
    let list = |machine: &Machine| {
        let plugins = machine.path("plugins");
        machine.run(&["list", "--json", "--plugins", plugins.to_str().unwrap()]).exits(0).out
    };
    let first = list(&one);
    assert!(first.contains("word_count"));
    assert_eq!(first, list(&one), "twice");
    assert_eq!(first, list(&other), "under other file names, made in another order");
}

#[test]
fn without_the_core_tools_only_the_named_folder_is_left() {
    let machine = Machine::new();
    machine.plugin("word_count", "plugins/words.wasm");
    let plugins = machine.path("plugins");
    let plugins = plugins.to_str().unwrap();
    assert_eq!(
        names(&machine.run(&["list", "--no-embedded", "--plugins", plugins]).exits(0).out),
        ["word_count"]
    );
    let empty = machine.run(&["list", "--no-embedded"]).exits(0);
    assert!(empty.out.contains("--plugins DIR"), "{empty:#?}");
    assert_eq!(machine.run(&["list", "--no-embedded", "--json"]).json(), json!([]));
}

#[test]
fn a_dropped_in_plugin_is_listed_and_runs_beside_a_broken_one() {
    let machine = Machine::new();
    machine.plugin("word_count", "plugins/words.wasm");
    machine.write("plugins/broken.wasm", "\0asm, or so it says");
    let plugins = machine.path("plugins");
    let plugins = plugins.to_str().unwrap();
    let table = machine.run(&["list", "--plugins", plugins]).exits(0);
    let row = |name: &str| table.out.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(row("word_count").contains("ready"), "{table:#?}");
    assert!(row("broken").contains("broken"), "{table:#?}");
    let called = machine.run(&["call", "word_count", r#"{"text":"one two three"}"#, "--plugins", plugins]);
    assert_eq!(called.exits(0).out, "3\n");
    machine.run(&["call", "broken", "{}", "--plugins", plugins]).exits(4);
}

// explain

/// Whether a file is opened while `work` runs.
fn is_opened(file: &std::path::Path, work: impl FnOnce()) -> bool {
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, file, inotify::WatchFlags::OPEN | inotify::WatchFlags::ACCESS).unwrap();
    work();
    let mut buffer = [std::mem::MaybeUninit::uninit(); 1024];
    let mut events = inotify::Reader::new(watch, &mut buffer);
    events.next().is_ok()
}

#[test]
fn explaining_a_read_reads_nothing() {
    let machine = Machine::new();
    let secret = machine.write("elsewhere/secret.txt", "mortar\n");
    let input = json!({"file_path": secret}).to_string();
    let rule = format!("Read(/{})", secret.display());
    let explained = is_opened(&secret, || {
        let explanation = machine.run(&["explain", "Read", &input, "--allow", &rule, "--json"]).json();
        assert_eq!(explanation["decision"], "allow", "{explanation:#}");
    });
    assert!(!explained, "explaining opened the file");
    let called = is_opened(&secret, || {
        assert!(machine.run(&["call", "Read", &input, "--allow", &rule]).exits(0).out.contains("mortar"));
    });
    assert!(called, "a call that reads the file is noticed");
}

#[test]
fn an_explanation_has_exactly_these_fields() {
    let machine = Machine::new();
    let ran = machine.run(&["explain", "Read", r#"{"file_path":"/etc/passwd"}"#, "--json"]);
    let explanation = ran.json();
    let fields: Vec<_> = explanation.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["tool", "steps", "subjects", "decision", "rule", "reason", "grant"]);
    assert_eq!((&explanation["tool"], &explanation["decision"]), (&json!("Read"), &json!("ask")));
    assert_eq!(explanation["rule"], Value::Null);
    for step in explanation["steps"].as_array().unwrap() {
        let fields: Vec<_> = step.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["step", "outcome", "detail"]);
    }
    let mut path: Vec<_> =
        explanation["steps"].as_array().unwrap().iter().map(|step| step["step"].as_str().unwrap()).collect();
    path.dedup();
    let steps = [
        "resolve",
        "validate",
        "inspect",
        "speculate",
        "strip",
        "observe",
        "before-hooks",
        "permit",
        "call",
        "after-hooks",
    ];
    assert_eq!(path, steps);
    assert!(ran.err.is_empty(), "{ran:#?}");
}

#[test]
fn the_rule_that_decides_is_named_with_where_it_was_written() {
    let machine = Machine::new();
    let input = r#"{"file_path":"/etc/passwd"}"#;
    let deny = machine.run(&["explain", "Read", input, "--json", "--deny", "Read(//etc/**)"]).json();
    assert_eq!(deny["decision"], "deny");
    assert_eq!(deny["rule"], json!({"text": "Read(//etc/**)", "source": "command line", "line": null}));
    assert_eq!(deny["grant"]["files"], json!([]), "{deny:#}");

    let config = machine
        .write("own/mortise.toml", "[permissions]\nallow = [\"Read\"]\ndeny = [\n  \"Read(//etc/**)\",\n]\n");
    let config = config.to_str().unwrap();
    let deny = machine.run(&["explain", "Read", input, "--json", "--config", config]).json();
    assert_eq!(deny["rule"], json!({"text": "Read(//etc/**)", "source": config, "line": 4}));
    let shown = machine.run(&["explain", "Read", input, "--config", config]).exits(0);
    assert!(shown.out.contains(&format!("`Read(//etc/**)` ({config}:4)")), "{shown:#?}");

    let ask = machine
        .run(&["explain", "Read", input, "--json", "--ask", "Read(//etc/**)", "--allow", "Read"])
        .json();
    assert_eq!((&ask["decision"], &ask["rule"]["text"]), (&json!("ask"), &json!("Read(//etc/**)")));
    let allow = machine.run(&["explain", "Read", input, "--json", "--allow", "Read(//etc/passwd)"]).json();
    assert_eq!((&allow["decision"], &allow["rule"]["text"]), (&json!("allow"), &json!("Read(//etc/passwd)")));
}

#[test]
fn a_call_that_fails_early_is_explained_to_the_end() {
    let machine = Machine::new();
    for (tool, input, says) in [("Read", r#"{"path":"a"}"#, "file_path"), ("Reed", "{}", "Read")] {
        let explanation = machine.run(&["explain", tool, input, "--json"]).json();
        assert_eq!(explanation["decision"], "deny");
        assert!(explanation["reason"].as_str().unwrap().contains(says), "{explanation:#}");
        let last = explanation["steps"].as_array().unwrap().last().unwrap();
        assert_eq!(last["step"], "after-hooks");
    }
}

// demo and doctor

#[test]
fn the_demonstration_runs_its_turn_and_leaves_no_trace() {
    let machine = Machine::new();
    let ran = machine.run(&["demo"]).exits(0);
    let at = |text: &str| ran.out.find(text).unwrap_or_else(|| panic!("no `{text}` in {ran:#?}"));
    let order = [at("1  Grep"), at("2  Read"), at("3  Edit"), at("4  Read"), at("5  Read")];
    assert!(order.is_sorted(), "{ran:#?}");
    assert!(ran.out.contains("✓ The file on disk was edited"), "{ran:#?}");
    assert!(!ran.out.contains('✗') && !ran.out.contains("not-a-real-key"), "{ran:#?}");
    let left = |folder: &str| std::fs::read_dir(machine.path(folder)).unwrap().count();
    assert_eq!((left("tmp"), left("project")), (0, 0));
}

#[test]
fn the_demonstration_is_not_swayed_by_the_users_own_configuration() {
    let machine = Machine::new();
    machine.write("home/config/mortise/mortise.toml", "[permissions]\nmode = \"plan\"\n");
    machine.write("project/mortise.toml", "not TOML");
    machine.run(&["demo"]).exits(0);
}

#[test]
fn a_kept_demonstration_can_be_looked_at() {
    let machine = Machine::new();
    let ran = machine.run(&["demo", "--keep"]).exits(0);
    let kept: Vec<_> =
        std::fs::read_dir(machine.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{ran:#?}");
    assert!(ran.out.contains(kept[0].to_str().unwrap()));
    assert!(std::fs::read_to_string(kept[0].join("src/basket.rs")).unwrap().contains("prices.iter().sum()"));
}

#[test]
fn the_doctor_tells_what_is_needed_from_what_is_only_for_building() {
    let machine = Machine::new();
    let ran = machine.run(&["doctor"]).exits(0);
    assert!(ran.out.contains("✓ kernel"), "{ran:#?}");
    let commands = if Support::of_this_kernel().confines() { "✓ commands" } else { "! commands" };
    assert!(ran.out.contains(commands) && ran.out.contains("Landlock"), "{ran:#?}");
    assert!(ran.out.contains("! wasm target") && ran.out.contains("https://rustup.rs"), "{ran:#?}");

    machine.write("home/config/mortise/mortise.toml", "[process]\nunconfined = true\n");
    let ran = machine.run(&["doctor"]).exits(0);
    assert!(ran.out.contains("! commands") && ran.out.contains("unconfined"), "{ran:#?}");

    machine.write("project/mortise.toml", "[permission]\n");
    let ran = machine.run(&["doctor"]).exits(2);
    assert!(ran.out.contains("✗ configuration") && ran.out.contains("mortise.toml:1"), "{ran:#?}");
}

#[test]
fn the_doctor_gets_the_target_only_when_told_to() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = Machine::new();
    let script = "#!/bin/sh\nhere=${0%/*}\nif [ \"$2\" = add ]; then echo \"$3\" >> \"$here/added\"; exit 0; fi\n\
                  while read -r line; do echo \"$line\"; done < \"$here/added\"\n";
    let rustup = machine.write("bin/rustup", script);
    std::fs::set_permissions(rustup, std::fs::Permissions::from_mode(0o755)).unwrap();
    let added = machine.write("bin/added", "");
    let ran = machine.run(&["doctor"]).exits(0);
    assert!(ran.out.contains("mortise doctor --fix"), "{ran:#?}");
    assert_eq!(std::fs::read_to_string(&added).unwrap(), "");
    machine.run(&["doctor", "--fix"]).exits(0);
    assert_eq!(std::fs::read_to_string(&added).unwrap(), "wasm32-wasip2\n");
    let ran = machine.run(&["doctor"]).exits(0);
    assert!(ran.out.contains("✓ wasm target"), "{ran:#?}");
}

// usage, configuration, streams

#[test]
fn help_of_every_command_has_an_example() {
    let machine = Machine::new();
    for command in COMMANDS {
        let ran = machine.run(&[command, "--help"]).exits(0);
        assert!(ran.out.contains(&format!("Example:\n  mortise {command}")), "{ran:#?}");
        assert!(ran.err.is_empty(), "{ran:#?}");
    }
    let ran = machine.run(&["trust", "plugin", "--help"]).exits(0);
    assert!(ran.out.contains("Example:\n  mortise trust plugin"), "{ran:#?}");
    let ran = machine.run(&["--help"]).exits(0);
    for command in COMMANDS {
        assert!(ran.out.contains(&format!("\n  {command} ")), "{ran:#?}");
    }
}

#[test]
fn an_option_that_does_not_exist_is_wrong_usage() {
    let machine = Machine::new();
    for args in [&["list", "--jsn"][..], &["lst"], &[], &["call", "Read"], &["list", "--mode", "defualt"]] {
        let ran = machine.run(args).exits(2);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{ran:#?}");
    }
    assert!(machine.run(&["list", "--jsn"]).err.contains("--json"));
    assert!(machine.run(&["list", "--mode", "defualt"]).err.contains("`default`"));
    let absent = machine.run(&["list", "--cwd", "absent"]).exits(2);
    assert!(absent.err.contains("absent"), "{absent:#?}");
}

#[test]
fn a_broken_configuration_is_refused_with_its_line_and_the_nearest_spelling() {
    let machine = Machine::new();
    for (text, line, says) in [
        ("[permissions]\n\nalow = []\n", 3, "`allow`"),
        ("[permisions]\n", 1, "`permissions`"),
        ("[permissions]\nallow = \"Read\"\n", 2, "array of strings"),
        ("[permissions]\nmode = \"aceptEdits\"\n", 2, "`acceptEdits`"),
        ("[permissions\n", 1, ""),
        ("[permissions]\ndeny = [\"Read(src/**\"]\n", 2, "Read(src/**"),
    ] {
        let file = machine.write("project/mortise.toml", text);
        let ran = machine.run(&["list"]).exits(2);
        assert!(
            ran.err.contains(&format!("{}:{line}", file.display())) && ran.err.contains(says),
            "{text}: {ran:#?}"
        );
        assert!(ran.out.is_empty(), "{ran:#?}");
    }
    let named = machine.run(&["list", "--config", "absent.toml"]).exits(2);
    assert!(named.err.contains("absent.toml"), "{named:#?}");
}

#[test]
fn a_warning_is_no_data() {
    let machine = Machine::new();
    machine.write("project/mortise.toml", "[servers.x]\ncommand = [\"x\"]\n");
    let ran = machine.run(&["list", "--json"]);
    assert!(ran.json().is_array());
    assert!(ran.err.contains("warning: ") && ran.err.contains("mortise.toml:1"), "{ran:#?}");
}

#[test]
fn a_guest_that_writes_to_its_standard_output_is_not_heard_on_ours() {
    let machine = Machine::new();
    machine.plugin("registry_noisy", "plugins/noisy.wasm");
    let plugins = machine.path("plugins");
    let args = ["call", "registry_noisy", "{}", "-v", "--plugins", plugins.to_str().unwrap()];
    let ran = machine.run(&args).exits(0);
    assert_eq!(ran.out, "quiet\n");
    assert!(ran.err.contains("jsonrpc"), "it is in the log: {ran:#?}");
}

#[test]
fn no_colour_goes_into_a_pipe() {
    let machine = Machine::new();
    for args in
        [&["list"][..], &["explain", "Read", r#"{"file_path":"/etc/passwd"}"#], &["doctor"], &["demo"]]
    {
        is_plain(&machine.run(args).exits(0));
    }
    is_plain(&machine.run(&["call", "Raed", "{}"]).exits(2));
}

#[test]
fn no_colour_is_no_colour_and_a_forced_one_is_one() {
    let machine = Machine::new();
    let with = |name: &str| Ran::from(machine.command(&["list"]).env(name, "1").output().unwrap()).exits(0);
    is_plain(&with("NO_COLOR"));
    assert!(with("CLICOLOR_FORCE").out.contains("\u{1b}["));
}

#[test]
fn what_others_wrote_is_shown_and_not_obeyed() {
    let machine = Machine::new();
    machine.plugin("registry_foreign", "plugins/foreign.wasm");
    let plugins = machine.path("plugins");
    let plugins = plugins.to_str().unwrap();
    let ran = machine.run(&["list", "--plugins", plugins]).exits(0);
    assert!(ran.out.contains(r"\u{1b}[8m"), "{ran:#?}");
    is_plain(&ran);
    is_plain(&machine.run(&["explain", "registry_foreign", "{}", "--plugins", plugins]).exits(0));
    machine.write("project/mortise.toml", "\"\\u001b]0;owned\\u0007\" = 1\n");
    let refused = machine.run(&["list"]).exits(2);
    assert!(refused.err.contains(r"\u{1b}]0;owned\u{7}"), "{refused:#?}");
    is_plain(&refused);
}

#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let machine = Machine::new();
    for args in [&["list"][..], &["list", "--json"], &["demo"], &["explain", "Read", "{}"], &["--help"]] {
        let mut command = machine.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert!(ran.code == Some(0) && ran.err.is_empty(), "{args:?}: {ran:#?}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_how_a_call_ended() {
    let machine = Machine::new();
    // With a warning in the log, which has nowhere to go.
    machine.write("home/state/mortise/plugins.json", "not JSON");
    for (input, code) in [(r#"{"file_path":"/etc/passwd"}"#, 3), (r#"{"file_path":"absent"}"#, 1)] {
        let mut command = machine.command(&["call", "Read", input]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}

// Options

#[test]
fn a_named_settings_file_counts_and_a_broken_one_is_refused() {
    let machine = Machine::new();
    machine.write("project/notes.txt", "tenon\n");
    let settings = machine.write("settings.json", r#"{"permissions": {"deny": ["Read(notes.txt)"]}}"#);
    let args = ["call", "Read", r#"{"file_path":"notes.txt"}"#, "--settings", settings.to_str().unwrap()];
    let denied = machine.run(&args).exits(3);
    assert!(denied.err.contains("settings.json"), "{denied:#?}");
    machine.write("settings.json", r#"{"permissions": "#);
    let refused = machine.run(&args).exits(2);
    assert!(refused.err.contains("settings.json:1") && refused.out.is_empty(), "{refused:#?}");
    machine.write("settings.json", "{}");
    machine.run(&args).exits(0);
}

#[test]
fn the_working_directory_can_be_another_one() {
    let machine = Machine::new();
    machine.write("other/notes.txt", "tenon\n");
    let input = r#"{"file_path":"notes.txt"}"#;
    machine.run(&["call", "Read", input]).exits(1);
    assert!(machine.run(&["call", "Read", input, "--cwd", "../other"]).exits(0).out.contains("tenon"));
    let outside = json!({"file_path": machine.path("other/notes.txt")}).to_string();
    machine.run(&["call", "Read", &outside]).exits(3);
}

#[test]
fn no_call_writes_what_belongs_to_the_host() {
    let machine = Machine::new();
    let config = machine.write("own/named.toml", "");
    machine.plugin("word_count", "plugins/words.wasm");
    let plugins = machine.path("plugins");
    let named = ["--config", config.to_str().unwrap(), "--plugins", plugins.to_str().unwrap()];
    std::os::unix::fs::symlink(&plugins, machine.path("project/link")).unwrap();
    for own in [
        "own/named.toml",
        "plugins/new.txt",
        "project/link/new.txt",
        "project/mortise.toml",
        "project/mortise.local.toml",
        "project/mortise.lock",
        "home/config/mortise/mortise.toml",
        "home/state/mortise/plugins.json",
    ] {
        let input = json!({"file_path": machine.path(own), "content": "mine"}).to_string();
        let args = [&["call", "Write", &input, "--mode", "bypassPermissions"][..], &named].concat();
        let ran = machine.run(&args).exits(3);
        assert!(ran.err.contains("the host's own files"), "{own}: {ran:#?}");
        assert_ne!(std::fs::read_to_string(machine.path(own)).unwrap_or_default(), "mine");
    }
    let input = json!({"file_path": machine.path("own/other.toml"), "content": "mine"}).to_string();
    machine.run(&[&["call", "Write", &input, "--mode", "bypassPermissions"][..], &named].concat()).exits(0);
}

// A project that is found, not named

#[test]
fn a_found_project_counts_only_where_it_tightens_and_says_what_to_do() {
    let machine = Machine::new();
    let file = machine.write(
        "project/mortise.toml",
        "[permissions]\nallow = [\"Read(//etc/**)\"]\ndeny = [\"Read(.env)\"]\n\n[plugins]\nfolders = [\"plugins\"]\n",
    );
    machine.write("project/.env", "KEY=mortar\n");
    machine.plugin("word_count", "project/plugins/words.wasm");
    let hint = format!("--config {}", file.display());

    let inert = machine.run(&["call", "Read", r#"{"file_path":"/etc/passwd"}"#]).exits(3);
    assert!(inert.err.contains(&hint), "{inert:#?}");
    assert!(inert.err.contains("permissions.allow") && inert.err.contains("plugins.folders"), "{inert:#?}");
    let holds = machine.run(&["call", "Read", r#"{"file_path":".env"}"#]).exits(3);
    assert!(holds.err.contains("Read(.env)"), "{holds:#?}");
    assert!(!names(&machine.run(&["list"]).exits(0).out).contains(&"word_count"));

    let named = ["--config", file.to_str().unwrap()];
    let read = [&["call", "Read", r#"{"file_path":"/etc/passwd"}"#][..], &named].concat();
    assert!(machine.run(&read).exits(0).out.contains("root:"));
    let denied = [&["call", "Read", r#"{"file_path":".env"}"#][..], &named].concat();
    machine.run(&denied).exits(3);
    assert!(names(&machine.run(&[&["list"][..], &named].concat()).exits(0).out).contains(&"word_count"));
}
