//! Model turns in the shape of the Messages API: calls read from what a model said, results written as the
//! one user message that answers it.
//!
//! Leaves to others: running the calls (`host`), the words of an error (`execution`).

use std::collections::HashSet;

use data_encoding::BASE64;
use serde_json::{Map, Value, json};

use crate::contract::{Blob, Content, Embedded};
use crate::execution::{Call, CallResult, Ending};
use crate::registry::{Entry, State};

/// Why a text is no turn with calls in it. For whoever made the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// There is nothing in it.
    #[error(
        "the turn is empty; hint: a Messages API response, an array of content blocks, or JSON Lines of `tool_use` blocks"
    )]
    Empty,
    /// It is a stream of server-sent events.
    #[error(
        "the turn is a stream of server-sent events, which comes in a later version; hint: the response with `\"stream\": false`"
    )]
    Stream,
    /// It is not JSON.
    #[error("line {line} of the turn is not JSON: {message}")]
    NotJson {
        /// From 1.
        line: usize,
        /// What the parser said.
        message: String,
    },
    /// It is JSON, of another shape.
    #[error(
        "the turn is {saw}; hint: a Messages API response, an array of content blocks, or JSON Lines of `tool_use` blocks"
    )]
    Shape {
        /// What was there instead.
        saw: String,
    },
    /// It has no call in it.
    #[error("the turn has no `tool_use` block, only {saw}")]
    NoCalls {
        /// What was there instead.
        saw: String,
    },
    /// A block lacks what every call has.
    #[error("`tool_use` block {block} of the turn has no {field}")]
    Incomplete {
        /// From 1, among the `tool_use` blocks.
        block: usize,
        /// Such as `` `id` that is a string ``.
        field: &'static str,
    },
    /// Two blocks have one id, so that a result could answer either.
    #[error("two `tool_use` blocks of the turn have the same id: `{0}`")]
    DuplicateId(String),
}

/// Reads the calls of one turn, in order. Blocks other than `tool_use` are left aside.
///
/// The form is told by the text: a response object with a `content` array, a bare array of blocks, or JSON
/// Lines of blocks.
///
/// # Errors
/// The text has another form, holds no call, or a call lacks its id, name or input.
pub fn read_turn(text: &str) -> Result<Vec<Call>, TurnError> {
    let text = text.trim_start_matches('\u{feff}');
    let begin = text.trim_start();
    if begin.is_empty() {
        return Err(TurnError::Empty);
    }
    if ["event:", "data:", "id:", "retry:", ":"].iter().any(|field| begin.starts_with(field)) {
        return Err(TurnError::Stream);
    }
    calls(&blocks_of(text)?)
}

fn blocks_of(text: &str) -> Result<Vec<Value>, TurnError> {
    match serde_json::from_str(text) {
        Ok(Value::Array(blocks)) => Ok(blocks),
        Ok(Value::Object(object)) => response(object),
        Ok(other) => Err(TurnError::Shape { saw: kind(&other).to_owned() }),
        Err(error) => {
            let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            // One whole object on the first line: the fault, if any, is in a line, not in a document.
            let is_lines = lines.next().is_some_and(|(_, line)| {
                serde_json::from_str::<Map<String, Value>>(line).is_ok() || lines.next().is_none()
            });
            if is_lines { by_line(text) } else { Err(not_json(error.line(), &error)) }
        }
    }
}

fn by_line(text: &str) -> Result<Vec<Value>, TurnError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| serde_json::from_str(line).map_err(|error| not_json(at + 1, &error))).collect()
}

fn not_json(line: usize, error: &serde_json::Error) -> TurnError {
    TurnError::NotJson { line, message: error.to_string() }
}

fn response(mut object: Map<String, Value>) -> Result<Vec<Value>, TurnError> {
    match object.remove("content") {
        Some(Value::Array(blocks)) => Ok(blocks),
        Some(Value::String(_)) => Err(TurnError::NoCalls { saw: "text".to_owned() }),
        Some(other) => {
            Err(TurnError::Shape { saw: format!("an object whose `content` is {}", kind(&other)) })
        }
        None if object.get("type").and_then(Value::as_str) == Some("tool_use") => Ok(vec![object.into()]),
        None if object.get("type").and_then(Value::as_str) == Some("error") => {
            let message = object.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
            Err(TurnError::Shape { saw: format!("an error of the API: {}", message.unwrap_or("no message")) })
        }
        None => {
            let keys: Vec<_> = object.keys().take(8).map(|key| format!("`{key}`")).collect();
            Err(TurnError::Shape { saw: format!("an object without `content`, with {}", listed(&keys)) })
        }
    }
}

fn calls(blocks: &[Value]) -> Result<Vec<Call>, TurnError> {
    let (mut calls, mut ids, mut seen) = (Vec::new(), HashSet::new(), Vec::new());
    for block in blocks {
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use") => {
                let call = call(block, calls.len() + 1)?;
                if !ids.insert(call.id.clone()) {
                    return Err(TurnError::DuplicateId(call.id));
                }
                calls.push(call);
            }
            Some(other) => seen.push(format!("`{other}`")),
            None => seen.push(format!("{} without a `type`", kind(block))),
        }
    }
    seen.dedup();
    seen.truncate(8);
    if calls.is_empty() { Err(TurnError::NoCalls { saw: listed(&seen) }) } else { Ok(calls) }
}

fn call(block: &Value, number: usize) -> Result<Call, TurnError> {
    let text = |field: &str| {
        block.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let lacks = |field| TurnError::Incomplete { block: number, field };
    Ok(Call {
        id: text("id").ok_or_else(|| lacks("`id` that is a string"))?,
        name: text("name").ok_or_else(|| lacks("`name` that is a string"))?,
        input: block.get("input").cloned().ok_or_else(|| lacks("`input`"))?,
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn listed(words: &[String]) -> String {
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

/// The user message that answers a turn: every result in order, then what hooks say to the model.
#[must_use]
pub fn answer(results: &[CallResult]) -> Value {
    let context = results.iter().flat_map(|result| &result.context).filter(|text| !text.is_empty());
    let content: Vec<Value> = results.iter().map(tool_result).chain(context.map(|said| text(said))).collect();
    json!({ "role": "user", "content": content })
}

/// The `tool_result` block of one call.
#[must_use]
pub fn tool_result(result: &CallResult) -> Value {
    let mut content: Vec<Value> = result.content.iter().filter_map(block).collect();
    if result.ending == Ending::Invalid {
        content.iter_mut().for_each(wrap);
    }
    if content.is_empty() {
        content.push(text(if result.ending.is_error() {
            "The call failed without a word."
        } else {
            "Done; no output."
        }));
    }
    let mut block = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if result.ending.is_error() {
        block["is_error"] = true.into();
    }
    block
}

/// Marks a text as the model's to correct, once.
fn wrap(block: &mut Value) {
    if let Some(Value::String(text)) = block.get_mut("text")
        && !text.starts_with("<tool_use_error>")
    {
        *text = format!("<tool_use_error>{text}</tool_use_error>");
    }
}

/// A tool as the Messages API takes it: the same entry gives the same bytes.
#[must_use]
pub fn definition(entry: &Entry) -> Value {
    let mut definition = json!({
        "name": entry.name,
        "description": entry.description,
        "input_schema": entry.input_schema,
    });
    if entry.state == State::Deferred {
        definition["defer_loading"] = true.into();
    }
    definition
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// One block, in words where the Messages API has no block of the kind. An empty text is none.
fn block(content: &Content) -> Option<Value> {
    Some(match content {
        Content::Text(said) if said.is_empty() => return None,
        Content::Text(said) => text(said),
        Content::Image(blob) if is_image(&blob.media_type) => {
            json!({ "type": "image", "source": base64(blob) })
        }
        Content::Document(blob) if blob.media_type == "application/pdf" => {
            json!({ "type": "document", "source": base64(blob) })
        }
        Content::Image(blob) => text(&unshown("image", blob)),
        Content::Audio(blob) => text(&unshown("sound", blob)),
        Content::Document(blob) => text(&document(blob)),
        Content::Embedded(embedded) => text(&resource(embedded)),
        Content::ResourceLink(link) => text(&format!("Resource `{}`: {}", link.name, link.uri)),
        Content::ToolReference(name) => json!({ "type": "tool_reference", "tool_name": name }),
        Content::Other(kind, json) => text(&format!("A block of the kind `{kind}`: {json}")),
    })
}

fn is_image(media_type: &str) -> bool {
    matches!(media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

fn base64(blob: &Blob) -> Value {
    json!({ "type": "base64", "media_type": blob.media_type, "data": BASE64.encode(&blob.data) })
}

fn document(blob: &Blob) -> String {
    let is_text = blob.media_type.starts_with("text/");
    let text = is_text.then(|| std::str::from_utf8(&blob.data).ok()).flatten();
    text.map_or_else(|| unshown("document", blob), str::to_owned)
}

fn resource(embedded: &Embedded) -> String {
    let size = embedded.data.as_ref().map_or(0, Vec::len);
    match &embedded.text {
        Some(text) => format!("Resource {}:\n{text}", embedded.uri),
        None => format!("Resource {}: {size} bytes that are not text", embedded.uri),
    }
}

fn unshown(what: &str, blob: &Blob) -> String {
    format!(
        "A result of the kind {what} (`{}`, {} bytes) that cannot be shown here",
        blob.media_type,
        blob.data.len()
    )
}
