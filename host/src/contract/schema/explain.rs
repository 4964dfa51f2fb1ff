//! What is wrong with an input, said so that a model can send a better one: where, what, what is expected,
//! and the nearest right name. Bounded in number and length whatever the schema and the input are.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::fuel::Cost;
use super::nearest::nearest;
use super::shape::{Reader, kind, types};
use super::shorten;
use super::unknown::{Unknown, push, unknown};
use super::validate::{InvalidInput, MAX_PROBLEMS, Problem};
use super::{Compiled, Schema};

/// Alternatives within alternatives that are looked into for the likeliest one.
const MAX_NESTING: usize = 3;

/// Explains why `input` does not fit.
pub(super) fn explain(schema: &Schema, compiled: &Compiled, input: &Value, cost: Cost) -> InvalidInput {
    let reader = Reader::new(schema);
    let mut problems = Vec::new();
    if cost.explainable() {
        for error in compiled.validator.iter_errors(input).take(MAX_PROBLEMS + 1) {
            describe(&reader, input, &error, 0, &mut problems);
        }
    }
    let unknown = unknown(&reader, input, MAX_PROBLEMS + 1);
    problems.extend(unknown.iter().map(unknown_field));
    // The same thing said by the schema (`additionalProperties: false`) and by us.
    let mut seen = Vec::new();
    problems.retain(|problem| {
        let new = !seen.contains(problem);
        seen.push(problem.clone());
        new
    });
    if problems.is_empty() {
        problems
            .push(Problem::new("", "it does not fit, in too many places to list; hint: send less at once"));
    }
    let more = problems.len() > MAX_PROBLEMS;
    problems.truncate(MAX_PROBLEMS);
    InvalidInput { problems, more }
}

fn describe<'s>(
    reader: &Reader<'s>,
    input: &Value,
    error: &ValidationError<'_>,
    nesting: usize,
    problems: &mut Vec<Problem>,
) {
    let pointer = error.instance_path().as_str();
    let (schemas, value) = at(reader, input, pointer);
    let say = |problems: &mut Vec<Problem>, message: String| problems.push(Problem::new(pointer, message));
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            problems.push(missing(reader, &schemas, value, pointer, name));
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = reader.names(&schemas, value);
            for name in unexpected.iter().take(MAX_PROBLEMS) {
                let absent = known.iter().copied().filter(|known| value.get(known).is_none());
                problems.push(unknown_field(&Unknown {
                    pointer: pointer.to_owned(),
                    name: name.clone(),
                    meant: nearest(name, absent).first().map(|&name| name.to_owned()),
                    known: known.iter().take(24).map(|&name| name.to_owned()).collect(),
                }));
            }
        }
        Kind::Type { .. } => {
            say(problems, format!("is {}, expected {}", a(kind(value)), expected(reader, &schemas, value)))
        }
        Kind::Enum { .. } | Kind::Constant { .. } => {
            let listed = reader.listed(&schemas, value).unwrap_or_default();
            say(
                problems,
                format!(
                    "is {}, which is not allowed; expected {}{}",
                    brief(value),
                    one_of(&listed),
                    meant(value, &listed)
                ),
            );
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } if nesting < MAX_NESTING => {
            match likeliest(context, pointer) {
                Some(errors) => {
                    for error in errors.iter().take(MAX_PROBLEMS) {
                        describe(reader, input, error, nesting + 1, problems);
                    }
                }
                None => say(
                    problems,
                    format!("is {}, expected {}", a(kind(value)), expected(reader, &schemas, value)),
                ),
            }
        }
        other => say(problems, sentence(other, error)),
    }
}

/// Of several alternatives, the one that the value most likely was meant as: of the right type, with fewest
/// faults. `None`: it has the type of none.
fn likeliest<'e>(
    context: &'e [Vec<ValidationError<'static>>],
    pointer: &str,
) -> Option<&'e Vec<ValidationError<'static>>> {
    let of_its_type = context.iter().filter(|errors| {
        !errors.iter().any(|error| {
            let here = error.instance_path().as_str() == pointer;
            here && matches!(error.kind(), Kind::Type { .. })
        })
    });
    // A wrong constant means that another alternative was meant.
    let constants = |errors: &Vec<ValidationError<'static>>| {
        errors.iter().filter(|error| matches!(error.kind(), Kind::Constant { .. })).count()
    };
    of_its_type.min_by_key(|errors| (constants(errors), errors.len()))
}

fn missing<'s>(
    reader: &Reader<'s>,
    schemas: &[&'s Value],
    object: &Value,
    pointer: &str,
    name: &str,
) -> Problem {
    let below = reader.field(schemas, object, name);
    let hint =
        nearest(name, object.as_object().into_iter().flat_map(|fields| fields.keys()).map(String::as_str));
    let known = reader.names(schemas, object);
    let hint = hint.into_iter().find(|name| known.binary_search(name).is_err());
    let hint = hint.map(|name| format!(" (there is `{}`)", shorten(name, 80))).unwrap_or_default();
    let message = format!(
        "the required field `{}` is missing{hint}, expected {}",
        shorten(name, 80),
        expected(reader, &below, &Value::Null)
    );
    Problem::new(pointer, message)
}

fn unknown_field(unknown: &Unknown) -> Problem {
    let name = shorten(&unknown.name, 80);
    let hint = match (&unknown.meant, unknown.known.as_slice()) {
        (Some(meant), _) => format!("; did you mean `{meant}`?"),
        (None, []) => "; there are none here".to_owned(),
        (None, known) => format!("; there are: `{}`", known.join("`, `")),
    };
    Problem::new(&unknown.pointer, format!("the field `{name}` is not known{hint}"))
}

/// The schemas and the value at a place of the input.
fn at<'s, 'v>(reader: &Reader<'s>, input: &'v Value, pointer: &str) -> (Vec<&'s Value>, &'v Value) {
    let (mut schemas, mut value) = (reader.root().to_vec(), input);
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let below = match value {
            Value::Object(fields) => {
                fields.get(&segment).map(|field| (reader.field(&schemas, value, &segment), field))
            }
            Value::Array(items) => segment
                .parse()
                .ok()
                .and_then(|index: usize| Some((reader.element(&schemas, value, index), items.get(index)?))),
            _ => None,
        };
        match below {
            Some(below) => (schemas, value) = below,
            None => return (Vec::new(), &Value::Null),
        }
    }
    (schemas, value)
}

/// What belongs in a place.
fn expected<'s>(reader: &Reader<'s>, schemas: &[&'s Value], value: &Value) -> String {
    if let Some(listed) = reader.listed(schemas, value).filter(|listed| !listed.is_empty()) {
        return one_of(&listed);
    }
    names(reader.types(schemas))
}

fn names(set: u8) -> String {
    if set == types::ANY {
        return "any value".to_owned();
    }
    let number = if set & types::FRACTION == 0 { "an integer" } else { "a number" };
    let all = [
        (types::STRING, "a string"),
        (types::INTEGER | types::FRACTION, number),
        (types::BOOLEAN, "a boolean"),
        (types::ARRAY, "an array"),
        (types::OBJECT, "an object"),
        (types::NULL, "null"),
    ];
    let named: Vec<_> = all.into_iter().filter(|(bit, _)| set & bit != 0).map(|(_, name)| name).collect();
    if named.is_empty() { "nothing".to_owned() } else { named.join(" or ") }
}

fn a(kind: u8) -> String {
    names(kind)
}

fn one_of(listed: &[&Value]) -> String {
    match listed {
        [] => "another value".to_owned(),
        [value] => brief(value),
        values => {
            let shown: Vec<_> = values.iter().take(16).map(|value| brief(value)).collect();
            let more = if values.len() > shown.len() { ", …" } else { "" };
            format!("one of {}{more}", shown.join(", "))
        }
    }
}

fn meant(value: &Value, listed: &[&Value]) -> String {
    let names = listed.iter().filter_map(|value| value.as_str());
    let nearest = value.as_str().map(|text| nearest(text, names)).unwrap_or_default();
    nearest.first().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// A value as JSON, shortened before it is serialised.
fn brief(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}`", Value::from(shorten(text, 60))),
        Value::Array(_) | Value::Object(_) => a(kind(value)),
        value => format!("`{value}`"),
    }
}

fn sentence(kind: &Kind, error: &ValidationError<'_>) -> String {
    match kind {
        Kind::Minimum { limit } => format!("is too small, expected at least `{limit}`"),
        Kind::Maximum { limit } => format!("is too large, expected at most `{limit}`"),
        Kind::ExclusiveMinimum { limit } => format!("is too small, expected more than `{limit}`"),
        Kind::ExclusiveMaximum { limit } => format!("is too large, expected less than `{limit}`"),
        Kind::MultipleOf { multiple_of } => format!("is not a multiple of `{multiple_of}`"),
        Kind::MinLength { limit } => format!("is too short, expected at least {limit} characters"),
        Kind::MaxLength { limit } => format!("is too long, expected at most {limit} characters"),
        Kind::MinItems { limit } => format!("has too few elements, expected at least {limit}"),
        Kind::MaxItems { limit } => format!("has too many elements, expected at most {limit}"),
        Kind::AdditionalItems { limit } => format!("has too many elements, expected at most {limit}"),
        Kind::MinProperties { limit } => format!("has too few fields, expected at least {limit}"),
        Kind::MaxProperties { limit } => format!("has too many fields, expected at most {limit}"),
        Kind::UniqueItems => "has the same element twice".to_owned(),
        Kind::Pattern { pattern } => format!("does not match the pattern `{}`", shorten(pattern, 120)),
        Kind::FalseSchema => "nothing may be given here".to_owned(),
        Kind::Contains => "has no element of the kind that one must be of".to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits more than one alternative, expected exactly one".to_owned(),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "fits none of the alternatives".to_owned(),
        Kind::Not { .. } => "is what it must not be".to_owned(),
        Kind::PropertyNames { error } => {
            let mut name = String::new();
            push(&mut name, error.instance().as_str().unwrap_or_default());
            format!("has a field whose name is not allowed: `{}`", shorten(&name, 80))
        }
        _ => shorten(&error.masked().to_string(), 200),
    }
}
