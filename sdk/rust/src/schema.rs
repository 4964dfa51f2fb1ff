//! JSON Schema 2020-12 from a type, as short as a model can use it: no dialect, no type name, no Rust number formats,
//! no `null` beside an optional field (leaving the field out says the same).

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// What is said when a type's schema cannot be written.
pub(crate) const ANY_OBJECT: &str = r#"{"type":"object"}"#;

/// The schema of what a model sends.
pub(crate) fn of_input<T: JsonSchema>() -> String {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12());
    schema.remove("description"); // the tool's own description says it
    write(&schema)
}

/// The schema of what programs get: as the type is written, where an absent value is a `null` unless it is skipped.
pub(crate) fn of_output<T: JsonSchema>() -> String {
    write(&generate::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

fn generate<T: JsonSchema>(mut settings: SchemaSettings) -> Map<String, Value> {
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.transforms.clear();
    let mut value = Schema::to_value(settings.into_generator().into_root_schema_for::<T>());
    shorten(&mut value);
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn write(schema: &Map<String, Value>) -> String {
    if schema.is_empty() {
        return ANY_OBJECT.to_owned();
    }
    serde_json::to_string(schema).unwrap_or_else(|_| ANY_OBJECT.to_owned())
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => {
            // The members of `properties` are named by the author and are not keywords.
            let required: Vec<String> = match map.get("required") {
                Some(Value::Array(names)) => {
                    names.iter().filter_map(|n| n.as_str().map(str::to_owned)).collect()
                }
                _ => Vec::new(),
            };
            for (keyword, part) in map.iter_mut() {
                match part {
                    Value::Object(members) if matches!(keyword.as_str(), "properties" | "$defs") => {
                        for (name, member) in members.iter_mut() {
                            if keyword == "properties" && !required.contains(name) {
                                drop_null(member);
                            }
                            shorten(member);
                        }
                    }
                    _ if matches!(keyword.as_str(), "default" | "const" | "enum" | "examples") => {}
                    _ => shorten(part),
                }
            }
            map.remove("title");
            if let Some(Value::String(description)) = map.get_mut("description") {
                *description = unwrapped(description);
            }
            if matches!(map.get("format"), Some(Value::String(format)) if is_rust_number(format)) {
                map.remove("format");
            }
        }
        _ => {}
    }
}

/// Doc comments without the line breaks that only keep the source narrow; paragraphs and lists stay.
fn unwrapped(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines() {
        let is_list = line.trim_start().starts_with(['-', '*', '|']);
        if joined.is_empty() || joined.ends_with('\n') {
            joined.push_str(line);
        } else if line.is_empty() {
            joined.push_str("\n\n");
        } else {
            joined.push(if is_list { '\n' } else { ' ' });
            joined.push_str(line);
        }
    }
    joined
}

fn is_rust_number(format: &str) -> bool {
    ["uint", "int", "float", "double"].iter().any(|prefix| format.starts_with(prefix))
}

/// Turns "this or null" into "this", for a field that may be left out.
fn drop_null(member: &mut Value) {
    let Value::Object(map) = member else { return };
    if map.get("default") == Some(&Value::Null) {
        map.remove("default");
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            map.remove("anyOf");
            for (keyword, part) in only {
                map.entry(keyword).or_insert(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(schemars::JsonSchema, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code, reason = "only its schema is looked at")]
    enum Mode {
        Short,
        Long,
    }

    /// Not repeated in the schema.
    #[derive(schemars::JsonSchema, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Input {
        /// Where, and
        /// how.
        path: String,
        /// How many.
        #[schemars(range(min = 1))]
        limit: Option<u32>,
        mode: Option<Mode>,
        #[serde(default)]
        title: bool,
    }

    #[test]
    fn an_input_schema_holds_what_a_model_needs_and_no_more() {
        let schema: Value = serde_json::from_str(&of_input::<Input>()).unwrap();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "path": {"description": "Where, and how.", "type": "string"},
                    "limit": {"description": "How many.", "type": "integer", "minimum": 1},
                    "mode": {"type": "string", "enum": ["short", "long"]},
                    "title": {"type": "boolean", "default": false},
                },
                "additionalProperties": false,
                "required": ["path"],
            })
        );
    }

    #[derive(schemars::JsonSchema, serde::Serialize)]
    struct Output {
        before: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }

    #[test]
    fn an_output_schema_fits_what_is_written() {
        let written = serde_json::to_value(Output { before: None, note: None }).unwrap();
        assert_eq!(written, json!({"before": null}));
        let schema: Value = serde_json::from_str(&of_output::<Output>()).unwrap();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {"before": {"type": ["string", "null"]}, "note": {"type": "string"}},
                "required": ["before"],
            })
        );
    }
}
