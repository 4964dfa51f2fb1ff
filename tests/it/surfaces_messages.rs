//! Turns in, answers out; and foreign text made safe to look at.

use std::time::Duration;

use mortise::contract::{Blob, Content, Link};
use mortise::execution::{CallResult, Ending};
use mortise::registry::{Entry, State};
use mortise::surfaces::messages::{TurnError, answer, definition, read_turn, tool_result};
use mortise::surfaces::{visible, visible_lines};
use serde_json::{Value, json};

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": id}})
}

fn ids(text: &str) -> Result<Vec<String>, TurnError> {
    Ok(read_turn(text)?.into_iter().map(|call| call.id).collect())
}

#[test]
fn each_form_of_a_turn_is_told_by_its_text() {
    let text = json!({"type": "text", "text": "I will look."});
    let blocks = json!([text, tool_use("a"), {"type": "thinking", "thinking": "…"}, tool_use("b")]);
    let response = json!({"type": "message", "role": "assistant", "content": blocks});
    let lines = format!("\n{}\r\n{}\n\n{}\n", tool_use("a"), text, tool_use("b"));
    for turn in [
        blocks.to_string(),
        response.to_string(),
        serde_json::to_string_pretty(&response).unwrap(),
        format!("\u{feff}  {blocks}"),
        lines,
    ] {
        assert_eq!(ids(&turn).unwrap(), ["a", "b"], "{turn}");
    }
    assert_eq!(ids(&tool_use("only").to_string()).unwrap(), ["only"]);
    let call = &read_turn(&blocks.to_string()).unwrap()[1];
    assert_eq!((call.name.as_str(), &call.input), ("Read", &json!({"file_path": "b"})));
}

#[test]
fn what_is_no_turn_is_refused_in_words() {
    assert_eq!(ids(" \n"), Err(TurnError::Empty));
    assert_eq!(ids("event: message_start\ndata: {}\n"), Err(TurnError::Stream));
    assert_eq!(ids("data: {}\n"), Err(TurnError::Stream));
    for (turn, words) in [
        (json!("hello"), "the turn is a string"),
        (json!({"tools": []}), "an object without `content`, with `tools`"),
        (json!({"content": 3}), "an object whose `content` is a number"),
        (json!({"content": "hello"}), "no `tool_use` block, only text"),
        (json!([{"type": "text"}, {"type": "text"}, 4]), "only `text`, a number without a `type`"),
        (json!([]), "only nothing"),
        (json!({"type": "error", "error": {"message": "overloaded"}}), "an error of the API: overloaded"),
        (json!([{"type": "tool_use", "name": "x", "input": {}}]), "block 1 of the turn has no `id`"),
        (
            json!([{"type": "tool_use", "id": "", "name": "x", "input": {}}]),
            "block 1 of the turn has no `id`",
        ),
        (
            json!([tool_use("a"), {"type": "tool_use", "id": "x", "input": {}}]),
            "block 2 of the turn has no `name`",
        ),
        (json!([{"type": "tool_use", "id": "x", "name": "x"}]), "has no `input`"),
        (json!([tool_use("a"), tool_use("a")]), "have the same id: `a`"),
    ] {
        let message = ids(&turn.to_string()).unwrap_err().to_string();
        assert!(message.contains(words), "{turn}: {message}");
    }
}

#[test]
fn a_line_that_is_not_json_is_named() {
    let turn = format!("{}\n\n{{\"type\": \n{}\n", tool_use("a"), tool_use("b"));
    assert!(matches!(ids(&turn), Err(TurnError::NotJson { line: 3, .. })), "{:?}", ids(&turn));
    let document = "{\n  \"content\": [\n    oops\n  ]\n}";
    assert!(matches!(ids(document), Err(TurnError::NotJson { line: 3, .. })), "{:?}", ids(document));
    assert!(matches!(ids("oops"), Err(TurnError::NotJson { line: 1, .. })));
}

fn result(id: &str, ending: Ending, content: Vec<Content>) -> CallResult {
    CallResult {
        id: id.to_owned(),
        tool: "Read".to_owned(),
        ending,
        content,
        structured: None,
        context: Vec::new(),
        notes: vec!["for the operator only".to_owned()],
        stop: None,
        trail: Vec::new(),
        duration: Duration::ZERO,
    }
}

#[test]
fn results_come_in_order_and_before_what_hooks_say() {
    let mut first = result("a", Ending::Done, vec![Content::text("one")]);
    first.context = vec!["mind the style".to_owned()];
    let second = result("b", Ending::Denied, vec![Content::text("denied by `Read(./.env)`")]);
    let expected = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "one"}]},
        {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "denied by `Read(./.env)`"}], "is_error": true},
        {"type": "text", "text": "mind the style"},
    ]});
    assert_eq!(answer(&[first, second]), expected);
}

#[test]
fn only_what_the_model_can_correct_is_wrapped_and_only_once() {
    let text = |ending, said: &str| {
        tool_result(&result("a", ending, vec![Content::text(said)]))["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(text(Ending::Invalid, "no"), "<tool_use_error>no</tool_use_error>");
    assert_eq!(
        text(Ending::Invalid, "<tool_use_error>no</tool_use_error>"),
        "<tool_use_error>no</tool_use_error>"
    );
    assert_eq!(text(Ending::Failed, "no"), "no");
    assert_eq!(text(Ending::Done, "yes"), "yes");
}

#[test]
fn content_becomes_blocks_that_the_api_takes() {
    let blob = |media_type: &str| Blob { media_type: media_type.to_owned(), data: b"abc".to_vec() };
    let link = Link { uri: "file:///x".to_owned(), name: "x".to_owned(), media_type: None };
    let content = vec![
        Content::text(""),
        Content::Image(blob("image/png")),
        Content::Document(blob("application/pdf")),
        Content::Document(blob("text/markdown")),
        Content::ToolReference("Bash".to_owned()),
        Content::Image(blob("image/tiff")),
        Content::Audio(blob("audio/wav")),
        Content::ResourceLink(link),
    ];
    let block = tool_result(&result("a", Ending::Done, content));
    let blocks = block["content"].as_array().unwrap();
    let source = |media_type: &str| json!({"type": "base64", "media_type": media_type, "data": "YWJj"});
    assert_eq!(blocks[0], json!({"type": "image", "source": source("image/png")}));
    assert_eq!(blocks[1], json!({"type": "document", "source": source("application/pdf")}));
    assert_eq!(blocks[2], json!({"type": "text", "text": "abc"}));
    assert_eq!(blocks[3], json!({"type": "tool_reference", "tool_name": "Bash"}));
    assert!(blocks[4..].iter().all(|block| block["type"] == "text" && block["text"] != ""));
    assert_eq!(blocks.len(), 7);
    let silent = tool_result(&result("a", Ending::Done, Vec::new()));
    assert_eq!(silent["content"].as_array().map(Vec::len), Some(1), "never an empty result");
}

#[test]
fn a_definition_defers_only_what_is_deferred() {
    let entry = |state| Entry {
        name: "Read".to_owned(),
        title: "Read a file".to_owned(),
        description: "Reads.".to_owned(),
        input_schema: json!({"type": "object"}),
        source: "embedded".to_owned(),
        digest: "sha256:0".to_owned(),
        traits: Vec::new(),
        state,
    };
    let plain = json!({"name": "Read", "description": "Reads.", "input_schema": {"type": "object"}});
    assert_eq!(definition(&entry(State::Ready)), plain);
    assert_eq!(definition(&entry(State::Deferred))["defer_loading"], true);
}

#[test]
fn foreign_text_is_shown_and_not_obeyed() {
    for (text, shown) in [
        ("plain, naïve, 日本語 🙂", "plain, naïve, 日本語 🙂"),
        ("\x1b[2Jgone", "\\u{1b}[2Jgone"),
        ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
        ("a\u{200b}b\u{feff}c\u{ad}d", "a\\u{200b}b\\u{feff}c\\u{ad}d"),
        ("\u{e0041}\u{3164}", "\\u{e0041}\\u{3164}"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("one\r\n\ttwo", "one\\r\\n\\ttwo"),
    ] {
        assert_eq!(visible(text), shown);
    }
    assert_eq!(visible_lines("one\r\n\ttwo\u{7}"), "one\\r\n\ttwo\\u{7}");
}
