//! A schema as a graph: its subschemas, the references among them, and the bounds on both. Everything that
//! walks a schema takes its edges from [`edges`], so that no keyword is known to one walk and not to another.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{SchemaError, dangling};

/// Levels of subschemas from the root down, references followed, each way around a cycle once.
const MAX_HEIGHT: usize = 200;

/// How a subschema applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// To the same value.
    InPlace,
    /// To a part of the value.
    Within,
    /// By reference only.
    Kept,
}

/// Every keyword that refers.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The subschemas that stand directly in a schema, and how they apply; references are not among them.
pub(super) fn edges(schema: &Map<String, Value>) -> impl Iterator<Item = (Edge, &Value)> {
    schema.iter().filter_map(|(key, value)| Some((keyword(key)?, value))).flat_map(
        |((shape, edge), value)| {
            let one = (shape != Shape::Named && !value.is_array()).then_some(value);
            let list = value.as_array().filter(|_| shape == Shape::One);
            let named = value.as_object().filter(|_| shape == Shape::Named);
            let below = one.into_iter().chain(list.into_iter().flatten());
            let below = below.chain(named.into_iter().flat_map(Map::values));
            below.filter(|below| below.is_object() || below.is_boolean()).map(move |below| (edge, below))
        },
    )
}

/// What a keyword holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A schema, or a list of them.
    One,
    /// Schemas by name.
    Named,
}

fn keyword(key: &str) -> Option<(Shape, Edge)> {
    Some(match key {
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" => (Shape::One, Edge::InPlace),
        "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames" => (Shape::One, Edge::Within),
        "contentSchema" => (Shape::One, Edge::Kept),
        "properties" | "patternProperties" => (Shape::Named, Edge::Within),
        "dependentSchemas" | "dependencies" => (Shape::Named, Edge::InPlace),
        "$defs" | "definitions" => (Shape::Named, Edge::Kept),
        _ => return None,
    })
}

/// The references that stand directly in a schema.
pub(super) fn references(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    REFERENCES.into_iter().filter_map(|key| schema.get(key)?.as_str())
}

/// What a reference refers to.
pub(super) fn resolve<'s>(
    document: &'s Value,
    anchors: &HashMap<String, String>,
    reference: &str,
) -> Option<&'s Value> {
    let fragment = decode(reference.strip_prefix('#')?)?;
    match anchors.get(&fragment) {
        Some(pointer) => document.pointer(pointer),
        None => document.pointer(&fragment),
    }
}

/// What there is to know of a schema before it is compiled.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Anchors with the pointers to where they stand.
    pub(super) anchors: HashMap<String, String>,
    /// Distinct patterns.
    pub(super) patterns: Vec<String>,
}

/// Surveys a schema whose depth and size are known to be within bounds.
pub(super) fn survey(document: &Value) -> Result<Survey, SchemaError> {
    let mut survey = Survey::default();
    collect(document, &mut String::new(), &mut survey);
    let mut walk = Walk { document, survey: &mut survey, seen: HashMap::new(), schemas: Vec::new() };
    walk.height(document, true, 0)?;
    walk.seen.clear();
    for schema in std::mem::take(&mut walk.schemas) {
        walk.settle(schema)?;
    }
    survey.patterns.sort_unstable();
    survey.patterns.dedup();
    Ok(survey)
}

/// Whether a value has at most so many levels.
pub(super) fn within_depth(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|item| within_depth(item, below)),
        Value::Object(fields) => fields.values().all(|field| within_depth(field, below)),
        _ => true,
    }
}

/// About as many bytes as a value of bounded depth takes as text.
pub(super) fn text_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| text_size(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            2 + fields.iter().map(|(name, value)| name.len() + text_size(value) + 4).sum::<usize>()
        }
    }
}

/// Anchors may stand anywhere, also where only a reference finds them.
fn collect(value: &Value, pointer: &mut String, survey: &mut Survey) {
    let length = pointer.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                collect(item, pointer, survey);
                pointer.truncate(length);
            }
        }
        Value::Object(fields) => {
            for key in ["$anchor", "$dynamicAnchor"] {
                if let Some(Value::String(name)) = fields.get(key) {
                    survey.anchors.entry(name.clone()).or_insert_with(|| pointer.clone());
                }
            }
            for (name, field) in fields {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                collect(field, pointer, survey);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

struct Walk<'s, 'a> {
    document: &'s Value,
    survey: &'a mut Survey,
    /// By address, which stands still while the document is borrowed; `None`: on the way down.
    seen: HashMap<*const Value, Option<usize>>,
    /// Every schema that was come by.
    schemas: Vec<&'s Value>,
}

impl<'s> Walk<'s, '_> {
    /// The levels below a schema, and all that must hold of each of them.
    fn height(&mut self, schema: &'s Value, root: bool, depth: usize) -> Result<usize, SchemaError> {
        let Value::Object(keywords) = schema else { return Ok(0) };
        if let Some(known) = self.seen.get(&std::ptr::from_ref(schema)) {
            let height = known.unwrap_or(0);
            return if depth + height > MAX_HEIGHT { Err(SchemaError::TooDeep) } else { Ok(height) };
        }
        if depth > MAX_HEIGHT {
            return Err(SchemaError::TooDeep);
        }
        if let (false, Some(Value::String(id))) = (root, keywords.get("$id")) {
            return Err(SchemaError::NestedId(id.clone()));
        }
        self.seen.insert(schema, None);
        self.schemas.push(schema);
        self.patterns(keywords);
        let mut height = 0;
        for (_, below) in edges(keywords) {
            height = height.max(1 + self.height(below, false, depth + 1)?);
        }
        for reference in references(keywords) {
            let target = self.target(reference)?;
            height = height.max(1 + self.height(target, std::ptr::eq(target, self.document), depth + 1)?);
        }
        self.seen.insert(schema, Some(height));
        Ok(height)
    }

    /// Finds references that lead back to themselves without going into the value.
    fn settle(&mut self, schema: &'s Value) -> Result<(), SchemaError> {
        let Value::Object(keywords) = schema else { return Ok(()) };
        match self.seen.get(&std::ptr::from_ref(schema)) {
            Some(Some(_)) => return Ok(()),
            Some(None) => {
                let reference = references(keywords).next().unwrap_or("#");
                return Err(SchemaError::Cycle(reference.to_owned()));
            }
            None => {}
        }
        self.seen.insert(schema, None);
        for (edge, below) in edges(keywords) {
            if edge == Edge::InPlace {
                self.settle(below)?;
            }
        }
        for reference in references(keywords) {
            let target = self.target(reference)?;
            self.settle(target)?;
        }
        self.seen.insert(schema, Some(0));
        Ok(())
    }

    fn target(&self, reference: &str) -> Result<&'s Value, SchemaError> {
        if !reference.starts_with('#') {
            return Err(SchemaError::RemoteReference(reference.to_owned()));
        }
        resolve(self.document, &self.survey.anchors, reference).ok_or_else(|| match self.document {
            Value::Object(document) => dangling(document, reference),
            _ => dangling(&Map::new(), reference),
        })
    }

    fn patterns(&mut self, keywords: &Map<String, Value>) {
        if let Some(Value::String(pattern)) = keywords.get("pattern") {
            self.survey.patterns.push(pattern.clone());
        }
        if let Some(Value::Object(patterns)) = keywords.get("patternProperties") {
            self.survey.patterns.extend(patterns.keys().cloned());
        }
    }
}

/// A fragment with its `%` escapes undone.
fn decode(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
