//! What a schema has to say of one value: its fields, its elements, the types it may have. References and
//! combined schemas are followed; alternatives that the value plainly is not are left out.
//!
//! Reads schemas for people's sake (unknown fields, coercion, hints). Validity itself is `jsonschema`'s to say.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::Schema;
use super::graph::references;

/// Steps of all readings for one input together.
const MAX_STEPS: u32 = 1_000_000;

/// Sets of JSON types, as bits.
pub(super) mod types {
    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const BOOLEAN: u8 = 2;
    pub(in super::super) const INTEGER: u8 = 4;
    pub(in super::super) const FRACTION: u8 = 8;
    pub(in super::super) const STRING: u8 = 16;
    pub(in super::super) const ARRAY: u8 = 32;
    pub(in super::super) const OBJECT: u8 = 64;
    pub(in super::super) const ANY: u8 = 127;
}
use types::{ANY, ARRAY, BOOLEAN, FRACTION, INTEGER, NULL, OBJECT, STRING};

/// The type of a value; a whole number is an integer, however it is written.
pub(super) fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => FRACTION,
        Value::Number(_) => INTEGER,
        Value::String(_) => STRING,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

/// The types that a schema's `type` keyword may name.
fn named(name: &str) -> u8 {
    match name {
        "null" => NULL,
        "boolean" => BOOLEAN,
        "integer" => INTEGER,
        "number" => INTEGER | FRACTION,
        "string" => STRING,
        "array" => ARRAY,
        "object" => OBJECT,
        _ => ANY,
    }
}

/// Reads one schema for one input.
pub(super) struct Reader<'s> {
    schema: &'s Schema,
    left: Cell<u32>,
}

/// Whether an object may have fields that no schema names.
#[derive(Default, Clone, Copy)]
struct Openness {
    /// Some schema has `properties`.
    names: bool,
    /// Some schema says something of other fields; whatever it says is validated.
    says: bool,
}

impl<'s> Reader<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        Self { schema, left: Cell::new(MAX_STEPS) }
    }

    pub(super) fn root(&self) -> [&'s Value; 1] {
        [&self.schema.document]
    }

    /// Whether so much was read that the last answers are not to be relied on.
    pub(super) fn spent(&self) -> bool {
        self.left.get() == 0
    }

    fn spend(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        !self.spent()
    }

    /// The types that a value may have under all of `schemas`.
    pub(super) fn types(&self, schemas: &[&'s Value]) -> u8 {
        schemas.iter().fold(ANY, |types, schema| types & self.types_of(schema))
    }

    fn types_of(&self, schema: &'s Value) -> u8 {
        if !self.spend() {
            return ANY;
        }
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(false) => return 0,
            _ => return ANY,
        };
        let mut types = match keywords.get("type") {
            Some(Value::String(name)) => named(name),
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).fold(0, |types, name| types | named(name))
            }
            _ => ANY,
        };
        if let Some(value) = keywords.get("const") {
            types &= kind(value);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            types &= values.iter().fold(0, |types, value| types | kind(value));
        }
        for all in self.conjuncts(keywords) {
            types &= self.types_of(all);
        }
        for branches in alternatives(keywords) {
            types &= branches.iter().fold(0, |types, branch| types | self.types_of(branch));
        }
        types
    }

    /// The schemas of one field of `object`, under all of `schemas`; empty: none names it.
    pub(super) fn field(&self, schemas: &[&'s Value], object: &Value, name: &str) -> Vec<&'s Value> {
        let mut found = Vec::new();
        for schema in schemas {
            self.visit(schema, object, &mut |keywords| {
                let named = keywords.get("properties").and_then(|named| named.get(name));
                let other = || {
                    let others = keywords.get("additionalProperties");
                    others.filter(|_| !keywords.contains_key("patternProperties"))
                };
                found.extend(named.or_else(other));
            });
        }
        found
    }

    /// The schemas of one element of `array`, under all of `schemas`.
    pub(super) fn element(&self, schemas: &[&'s Value], array: &Value, index: usize) -> Vec<&'s Value> {
        let mut found = Vec::new();
        for schema in schemas {
            self.visit(schema, array, &mut |keywords| {
                let tuple =
                    ["prefixItems", "items"].into_iter().find_map(|key| keywords.get(key)?.as_array());
                let rest = ["items", "additionalItems"].into_iter().filter_map(|key| keywords.get(key));
                let placed = tuple.and_then(|tuple| tuple.get(index));
                found.extend(placed.or_else(|| rest.into_iter().find(|schema| !schema.is_array())));
            });
        }
        found
    }

    /// The names of all fields that `object` may have.
    pub(super) fn names(&self, schemas: &[&'s Value], object: &Value) -> Vec<&'s str> {
        let mut names = Vec::new();
        for schema in schemas {
            self.visit(schema, object, &mut |keywords| {
                if let Some(Value::Object(named)) = keywords.get("properties") {
                    names.extend(named.keys().map(String::as_str));
                }
            });
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether any of `schemas` requires a field of this name.
    pub(super) fn requires(&self, schemas: &[&'s Value], object: &Value, name: &str) -> bool {
        let mut required = false;
        for schema in schemas {
            self.visit(schema, object, &mut |keywords| {
                let names = keywords.get("required").and_then(Value::as_array);
                required |= names.is_some_and(|names| names.iter().any(|required| required == name));
            });
        }
        required
    }

    /// The values that `schemas` list for this place, if any lists them.
    pub(super) fn listed(&self, schemas: &[&'s Value], value: &Value) -> Option<Vec<&'s Value>> {
        let mut listed = None;
        for schema in schemas {
            self.visit(schema, value, &mut |keywords| {
                let values = keywords.get("enum").and_then(Value::as_array);
                let values = values.map(|values| values.iter().collect());
                let single = || Some(vec![keywords.get("const")?]);
                if let Some(values) = values.or_else(single) {
                    listed.get_or_insert_with(Vec::new).extend::<Vec<_>>(values);
                }
            });
        }
        listed
    }

    /// Whether fields that no schema names are to be refused although no schema says so.
    ///
    /// At the root, an object without any `properties` has no fields; further in, it is a free one.
    pub(super) fn closed(&self, schemas: &[&'s Value], object: &Value, root: bool) -> bool {
        let all = schemas.iter().map(|schema| self.openness(schema, object));
        let openness = all.fold(Openness::default(), Openness::and);
        !openness.says && (openness.names || root)
    }

    fn openness(&self, schema: &'s Value, object: &Value) -> Openness {
        if !self.spend() {
            return Openness::default();
        }
        let Value::Object(keywords) = schema else { return Openness::default() };
        let mut openness = Openness {
            names: keywords.contains_key("properties"),
            says: ["additionalProperties", "unevaluatedProperties", "patternProperties"]
                .into_iter()
                .any(|key| keywords.contains_key(key)),
        };
        for all in self.conjuncts(keywords).into_iter().chain(conditionals(keywords)) {
            openness = openness.and(self.openness(all, object));
        }
        let named = openness.names;
        for branches in alternatives(keywords) {
            for branch in self.fitting(branches, object) {
                let branch_openness = self.openness(branch, object);
                openness = openness.and(branch_openness);
                // An alternative that is any object at all, and not merely a condition on this one.
                openness.says |= !named && !branch_openness.names;
            }
        }
        openness
    }

    /// Goes through every schema that applies to `value` itself.
    fn visit(&self, schema: &'s Value, value: &Value, see: &mut dyn FnMut(&'s Map<String, Value>)) {
        if !self.spend() {
            return;
        }
        let Value::Object(keywords) = schema else { return };
        see(keywords);
        for all in self.conjuncts(keywords).into_iter().chain(conditionals(keywords)) {
            self.visit(all, value, see);
        }
        for branches in alternatives(keywords) {
            for branch in self.fitting(branches, value) {
                self.visit(branch, value, see);
            }
        }
    }

    /// The schemas that must hold beside `keywords`.
    fn conjuncts(&self, keywords: &'s Map<String, Value>) -> Vec<&'s Value> {
        let schema = self.schema;
        let mut all: Vec<_> =
            references(keywords).filter_map(|reference| schema.resolve(reference)).collect();
        all.extend(keywords.get("allOf").and_then(Value::as_array).into_iter().flatten());
        all
    }

    /// The alternatives that `value` may be meant as: those of its type and with its constants; if there are
    /// none, all.
    fn fitting(&self, branches: &'s [Value], value: &Value) -> Vec<&'s Value> {
        let fitting: Vec<_> = branches.iter().filter(|branch| self.fits(branch, value)).collect();
        if fitting.is_empty() { branches.iter().collect() } else { fitting }
    }

    fn fits(&self, branch: &'s Value, value: &Value) -> bool {
        if self.types_of(branch) & kind(value) == 0 {
            return false;
        }
        let (Value::Object(keywords), Value::Object(fields)) = (branch, value) else { return true };
        let own = keywords.get("properties").and_then(Value::as_object).into_iter().flatten();
        let constants = own.filter_map(|(name, schema)| Some((fields.get(name)?, schema)));
        let mut constants = constants.filter(|_| self.spend());
        constants.all(|(value, schema)| match (schema.get("const"), schema.get("enum")) {
            (Some(constant), _) => constant == value,
            (None, Some(Value::Array(values))) => values.contains(value),
            _ => true,
        }) && self.conjuncts(keywords).into_iter().all(|all| self.fits(all, value))
    }
}

impl Openness {
    fn and(self, other: Self) -> Self {
        Self { names: self.names || other.names, says: self.says || other.says }
    }
}

fn alternatives(keywords: &Map<String, Value>) -> impl Iterator<Item = &[Value]> {
    ["anyOf", "oneOf"].into_iter().filter_map(|key| keywords.get(key)?.as_array()).map(Vec::as_slice)
}

/// Schemas that may apply beside `keywords`, depending on the value.
fn conditionals(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let branches = ["if", "then", "else"].into_iter().filter_map(|key| keywords.get(key));
    let dependent =
        ["dependentSchemas", "dependencies"].into_iter().filter_map(|key| keywords.get(key)?.as_object());
    branches.chain(dependent.flat_map(|schemas| schemas.values()))
}
