//! What applying a schema to one input would cost, found out before it is done. A small schema can ask for
//! exponential work (alternatives of alternatives, by reference), and a small error for gigabytes of text.
//!
//! Walks every pair of a subschema and a value that it applies to, as if nothing were ever cut short.

use serde_json::{Map, Value};

use super::graph::{Edge, edges, references, text_size};
use super::{Compiled, Schema};

/// Steps of one validation, below a microsecond each.
const MAX_STEPS: u64 = 500_000;
/// Levels of subschemas and values together; each is a frame on the stack.
const MAX_LEVELS: usize = 256;
/// Bytes that a full list of errors may take.
const MAX_ERROR_BYTES: u64 = 64 << 20;
/// Bytes of one error, the value it quotes aside.
const ERROR_BYTES: u64 = 512;
/// What one step is worth in matching: bytes of text times bytes of compiled pattern.
const BYTES_PER_STEP: u64 = 128 << 10;

/// The cost of one validation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    steps: u64,
    errors: u64,
}

impl Cost {
    /// Whether a full list of errors may be made.
    pub(super) fn explainable(self) -> bool {
        self.errors <= MAX_ERROR_BYTES
    }
}

/// What applying `schema` to `input` would cost; `None`: too much.
pub(super) fn cost(schema: &Schema, compiled: &Compiled, input: &Value) -> Option<Cost> {
    let mut meter = Meter { schema, compiled, cost: Cost::default() };
    meter.apply(&schema.document, input, 0)?;
    Some(meter.cost)
}

struct Meter<'s> {
    schema: &'s Schema,
    compiled: &'s Compiled,
    cost: Cost,
}

impl Meter<'_> {
    fn spend(&mut self, steps: u64) -> Option<()> {
        self.cost.steps = self.cost.steps.saturating_add(steps);
        (self.cost.steps <= MAX_STEPS).then_some(())
    }

    fn apply(&mut self, schema: &Value, value: &Value, level: usize) -> Option<()> {
        if level > MAX_LEVELS {
            return None;
        }
        self.spend(1)?;
        self.cost.errors = self.cost.errors.saturating_add(ERROR_BYTES);
        let Value::Object(keywords) = schema else { return Some(()) };
        self.own(keywords, value)?;
        // What is unevaluated is known only after the schemas in place have been gone through again.
        let again =
            keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems");
        for _ in 0..=u8::from(again) {
            self.in_place(keywords, value, level)?;
        }
        match value {
            Value::Object(fields) => self.fields(keywords, fields, level),
            Value::Array(items) => self.items(keywords, items, level),
            _ => Some(()),
        }
    }

    /// Keywords that hold no schema.
    fn own(&mut self, keywords: &Map<String, Value>, value: &Value) -> Option<()> {
        if let Some(Value::Array(values)) = keywords.get("enum") {
            self.spend(values.len() as u64)?;
        }
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) && value.is_array() {
            self.spend(text_size(value) as u64 / 64)?;
        }
        if let Value::String(text) = value {
            self.spend(text.len() as u64 / 1_024)?;
            if let Some(Value::String(pattern)) = keywords.get("pattern") {
                self.pattern(pattern, text)?;
            }
        }
        Some(())
    }

    fn in_place(&mut self, keywords: &Map<String, Value>, value: &Value, level: usize) -> Option<()> {
        let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|key| keywords.get(key)?.as_array());
        let alternatives =
            alternatives.map(Vec::len).sum::<usize>() + usize::from(keywords.contains_key("not"));
        if alternatives > 0 {
            // Errors of alternatives quote the value, each of them.
            let size = text_size(value) as u64;
            self.spend(size / 256)?;
            self.cost.errors = self.cost.errors.saturating_add(size.saturating_mul(alternatives as u64));
        }
        for (_, below) in edges(keywords).filter(|(edge, _)| *edge == Edge::InPlace) {
            self.apply(below, value, level + 1)?;
        }
        let schema = self.schema;
        for target in references(keywords).filter_map(|reference| schema.resolve(reference)) {
            self.apply(target, value, level + 1)?;
        }
        Some(())
    }

    fn fields(
        &mut self,
        keywords: &Map<String, Value>,
        fields: &Map<String, Value>,
        level: usize,
    ) -> Option<()> {
        let named = keywords.get("properties").and_then(Value::as_object);
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let any = ["additionalProperties", "unevaluatedProperties"];
        for (name, value) in fields {
            self.spend(1)?;
            if let Some(schema) = named.and_then(|named| named.get(name)) {
                self.apply(schema, value, level + 1)?;
            }
            for (pattern, schema) in patterns.into_iter().flatten() {
                self.pattern(pattern, name)?;
                self.apply(schema, value, level + 1)?;
            }
            for schema in any.into_iter().filter_map(|key| keywords.get(key)) {
                self.apply(schema, value, level + 1)?;
            }
            if let Some(schema) = keywords.get("propertyNames") {
                self.apply(schema, &Value::String(name.clone()), level + 1)?;
            }
        }
        Some(())
    }

    fn items(&mut self, keywords: &Map<String, Value>, items: &[Value], level: usize) -> Option<()> {
        let tuple = ["prefixItems", "items"].into_iter().find_map(|key| keywords.get(key)?.as_array());
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = tuple.and_then(|tuple| tuple.get(index)) {
                self.apply(schema, item, level + 1)?;
            }
            for key in ["items", "additionalItems", "unevaluatedItems", "contains"] {
                if let Some(schema) = keywords.get(key).filter(|schema| !schema.is_array()) {
                    self.apply(schema, item, level + 1)?;
                }
            }
        }
        Some(())
    }

    fn pattern(&mut self, pattern: &str, text: &str) -> Option<()> {
        let weight = self.compiled.weights.get(pattern).copied().unwrap_or(usize::MAX) as u64;
        self.spend((text.len() as u64).saturating_mul(weight) / BYTES_PER_STEP)
    }
}
