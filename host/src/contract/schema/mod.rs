//! A tool's input schema: looked over when the tool is loaded, compiled once when it is first needed, and
//! trusted never. Step 2 of the path validates against it.
//!
//! What a plugin writes here must not stall or bloat the host, so nothing is compiled before its size, depth
//! and references are known to be within bounds; nothing is ever fetched; patterns run in linear time.
//! Leaves to others: bounding what one input costs (`fuel`), what is said of it (`explain`).

mod coerce;
mod explain;
mod fuel;
mod graph;
mod nearest;
mod shape;
mod unknown;
mod validate;

use std::collections::HashMap;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value, json};

pub use coerce::{Note, coerce};
pub use nearest::nearest;
pub(crate) use validate::validate_output;
pub use validate::{InvalidInput, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, Problem, Valid, validate};

/// Bytes of a schema as JSON text.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// Levels of JSON in a schema.
pub const MAX_SCHEMA_DEPTH: usize = 64;

/// Distinct patterns in a schema: each may come to keep a cache of its own.
const MAX_PATTERNS: usize = 128;
/// Bytes of all compiled patterns together.
const MAX_PATTERN_BYTES: usize = 8 << 20;
/// The classes of size that a compiled pattern is sorted into; larger ones are refused.
const PATTERN_CLASSES: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// Bytes that one pattern may cache while it runs.
const PATTERN_CACHE: usize = 256 << 10;

/// A schema that was looked over. Holding one says that it is within bounds and refers to nothing outside
/// itself; whether every keyword makes sense is known once it is compiled.
#[derive(Debug)]
pub struct Schema {
    pub(super) document: Box<Value>,
    pub(super) anchors: HashMap<String, String>,
    patterns: Vec<String>,
    compiled: OnceLock<Result<Compiled, SchemaError>>,
}

/// A schema ready to be applied.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) validator: Validator,
    /// Bytes of each compiled pattern, rounded up to a class.
    pub(super) weights: HashMap<String, usize>,
}

/// Why a schema cannot be used; for the author of the tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The root is not a schema of an object.
    #[error("the root of an input schema must say `\"type\": \"object\"`")]
    NotAnObject,
    /// No schema at all: neither an object nor `true` or `false`.
    #[error("a schema is a JSON object, or `true` or `false`")]
    NoSchema,
    /// Alternatives at the root, which models are not shown.
    #[error(
        "the root of an input schema cannot have `{0}`; hint: put it into a property, or describe the alternatives"
    )]
    CombinedRoot(&'static str),
    /// More than [`MAX_SCHEMA_BYTES`].
    #[error("the schema is larger than 256 KiB")]
    TooLarge,
    /// More than [`MAX_SCHEMA_DEPTH`] levels, or as many by way of references.
    #[error("the schema is nested too deeply")]
    TooDeep,
    /// Compiling it would take too much.
    #[error("the schema is too tangled: {0}")]
    TooTangled(&'static str),
    /// A reference to another document; none is ever fetched.
    #[error("the schema refers to another document, and none is fetched; hint: copy it into `$defs`: `{0}`")]
    RemoteReference(String),
    /// A reference to nothing.
    #[error("the schema refers to something that is not in it{}: `{reference}`", or_meant(.nearest))]
    DanglingReference {
        /// As it is written.
        reference: String,
        /// Definitions that were likely meant.
        nearest: Vec<String>,
    },
    /// A reference that leads back to itself without going into the input.
    #[error("the schema refers to itself without end: `{0}`")]
    Cycle(String),
    /// A resource within the resource, by which references would change their meaning.
    #[error("the schema has an `$id` below its root; hint: use `$defs` and `#/$defs/…`: `{0}`")]
    NestedId(String),
    /// A pattern that is no pattern, is too large, or cannot run in linear time.
    #[error(
        "the schema has a pattern that cannot be used (look-around and back-references are not supported): `{0}`"
    )]
    Pattern(String),
    /// A keyword makes no sense.
    #[error("the schema is not valid: {0}")]
    Invalid(String),
}

impl Schema {
    /// Looks over an input schema without compiling it: milliseconds at most, whatever it is.
    ///
    /// # Errors
    /// The root is not an object schema or has alternatives; the schema is out of bounds; or it refers to
    /// what is not in it.
    pub fn check(document: &Value) -> Result<Self, SchemaError> {
        let root = document.as_object().ok_or(SchemaError::NotAnObject)?;
        if root.get("type") != Some(&Value::from("object")) {
            return Err(SchemaError::NotAnObject);
        }
        if let Some(keyword) = ["anyOf", "oneOf", "allOf"].into_iter().find(|name| root.contains_key(*name)) {
            return Err(SchemaError::CombinedRoot(keyword));
        }
        Self::check_output(document)
    }

    /// Looks over the schema of a structured output: as [`Schema::check`], but its root may be any schema.
    ///
    /// # Errors
    /// As [`Schema::check`].
    pub fn check_output(document: &Value) -> Result<Self, SchemaError> {
        if !(document.is_object() || document.is_boolean()) {
            return Err(SchemaError::NoSchema);
        }
        if !graph::within_depth(document, MAX_SCHEMA_DEPTH) {
            return Err(SchemaError::TooDeep);
        }
        if graph::text_size(document) > MAX_SCHEMA_BYTES {
            return Err(SchemaError::TooLarge);
        }
        let document = Box::new(document.clone());
        let survey = graph::survey(&document)?;
        if survey.patterns.len() > MAX_PATTERNS {
            return Err(SchemaError::TooTangled("more than 128 patterns"));
        }
        Ok(Self { document, anchors: survey.anchors, patterns: survey.patterns, compiled: OnceLock::new() })
    }

    /// The schema as it was given.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Compiles it now, if it was not compiled yet. [`super::validate`] does so by itself.
    ///
    /// # Errors
    /// A keyword or a pattern makes no sense; the tool is then out of order, whatever its input.
    pub fn compile(&self) -> Result<(), SchemaError> {
        self.compiled().map(|_| ())
    }

    pub(super) fn compiled(&self) -> Result<&Compiled, SchemaError> {
        let compiled = self.compiled.get_or_init(|| compile(&self.document, &self.patterns));
        compiled.as_ref().map_err(Clone::clone)
    }

    /// What a reference within the document refers to.
    pub(super) fn resolve(&self, reference: &str) -> Option<&Value> {
        graph::resolve(&self.document, &self.anchors, reference)
    }
}

fn compile(document: &Value, patterns: &[String]) -> Result<Compiled, SchemaError> {
    let mut weights = HashMap::new();
    let mut sum = 0;
    for pattern in patterns {
        let weight = weigh(pattern).ok_or_else(|| SchemaError::Pattern(pattern.clone()))?;
        sum += weight;
        if sum > MAX_PATTERN_BYTES {
            return Err(SchemaError::TooTangled("its patterns are too large together"));
        }
        weights.insert(pattern.clone(), weight);
    }
    let largest = PATTERN_CLASSES[PATTERN_CLASSES.len() - 1];
    let validator = build(document, largest).map_err(SchemaError::Invalid)?;
    Ok(Compiled { validator, weights })
}

/// The smallest class of size that a pattern compiles within.
fn weigh(pattern: &str) -> Option<usize> {
    let alone = json!({ "pattern": pattern });
    PATTERN_CLASSES.into_iter().find(|class| build(&alone, *class).is_ok())
}

fn build(document: &Value, pattern_size: usize) -> Result<Validator, String> {
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(pattern_size).dfa_size_limit(PATTERN_CACHE))
        .build(document)
        .map_err(|error| shorten(&error.masked().to_string(), 300))
}

/// The definitions of a document that `reference` was likely meant to name.
pub(super) fn dangling(document: &Map<String, Value>, reference: &str) -> SchemaError {
    let name = reference.rsplit('/').next().unwrap_or_default();
    let definitions = ["$defs", "definitions"].into_iter().filter_map(|key| document.get(key)?.as_object());
    let names = nearest(name, definitions.flat_map(|names| names.keys().map(String::as_str)));
    SchemaError::DanglingReference {
        reference: reference.to_owned(),
        nearest: names.into_iter().map(str::to_owned).collect(),
    }
}

fn or_meant(nearest: &[String]) -> String {
    nearest.first().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// A text cut to so many Unicode scalar values, with a mark where it was cut.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A size for people.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} bytes"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}
