//! The host's normalised twin of an input: step 6 of the path. Hooks and rules see paths absolute and URLs in
//! one spelling; the tool gets what the model wrote, and so does every field that a hook hands back as it saw it.
//!
//! Purely lexical. Leaves to others: where a path really leads (`permission`).

use serde_json::Value;
use url::Url;

use crate::contract::{Field, FieldRole};

/// What relative paths and `~` stand for.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Absolute.
    pub working_directory: &'a str,
    /// The operator's home; `None`: a `~` is left as it is.
    pub home: Option<&'a str>,
}

/// Segments of a pointer that are followed at most.
const MAX_SEGMENTS: usize = 64;

/// Makes the twin: every field that the descriptor gives a role is brought into its one spelling. A field
/// that is absent, not a string, or makes no sense stays as it is.
#[must_use]
pub fn observe(input: &Value, fields: &[Field], around: Surroundings<'_>) -> Value {
    let mut twin = input.clone();
    for field in fields {
        let Some(segments) = segments(&field.pointer) else { continue };
        each(&mut twin, &segments, &mut |value| {
            if let Value::String(text) = value
                && let Some(normal) = normal(text, field.role, around)
            {
                *text = normal;
            }
        });
    }
    twin
}

/// The input that goes on after a hook's rewrite: whatever the hook left equal to the twin is again what the
/// original said.
#[must_use]
pub fn revert(original: &Value, twin: &Value, returned: Value) -> Value {
    if returned == *twin {
        return original.clone();
    }
    match (original, twin, returned) {
        (Value::Object(original), Value::Object(twin), Value::Object(returned)) => {
            let pairs = returned.into_iter().map(|(name, value)| {
                let value = match (original.get(&name), twin.get(&name)) {
                    (Some(original), Some(twin)) => revert(original, twin, value),
                    _ => value,
                };
                (name, value)
            });
            Value::Object(pairs.collect())
        }
        (Value::Array(original), Value::Array(twin), Value::Array(returned)) => {
            Value::Array(elements(original, twin, returned))
        }
        (_, _, returned) => returned,
    }
}

/// Elements revert by position; where a hook took some out or put some in, by value.
fn elements(original: &[Value], twin: &[Value], returned: Vec<Value>) -> Vec<Value> {
    if returned.len() == twin.len() {
        let pairs = returned.into_iter().zip(original.iter().zip(twin));
        return pairs.map(|(value, (original, twin))| revert(original, twin, value)).collect();
    }
    // In order, so that two elements with one twin each get their own original back.
    let mut from = 0;
    let mut known = |value: &Value| {
        let found = twin.iter().skip(from).position(|twin| twin == value)? + from;
        from = found + 1;
        original.get(found).cloned()
    };
    returned.into_iter().map(|value| known(&value).unwrap_or(value)).collect()
}

/// Every path that the input names in a field with that role, as it stands there.
pub(super) fn paths(input: &Value, fields: &[Field]) -> Vec<String> {
    let mut found = Vec::new();
    let mut input = input.clone();
    for field in fields.iter().filter(|field| field.role == FieldRole::Path) {
        let Some(segments) = segments(&field.pointer) else { continue };
        each(&mut input, &segments, &mut |value| {
            if let Value::String(path) = value {
                found.push(path.clone());
            }
        });
    }
    found
}

fn normal(text: &str, role: FieldRole, around: Surroundings<'_>) -> Option<String> {
    match role {
        FieldRole::Path => lexical(text, around),
        FieldRole::Url => Url::parse(text).ok().map(String::from),
        FieldRole::Command => None,
    }
}

/// A path made absolute: `~` expanded, `.`, `..` and doubled slashes removed by text alone.
fn lexical(path: &str, around: Surroundings<'_>) -> Option<String> {
    if path.is_empty() || path.contains('\0') {
        return None;
    }
    let (base, rest) = match (path.strip_prefix('~'), around.home) {
        (Some(""), Some(home)) => (home, ""),
        (Some(rest), Some(home)) if rest.starts_with('/') => (home, rest),
        _ if path.starts_with('/') => ("", path),
        _ => (around.working_directory, path),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(rest.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// The segments of a JSON Pointer, unescaped; `None`: not a pointer, or one that nobody means.
fn segments(pointer: &str) -> Option<Vec<String>> {
    let segments: Vec<_> = pointer
        .strip_prefix('/')?
        .split('/')
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
        .collect();
    (segments.len() <= MAX_SEGMENTS).then_some(segments)
}

fn each(value: &mut Value, segments: &[String], act: &mut impl FnMut(&mut Value)) {
    let Some((segment, rest)) = segments.split_first() else { return act(value) };
    match value {
        Value::Object(fields) => {
            if let Some(field) = fields.get_mut(segment) {
                each(field, rest, act);
            }
        }
        Value::Array(items) if segment == "*" => {
            for item in items {
                each(item, rest, act);
            }
        }
        Value::Array(items) => {
            if let Some(item) = segment.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                each(item, rest, act);
            }
        }
        _ => {}
    }
}
