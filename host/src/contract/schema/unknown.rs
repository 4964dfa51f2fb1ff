//! Fields that no schema names, where the schema is silent on others: refused all the same, since a field
//! that a model invents is a misunderstanding that the tool would pass over in silence.

use serde_json::Value;

use super::nearest::nearest;
use super::shape::Reader;

/// A field that no schema names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unknown {
    /// Of the object that has it.
    pub(super) pointer: String,
    /// Its name.
    pub(super) name: String,
    /// The name that was likely meant and is not there yet.
    pub(super) meant: Option<String>,
    /// Names that the object may have.
    pub(super) known: Vec<String>,
}

/// Such fields of an input, at most `limit`.
pub(super) fn unknown(reader: &Reader<'_>, input: &Value, limit: usize) -> Vec<Unknown> {
    let mut found = Vec::new();
    seek(reader, &reader.root(), input, &mut String::new(), limit, &mut found);
    found
}

fn seek<'s>(
    reader: &Reader<'s>,
    schemas: &[&'s Value],
    value: &Value,
    pointer: &mut String,
    limit: usize,
    found: &mut Vec<Unknown>,
) {
    let length = pointer.len();
    match value {
        Value::Object(fields) => {
            let closed = reader.closed(schemas, value, length == 0);
            for (name, field) in fields {
                if found.len() >= limit || reader.spent() {
                    return;
                }
                let below = reader.field(schemas, value, name);
                if below.is_empty() {
                    if closed {
                        found.push(describe(reader, schemas, value, pointer, name));
                    }
                    continue;
                }
                push(pointer, name);
                seek(reader, &below, field, pointer, limit, found);
                pointer.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if found.len() >= limit || reader.spent() {
                    return;
                }
                if !(item.is_object() || item.is_array()) {
                    continue;
                }
                let below = reader.element(schemas, value, index);
                push(pointer, &index.to_string());
                seek(reader, &below, item, pointer, limit, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

fn describe<'s>(
    reader: &Reader<'s>,
    schemas: &[&'s Value],
    object: &Value,
    pointer: &str,
    name: &str,
) -> Unknown {
    let known = reader.names(schemas, object);
    let absent = known.iter().copied().filter(|known| object.get(known).is_none());
    Unknown {
        pointer: pointer.to_owned(),
        name: name.to_owned(),
        meant: nearest(name, absent).first().map(|&name| name.to_owned()),
        known: known.into_iter().take(24).map(str::to_owned).collect(),
    }
}

/// Adds a segment to a JSON Pointer.
pub(super) fn push(pointer: &mut String, segment: &str) {
    pointer.push('/');
    pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
}
