//! Slips of models, put right where the schema leaves no doubt of what was meant: `"5"` for a number, `"true"`
//! for a boolean, JSON in a string for an object, null for an absent option, a whole number for a text.
//!
//! Nothing is touched that has a type its schema allows, nothing is rounded or lost, and what comes of it
//! counts only if it then validates.

use std::fmt;

use serde_json::{Number, Value};

use super::Schema;
use super::graph::within_depth;
use super::shape::types::{ARRAY, BOOLEAN, FRACTION, INTEGER, NULL, OBJECT, STRING};
use super::shape::{Reader, kind};
use super::shorten;
use super::unknown::push;
use super::validate::{MAX_INPUT_DEPTH, fits};

/// One slip that was put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// JSON Pointer to the field.
    pub pointer: String,
    /// What the model wrote, as JSON, shortened.
    pub from: String,
    /// What it was taken for, as JSON, shortened; `None`: as absent.
    pub to: Option<String>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the input" } else { &self.pointer };
        match &self.to {
            Some(to) => write!(f, "{place}: {} was taken for {to}", self.from),
            None => write!(f, "{place}: {} was taken as absent", self.from),
        }
    }
}

/// Slips of one input that are put right; more are no slips.
const MAX_NOTES: usize = 256;
/// Bytes of a string that is read as JSON.
const MAX_NESTED: usize = 1 << 20;

/// Puts slips right. `None`: there are none, or putting them right would not make the input valid.
#[must_use]
pub fn coerce(schema: &Schema, input: &Value) -> Option<(Value, Vec<Note>)> {
    if fits(schema, input) {
        return None;
    }
    let (mended, notes) = mend(&Reader::new(schema), input)?;
    fits(schema, &mended).then_some((mended, notes))
}

/// Puts right what can be, whether or not it is enough; `None`: nothing.
pub(super) fn mend(reader: &Reader<'_>, input: &Value) -> Option<(Value, Vec<Note>)> {
    let mut mended = input.clone();
    let mut mending = Mending { reader, pointer: String::new(), depth: 0, notes: Vec::new() };
    mending.value(&reader.root(), &mut mended);
    let notes = mending.notes;
    (!notes.is_empty() && !reader.spent()).then_some((mended, notes))
}

struct Mending<'r, 's> {
    reader: &'r Reader<'s>,
    pointer: String,
    depth: usize,
    notes: Vec<Note>,
}

impl<'s> Mending<'_, 's> {
    fn value(&mut self, schemas: &[&'s Value], value: &mut Value) {
        if schemas.is_empty() || self.reader.spent() || self.notes.len() >= MAX_NOTES {
            return;
        }
        let types = self.reader.types(schemas);
        if types & kind(value) == 0
            && let Some(meant) = meant(value, types, MAX_INPUT_DEPTH.saturating_sub(self.depth))
        {
            self.note(value, Some(&meant));
            *value = meant;
        }
        match value {
            Value::Object(_) => self.fields(schemas, value),
            Value::Array(_) => self.elements(schemas, value),
            _ => {}
        }
    }

    fn fields(&mut self, schemas: &[&'s Value], object: &mut Value) {
        let names: Vec<String> =
            object.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
        for name in names {
            let below = self.reader.field(schemas, object, &name);
            let absent = object.get(&name) == Some(&Value::Null)
                && !below.is_empty()
                && self.reader.types(&below) & NULL == 0
                && !self.reader.requires(schemas, object, &name);
            let Value::Object(fields) = object else { return };
            self.within(&name, |mending| {
                if absent {
                    mending.note(&Value::Null, None);
                    fields.shift_remove(&name);
                } else if let Some(field) = fields.get_mut(&name) {
                    mending.value(&below, field);
                }
            });
        }
    }

    fn elements(&mut self, schemas: &[&'s Value], array: &mut Value) {
        for index in 0..array.as_array().map_or(0, Vec::len) {
            let below = self.reader.element(schemas, array, index);
            if below.is_empty() || self.reader.spent() {
                continue;
            }
            let Some(item) = array.get_mut(index) else { return };
            self.within(&index.to_string(), |mending| mending.value(&below, item));
        }
    }

    fn within(&mut self, segment: &str, act: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        push(&mut self.pointer, segment);
        self.depth += 1;
        act(self);
        self.depth -= 1;
        self.pointer.truncate(length);
    }

    fn note(&mut self, from: &Value, to: Option<&Value>) {
        let brief = |value: &Value| match value {
            // Not serialised whole first: it may be megabytes.
            Value::String(text) => Value::from(shorten(text, 60)).to_string(),
            value => shorten(&value.to_string(), 60),
        };
        self.notes.push(Note { pointer: self.pointer.clone(), from: brief(from), to: to.map(brief) });
    }
}

/// What a value of a wrong type was meant to be, if there is no doubt.
fn meant(value: &Value, types: u8, levels: usize) -> Option<Value> {
    match value {
        Value::String(text) if types & STRING == 0 => unquoted(text, types, levels),
        Value::Bool(truth) if types & !NULL == STRING => Some(Value::from(truth.to_string())),
        // A fraction may have lost digits already (`1.10`); a whole number that fits has not.
        Value::Number(number) if types & !NULL == STRING && (number.is_i64() || number.is_u64()) => {
            Some(Value::from(number.to_string()))
        }
        _ => None,
    }
}

/// A string where none belongs, read as what it spells.
fn unquoted(text: &str, types: u8, levels: usize) -> Option<Value> {
    let text = text.trim();
    let value = match text.as_bytes().first()? {
        b'{' | b'[' if types & (OBJECT | ARRAY) != 0 && text.len() <= MAX_NESTED => {
            serde_json::from_str(text).ok().filter(|value| within_depth(value, levels))?
        }
        b'-' | b'0'..=b'9' if types & (INTEGER | FRACTION) != 0 => Value::Number(exact(text, types)?),
        b't' | b'T' | b'f' | b'F' if types & BOOLEAN != 0 => Value::Bool(match text {
            "true" | "True" | "TRUE" => true,
            "false" | "False" | "FALSE" => false,
            _ => return None,
        }),
        _ => return None,
    };
    (types & kind(&value) != 0).then_some(value)
}

/// A number spelled in a text, if a JSON number holds exactly what it spells.
fn exact(text: &str, types: u8) -> Option<Number> {
    if text.len() > 32 {
        return None;
    }
    // `5.0` where only whole numbers belong is 5: guests parse it as an integer.
    let whole =
        text.split_once('.').filter(|(_, zeros)| !zeros.is_empty() && zeros.bytes().all(|b| b == b'0'));
    let text = match whole {
        Some((whole, _)) if types & FRACTION == 0 => whole,
        _ => text,
    };
    let number: Number = serde_json::from_str(text).ok()?;
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    (trimmed(&number.to_string()) == trimmed(text)).then_some(number)
}
