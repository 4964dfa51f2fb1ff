//! What it helps a guest to lie: nothing. A declaration is enforced, nonsense is listed with its reason, and a
//! crash is the end of one call.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mortise::config::RuleEffect;
use mortise::contract::{Invocation, Outcome, View};
use mortise::execution::Ending;
use mortise::host::Host;
use mortise::permission::{Answer, Authorizer, Question};
use mortise::registry::State;
use serde_json::{Value, json};

use crate::support::{Site, broken, call, describing, replaced, state_of, still_serves, text_of};

#[tokio::test]
async fn call_that_says_it_only_reads_has_nothing_to_write_with() {
    let mut site = Site::with(&["reach"]);
    site.rule(RuleEffect::Allow, "Edit(**)");
    let file = site.put("ws/a.txt", "kept");
    let host = site.host().await;
    for op in ["write", "append", "truncate", "resize", "remove", "replace"] {
        let input = json!({"op": op, "path": file, "writes": [site.path("ws")], "read_only": true});
        let lied = call(&host, "reach", input).await;
        assert_eq!(lied.ending, Ending::Failed, "{op}: {lied:#?}");
        assert_eq!(site.text("ws/a.txt"), "kept", "{op}");
    }
    let input = json!({"op": "write", "path": file, "writes": [site.path("ws")]});
    assert_eq!(call(&host, "reach", input).await.ending, Ending::Done, "who says so may");
    assert_eq!(site.text("ws/a.txt"), "pwned");
    still_serves(&host).await;
}

#[tokio::test]
async fn request_that_says_it_only_reads_sends_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let origin = listener.local_addr().unwrap().to_string();
    let mut site = Site::with(&["dial"]);
    site.config.permission.private_origins = vec![origin.clone()];
    site.rule(RuleEffect::Allow, "dial");
    let host = site.host().await;
    let url = format!("http://{origin}/");
    for how in ["fetch", "wasi-http"] {
        let input = json!({"how": how, "to": url, "claims": [url], "method": "POST", "read_only": true});
        let lied = call(&host, "dial", input).await;
        assert_eq!(lied.ending, Ending::Failed, "{how}: {lied:#?}");
        assert!(lied.notes.iter().any(|note| note.contains("only GET and HEAD")), "{how}: {lied:#?}");
        assert!(listener.accept().is_err(), "nothing was sent");
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn call_that_names_nothing_reaches_nothing() {
    let mut site = Site::with(&["reach"]);
    site.rule(RuleEffect::Allow, "reach");
    let file = site.put("ws/a.txt", "kept");
    let host = site.host().await;
    for op in ["read", "write", "list", "remove"] {
        let silent = call(&host, "reach", json!({"op": op, "path": file})).await;
        assert_eq!(silent.ending, Ending::Failed, "{op}: {silent:#?}");
    }
    assert_eq!(site.text("ws/a.txt"), "kept");
    let named = call(&host, "reach", json!({"op": "read", "path": file, "reads": [site.path("ws")]})).await;
    assert_eq!((named.ending, text_of(&named).as_str()), (Ending::Done, "kept"), "{named:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn nothing_that_powerless_answers_could_depend_on_ever_changes() {
    let mut site = Site::with(&["moody"]);
    // Asked anew each time.
    site.config.registry.cache = None;
    let (first, second) = (site.host().await, site.host().await);
    let title = |host: &Host| host.pool().find("moody").unwrap().descriptor.title.clone();
    assert_eq!(title(&first), title(&second));
    let mut moods = Vec::new();
    for host in [&first, &first, &second] {
        let asked = call(host, "moody", json!({"ask": "mood"})).await;
        assert_eq!(asked.ending, Ending::Invalid, "{asked:#?}");
        moods.push(text_of(&asked));
    }
    assert!(moods[0] == moods[1] && moods[1] == moods[2], "{moods:#?}");
    still_serves(&first).await;
}

#[tokio::test]
async fn other_answers_the_second_time_are_decided_anew() {
    let site = Site::with(&["moody"]);
    let inside = site.put("ws/a.txt", "inside");
    let outside = site.put("out/b.txt", "outside");
    let host = site.host().await;
    let first = call(&host, "moody", json!({"ask": inside, "first": inside, "then": outside})).await;
    assert_eq!((first.ending, text_of(&first).as_str()), (Ending::Done, "inside"), "{first:#?}");
    let second = call(&host, "moody", json!({"ask": outside, "first": inside, "then": outside})).await;
    assert_eq!(second.ending, Ending::Denied, "{second:#?}");
    assert!(second.notes.iter().any(|note| note.contains(&outside)), "{second:#?}");
    // What was claimed is all there is, whatever was claimed before.
    let third = call(&host, "moody", json!({"ask": outside, "first": outside, "then": inside})).await;
    assert_eq!(third.ending, Ending::Failed, "{third:#?}");
    still_serves(&host).await;
}

/// Says yes once, and keeps what it was shown.
#[derive(Default)]
struct Yes {
    shown: Mutex<Vec<Question>>,
}

#[async_trait]
impl Authorizer for Yes {
    async fn authorize(&self, question: &Question) -> Answer {
        self.shown.lock().unwrap().push(question.clone());
        Answer::Once
    }
}

#[tokio::test]
async fn yes_to_one_input_is_no_yes_to_the_next() {
    let site = Site::with(&["reach"]);
    let file = site.put("out/a.txt", "outside");
    let yes = Arc::new(Yes::default());
    let host = Host::builder().config(site.config.clone()).authorizer(yes.clone()).build().await.unwrap();
    let input = json!({"op": "read", "path": file, "reads": [site.path("out")], "read_only": true});
    for asked in 1..=2 {
        assert_eq!(call(&host, "reach", input.clone()).await.ending, Ending::Done);
        assert_eq!(yes.shown.lock().unwrap().len(), asked);
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn crash_ends_its_own_call_and_no_other() {
    let host = Site::with(&["traps"]).host().await;
    for how in ["panic", "overflow", "exit"] {
        let crashed = call(&host, "traps", json!({"at": "call", "how": how})).await;
        assert_eq!(crashed.ending, Ending::Broken, "{how}: {crashed:#?}");
        assert!(text_of(&crashed).contains("crashed in `call`"), "{how}: {crashed:#?}");
        let unharmed = call(&host, "traps", json!({"at": "nowhere", "how": how})).await;
        assert_eq!(unharmed.ending, Ending::Done, "{how}: {unharmed:#?}");
        still_serves(&host).await;
    }
}

#[tokio::test]
async fn crash_in_the_questionnaire_counts_as_unanswered() {
    let host = Site::with(&["traps"]).host().await;
    for how in ["panic", "overflow", "exit"] {
        let crashed = call(&host, "traps", json!({"at": "inspect", "how": how})).await;
        assert!(crashed.notes.iter().any(|note| note.contains("was not answered")), "{how}: {crashed:#?}");
        // It needs nothing, so it can do nothing, and may.
        assert_eq!(crashed.ending, Ending::Done, "{how}: {crashed:#?}");
        still_serves(&host).await;
    }
}

#[tokio::test]
async fn crash_in_words_for_people_leaves_the_plain_ones() {
    let site = Site::with(&["traps"]);
    let host = site.host().await;
    let view = |at: &str| {
        let input = json!({"at": at, "how": "panic"});
        View::Succeeded(Invocation { tool: "traps".into(), id: "toolu_1".into(), input }, Outcome::text("x"))
    };
    assert_eq!(host.render(&view("nowhere")).await.as_deref(), Some("**traps** came to 1 block"));
    assert_eq!(host.render(&view("render")).await, None);
    still_serves(&host).await;
}

#[tokio::test]
async fn crash_in_the_preview_leaves_a_question_without_one() {
    let site = Site::with(&["traps"]);
    let yes = Arc::new(Yes::default());
    let host = Host::builder().config(site.config.clone()).authorizer(yes.clone()).build().await.unwrap();
    for at in ["preview", "nowhere"] {
        let asked = call(&host, "traps_asked", json!({"at": at, "how": "panic"})).await;
        assert_eq!(asked.ending, Ending::Done, "{at}: {asked:#?}");
    }
    let shown: Vec<_> =
        yes.shown.lock().unwrap().iter().map(|question| question.preview.join("\n")).collect();
    assert!(shown[0].contains("no preview: the tool crashed in `preview`"), "{shown:#?}");
    assert_eq!(shown[1], "a preview");
    still_serves(&host).await;
}

#[tokio::test]
async fn imports_answer_a_questionnaire_with_what_is_missing() {
    let mut site = Site::with(&["curious"]);
    site.config.sandbox.storage = Some(site.top.join("storage"));
    site.rule(RuleEffect::Allow, "curious");
    let host = site.host().await;
    let told = call(&host, "curious", json!({})).await;
    assert_eq!(told.ending, Ending::Invalid, "{told:#?}");
    let text = text_of(&told);
    for what in ["storage: `storage`", "files: `files.replace`", "http: `http.fetch`"] {
        let line = format!("{what} answers only in `call`, and this is `inspect`");
        assert!(text.contains(&line), "no `{line}` in {text}");
    }
    assert!(!text.contains("it worked"), "{text}");
    assert!(!Path::new(&site.path("ws/curious.txt")).exists());
    assert!(!site.top.join("storage").exists());
    still_serves(&host).await;
}

/// A host with one guest that describes itself so, and its state.
async fn described(mode: &str) -> (Host, Vec<(String, State)>) {
    let site = Site::with(&[]);
    site.plugin("nonsense", &describing(mode));
    let host = site.host().await;
    let pool = host.pool();
    let entries = pool.entries().iter().filter(|entry| entry.source.ends_with("nonsense.wasm"));
    let states = entries.map(|entry| (entry.name.clone(), entry.state.clone())).collect();
    (host, states)
}

#[tokio::test]
async fn nonsense_is_listed_as_broken_with_its_reason_and_breaks_nobody_else() {
    for (mode, reason) in [
        ("no-name", "a tool's name has the form"),
        ("control-name", "a tool's name has the form"),
        ("long-name", "a tool's name has the form"),
        ("mcp", "kept for tools of MCP servers"),
        ("no-description", "has no description"),
        ("10-mib", "too much data"),
        ("1-mib", "1048576 characters, and 16384 is the most"),
        ("not-json", "input schema is not valid JSON"),
        ("not-schema", "schema"),
        ("not-object", "schema"),
        ("deep-schema", "input schema is not valid JSON"),
        ("remote-schema", "schema"),
        ("bad-output", "schema"),
        ("unknown-need", "`telepathy`, which this host does not know"),
        ("none", "it describes no tool"),
        ("many", "300 tools, and 256 is the most"),
        ("million", "describe"),
        ("traps", "crashed in `describe`"),
        ("asks-session", "does not answer in `describe`"),
    ] {
        let (host, states) = described(mode).await;
        let [(name, State::Broken(why))] = states.as_slice() else { panic!("{mode}: {states:#?}") };
        assert!(why.contains(reason), "{mode}: {why}");
        assert!(why.len() < 4_000 && name.len() < 300, "{mode}: {} and {} bytes", why.len(), name.len());
        assert!(!why.contains(['\u{1b}', '\u{202e}']), "{mode}: {why:?}");
        assert!(!name.contains(['\u{1b}', '\u{202e}']), "{mode}: {name:?}");
        still_serves(&host).await;
    }
}

#[tokio::test]
async fn guest_that_is_told_to_be_sound_is_ready() {
    let (host, states) = described("sound").await;
    assert_eq!(states, [("describes".to_owned(), State::Ready)]);
    assert_eq!(call(&host, "describes", json!({})).await.ending, Ending::Done);
    still_serves(&host).await;
}

#[tokio::test]
async fn name_of_another_tool_is_not_taken_over() {
    for mode in ["shadow", "twin-by-case", "shadow-alias"] {
        // Its file sorts after that of the tool whose name it wants.
        let site = Site::with(&[]);
        site.plugin("zzz", &describing(mode));
        let host = site.host().await;
        let pool = host.pool();
        let thief = pool.entries().iter().find(|entry| entry.source.ends_with("zzz.wasm")).unwrap();
        let State::Broken(why) = &thief.state else { panic!("{mode}: {thief:#?}") };
        assert!(why.contains("is taken, or too like `word_count`"), "{mode}: {why}");
        still_serves(&host).await;
    }
}

#[tokio::test]
async fn of_two_tools_of_one_name_in_a_plugin_there_is_one() {
    let (host, states) = described("twins").await;
    let ready = states.iter().filter(|(_, state)| *state == State::Ready).count();
    let broken =
        states.iter().filter(|(_, state)| matches!(state, State::Broken(why) if why.contains("is taken")));
    assert_eq!((ready, broken.count()), (1, 1), "{states:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn control_characters_in_a_description_reach_no_terminal_raw() {
    let (host, states) = described("control-text").await;
    assert_eq!(states, [("describes".to_owned(), State::Ready)]);
    let pool = host.pool();
    let text = &pool.find("describes").unwrap().descriptor.description;
    let shown = mortise::surfaces::visible(text);
    assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn toolset_of_other_types_never_runs() {
    let site = Site::with(&["mistyped"]);
    // A toolset that lacks a function, as far as its names go.
    let lacking = replaced(&crate::support::guest("describes"), "render", "rander");
    site.plugin("lacking", &lacking);
    let host = site.host().await;
    for name in ["mistyped", "lacking"] {
        let why = broken(&host, name);
        assert!(why.contains("does not have the type that contract 0.1.0 gives it"), "{why}");
    }
    assert_eq!(state_of(&host, "word_count"), State::Ready);
    still_serves(&host).await;
}

#[tokio::test]
async fn changed_bytes_of_an_accepted_plugin_are_asked_for_again() {
    let mut site = Site::with(&[]);
    site.config.registry.folders[0].accepted = false;
    site.config.registry.state = Some(site.top.join("accepted.json"));
    let file = site.plugin("describes", &describing("sound"));
    let host = site.host().await;
    assert_eq!(state_of(&host, "describes"), State::New);
    assert_eq!(call(&host, "describes", json!({})).await.ending, Ending::Denied);
    host.accept("describes").await.unwrap();
    assert_eq!(call(&host, "describes", json!({})).await.ending, Ending::Done);

    std::fs::write(&file, describing("control-text")).unwrap();
    host.reload().await;
    let State::Changed(difference) = state_of(&host, "describes") else { panic!("{:#?}", host.pool()) };
    assert!(difference.contains("description changed"), "{difference}");
    assert_eq!(call(&host, "describes", Value::Object(Default::default())).await.ending, Ending::Denied);

    std::fs::write(&file, describing("sound")).unwrap();
    host.reload().await;
    assert_eq!(call(&host, "describes", json!({})).await.ending, Ending::Done, "the accepted bytes again");
}
