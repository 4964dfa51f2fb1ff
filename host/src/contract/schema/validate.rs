//! Step 2 of the path: an input against its schema. What comes out is proof that the check has run, with the
//! slips that were put right; what does not pass comes back as problems that a model can act on.

use std::fmt;

use serde_json::Value;

use super::Schema;
use super::coerce::{Note, mend};
use super::explain::explain;
use super::fuel::cost;
use super::graph::{text_size, within_depth};
use super::shape::Reader;
use super::shorten;
use super::unknown::unknown;

/// Levels of JSON in an input.
pub const MAX_INPUT_DEPTH: usize = 64;
/// Bytes of an input as JSON text.
pub const MAX_INPUT_BYTES: usize = 16 << 20;

/// Problems that are listed of one input.
pub(super) const MAX_PROBLEMS: usize = 8;
/// Unicode scalar values of one problem.
const MAX_PROBLEM_TEXT: usize = 600;

/// An input that fits its schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Valid {
    input: Value,
    notes: Vec<Note>,
}

impl Valid {
    /// The input, slips put right.
    #[must_use]
    pub fn input(&self) -> &Value {
        &self.input
    }

    /// The slips that were put right; the result should mention them.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Both, to go on with.
    #[must_use]
    pub fn into_parts(self) -> (Value, Vec<Note>) {
        (self.input, self.notes)
    }
}

/// What is wrong with an input, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidInput {
    /// What is wrong, never empty, at most eight.
    pub problems: Vec<Problem>,
    /// Whether there are more.
    pub more: bool,
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON Pointer to where it is; empty: the input itself.
    pub pointer: String,
    /// What is wrong and what is expected instead.
    pub message: String,
}

impl Problem {
    pub(super) fn new(pointer: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self { pointer: shorten(&pointer.into(), 200), message: shorten(message.as_ref(), MAX_PROBLEM_TEXT) }
    }
}

impl InvalidInput {
    fn one(message: impl AsRef<str>) -> Self {
        Self { problems: vec![Problem::new("", message)], more: false }
    }
}

impl std::error::Error for InvalidInput {}

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InputValidationError: the input does not fit the tool's schema, and nothing was done")?;
        for problem in &self.problems {
            match problem.pointer.as_str() {
                "" => write!(f, "\n- {}", problem.message)?,
                pointer => write!(f, "\n- `{pointer}`: {}", problem.message)?,
            }
        }
        if self.more {
            f.write_str("\n- and more")?;
        }
        Ok(())
    }
}

/// Validates an input, putting slips right where that makes it valid.
///
/// Compiles the schema if that was not done yet. A schema that does not compile refuses every input; to tell
/// that apart (the tool is out of order, the model cannot help it) call [`Schema::compile`] first.
///
/// # Errors
/// The input is out of bounds or does not fit, also with slips put right.
pub fn validate(schema: &Schema, input: Value) -> Result<Valid, InvalidInput> {
    bounds(&input)?;
    let compiled = schema.compiled().map_err(|error| InvalidInput::one(error.to_string()))?;
    let too_much = || {
        InvalidInput::one(
            "the input is too large or too deep to be checked against the tool's schema; hint: send less at once",
        )
    };
    let price = cost(schema, compiled, &input).ok_or_else(too_much)?;
    let reader = Reader::new(schema);
    if compiled.validator.is_valid(&input) {
        let unknown = unknown(&reader, &input, 1);
        if reader.spent() {
            return Err(too_much());
        }
        if unknown.is_empty() {
            return Ok(Valid { input, notes: Vec::new() });
        }
    }
    let Some((mended, notes)) = mend(&Reader::new(schema), &input) else {
        return Err(explain(schema, compiled, &input, price));
    };
    match cost(schema, compiled, &mended) {
        Some(_) if fits(schema, &mended) => Ok(Valid { input: mended, notes }),
        // A slip that would be put right again is not worth a word beside a real problem.
        Some(price) => Err(explain(schema, compiled, &mended, price)),
        None => Err(too_much()),
    }
}

/// Validates a structured output: no slips put right, and fields that the schema is silent on pass.
pub(crate) fn validate_output(schema: &Schema, output: &Value) -> Result<(), InvalidInput> {
    bounds(output)?;
    let compiled = schema.compiled().map_err(|error| InvalidInput::one(error.to_string()))?;
    let price = cost(schema, compiled, output)
        .ok_or_else(|| InvalidInput::one("it is too large or too deep to be checked"))?;
    if compiled.validator.is_valid(output) {
        return Ok(());
    }
    Err(explain(schema, compiled, output, price))
}

/// Whether an input fits as it is.
pub(super) fn fits(schema: &Schema, input: &Value) -> bool {
    let Ok(compiled) = schema.compiled() else { return false };
    let reader = Reader::new(schema);
    bounds(input).is_ok()
        && cost(schema, compiled, input).is_some()
        && compiled.validator.is_valid(input)
        && unknown(&reader, input, 1).is_empty()
        && !reader.spent()
}

fn bounds(input: &Value) -> Result<(), InvalidInput> {
    if !within_depth(input, MAX_INPUT_DEPTH) {
        return Err(InvalidInput::one(format!("the input is nested deeper than {MAX_INPUT_DEPTH} levels")));
    }
    let size = text_size(input);
    if size > MAX_INPUT_BYTES {
        let size = super::bytes(size as u64);
        return Err(InvalidInput::one(format!(
            "the input is larger than 16 MiB: about {size}; hint: send less at once"
        )));
    }
    Ok(())
}
