//! Inputs against schemas: what passes, what is put right, and what a model is told of the rest.

use mortise::execution::{Schema, coerce, validate};
use proptest::prelude::*;
use serde_json::{Value, json};

fn schema(properties: Value) -> Schema {
    Schema::check(&json!({"type": "object", "properties": properties})).unwrap()
}

fn passed(schema: &Schema, input: Value) -> (Value, usize) {
    let (input, notes) = validate(schema, input).expect("the input is valid").into_parts();
    (input, notes.len())
}

fn refused(schema: &Schema, input: Value) -> String {
    validate(schema, input).expect_err("the input is refused").to_string()
}

/// Asserts that `from` passes as `to`, with one note.
fn mended(field: Value, from: Value, to: Value) {
    let schema = schema(json!({"a": field}));
    assert_eq!(passed(&schema, json!({"a": from})), (json!({"a": to}), 1));
}

/// Asserts that `value` is refused.
fn not_mended(field: Value, value: Value) {
    let schema = schema(json!({"a": field}));
    assert!(validate(&schema, json!({"a": value})).is_err(), "{value}");
}

#[test]
fn a_valid_input_passes_unchanged() {
    let schema = schema(json!({"a": {"type": ["string", "integer"]}, "b": {"type": "object"}}));
    let input = json!({"a": "5", "b": {"free": null}});
    assert_eq!(passed(&schema, input.clone()), (input, 0));
}

#[test]
fn numbers_in_strings_are_put_right_and_only_exact_ones() {
    mended(json!({"type": "integer"}), json!("5"), json!(5));
    mended(json!({"type": "integer"}), json!(" -12 "), json!(-12));
    mended(json!({"type": "integer"}), json!("5.0"), json!(5));
    mended(json!({"type": "number"}), json!("0.50"), json!(0.5));
    mended(json!({"type": "integer"}), json!("18446744073709551615"), json!(u64::MAX));
    for text in ["", "five", "5 apples", "0x10", "1e3", "05", "+5", "5.5", "123456789012345678901234567890"] {
        not_mended(json!({"type": "integer"}), json!(text));
    }
    for text in ["0.1234567890123456789", "1e999", "NaN"] {
        not_mended(json!({"type": "number"}), json!(text));
    }
}

#[test]
fn booleans_in_strings_are_put_right_and_numbers_are_no_booleans() {
    mended(json!({"type": "boolean"}), json!("true"), json!(true));
    mended(json!({"type": "boolean"}), json!("False"), json!(false));
    for value in [json!("yes"), json!("1"), json!(1), json!("tRue"), json!("")] {
        not_mended(json!({"type": "boolean"}), value);
    }
}

#[test]
fn json_in_a_string_is_put_right_where_only_json_belongs() {
    let items = json!({"type": "array", "items": {"type": "integer"}});
    mended(items.clone(), json!("[1, 2]"), json!([1, 2]));
    let object = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
    mended(object.clone(), json!("{\"x\": 1}"), json!({"x": 1}));
    not_mended(object.clone(), json!("{\"x\": 1"));
    not_mended(object.clone(), json!("[1]"));
    not_mended(object, json!("[".repeat(100) + &"]".repeat(100)));
    // A slip within a slip.
    let schema = schema(json!({"a": items}));
    assert_eq!(passed(&schema, json!({"a": "[\"1\"]"})), (json!({"a": [1]}), 2));
    assert_eq!(passed(&schema, json!("{\"a\": [1]}")), (json!({"a": [1]}), 1));
}

#[test]
fn whole_numbers_and_booleans_become_text_where_only_text_belongs_and_fractions_do_not() {
    mended(json!({"type": "string"}), json!(5), json!("5"));
    mended(json!({"type": "string"}), json!(true), json!("true"));
    // 1.10 has become 1.1 by the time it is seen.
    not_mended(json!({"type": "string"}), json!(1.1));
    not_mended(json!({"type": ["string", "array"]}), json!(5));
    not_mended(json!({"type": "string"}), json!({}));
}

#[test]
fn null_stands_for_an_absent_option_and_not_for_a_required_field() {
    let schema = Schema::check(&json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": ["string", "null"]}},
        "required": ["a"],
    }))
    .unwrap();
    assert_eq!(passed(&schema, json!({"a": "x", "b": null})), (json!({"a": "x"}), 1));
    assert_eq!(passed(&schema, json!({"a": "x", "c": null})), (json!({"a": "x", "c": null}), 0));
    assert!(validate(&schema, json!({"a": null})).is_err());
}

#[test]
fn slips_are_put_right_through_references_alternatives_and_maps() {
    let document = json!({
        "type": "object",
        "properties": {
            "option": {"anyOf": [{"$ref": "#/$defs/inner"}, {"type": "null"}]},
            "list": {"type": "array", "items": {"$ref": "#/$defs/inner"}},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "$defs": {"inner": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    });
    let schema = Schema::check(&document).unwrap();
    let input = json!({"option": {"n": "1"}, "list": ["{\"n\": \"2\"}"], "map": {"x": "3"}});
    let right = json!({"option": {"n": 1}, "list": [{"n": 2}], "map": {"x": 3}});
    assert_eq!(passed(&schema, input), (right, 4));
}

#[test]
fn a_note_says_where_and_what() {
    let schema = schema(json!({"a/b": {"type": "integer"}}));
    let valid = validate(&schema, json!({"a/b": "5"})).unwrap();
    let note = &valid.notes()[0];
    assert_eq!(
        (note.pointer.as_str(), note.from.as_str(), note.to.as_deref()),
        ("/a~1b", "\"5\"", Some("5"))
    );
}

#[test]
fn an_input_that_stays_invalid_is_not_coerced() {
    let schema = schema(json!({"a": {"type": "integer", "maximum": 3}}));
    assert_eq!(coerce(&schema, &json!({"a": "5"})), None);
    assert!(refused(&schema, json!({"a": "5"})).contains("at most `3`"));
    assert!(coerce(&schema, &json!({"a": "2"})).is_some());
}

#[test]
fn unknown_fields_are_refused_with_the_nearest_name() {
    let schema = schema(json!({"file_path": {"type": "string"}, "limit": {"type": "integer"}}));
    for wrong in ["filePath", "path", "file_pth", "file"] {
        let text = refused(&schema, json!({wrong: "x"}));
        assert!(
            text.contains(&format!("the field `{wrong}` is not known; did you mean `file_path`?")),
            "{text}"
        );
    }
    let text = refused(&schema, json!({"zzz": 1}));
    assert!(text.contains("there are: `file_path`, `limit`"), "{text}");
    let none = Schema::check(&json!({"type": "object"})).unwrap();
    assert!(refused(&none, json!({"x": 1})).contains("there are none here"));
    assert!(validate(&none, json!({})).is_ok());
}

#[test]
fn unknown_fields_pass_where_the_schema_speaks_of_them() {
    for (keyword, value) in [
        ("additionalProperties", json!(true)),
        ("additionalProperties", json!({"type": "integer"})),
        ("unevaluatedProperties", json!(true)),
        ("patternProperties", json!({"^x": {"type": "integer"}})),
    ] {
        let mut document = json!({"type": "object", "properties": {"a": {}}});
        document[keyword] = value;
        assert!(validate(&Schema::check(&document).unwrap(), json!({"x": 1})).is_ok(), "{keyword}");
    }
    let closed = json!({"type": "object", "properties": {"limit": {}}, "additionalProperties": false});
    let text = refused(&Schema::check(&closed).unwrap(), json!({"limits": 1}));
    assert!(text.contains("did you mean `limit`?"), "{text}");
}

#[test]
fn unknown_fields_are_found_within_objects_arrays_references_and_alternatives() {
    let document = json!({
        "type": "object",
        "properties": {
            "inner": {"$ref": "#/$defs/inner"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/inner"}},
            "both": {"allOf": [{"$ref": "#/$defs/inner"}, {"properties": {"more": {}}}]},
            "either": {"oneOf": [
                {"properties": {"kind": {"const": "a"}, "x": {}}, "required": ["kind"]},
                {"properties": {"kind": {"const": "b"}, "y": {}}, "required": ["kind"]},
            ]},
            "conditions": {"properties": {"p": {}, "q": {}}, "anyOf": [{"required": ["p"]}, {"required": ["q"]}]},
            "free": {"type": "object"},
            "maybe_free": {"anyOf": [{"$ref": "#/$defs/inner"}, {"type": "object"}]},
        },
        "$defs": {"inner": {"type": "object", "properties": {"name": {"type": "string"}}}},
    });
    let schema = Schema::check(&document).unwrap();
    for input in [
        json!({"inner": {"name": "x"}}),
        json!({"list": [{"name": "x"}]}),
        json!({"both": {"name": "x", "more": 1}}),
        json!({"either": {"kind": "a", "x": 1}}),
        json!({"conditions": {"q": 1}}),
        json!({"free": {"what": 1}}),
        json!({"maybe_free": {"what": 1}}),
    ] {
        assert!(validate(&schema, input.clone()).is_ok(), "{input}");
    }
    for (input, pointer) in [
        (json!({"inner": {"nmae": "x"}}), "/inner"),
        (json!({"list": [{}, {"nmae": "x"}]}), "/list/1"),
        (json!({"both": {"name": "x", "less": 1}}), "/both"),
        (json!({"either": {"kind": "a", "y": 1}}), "/either"),
        (json!({"conditions": {"q": 1, "r": 1}}), "/conditions"),
    ] {
        let text = refused(&schema, input.clone());
        assert!(text.contains(&format!("`{pointer}`: the field")), "{input} {text}");
    }
}

#[test]
fn errors_say_what_to_send_instead() {
    let schema = Schema::check(&json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "mode": {"enum": ["content", "count"]},
            "limit": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string", "minLength": 2}},
            "target": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}]},
        },
        "required": ["path"],
    }))
    .unwrap();
    let text = refused(
        &schema,
        json!({"mode": "contents", "limit": 0, "tags": ["ok", "x"], "target": {}, "pth": "x"}),
    );
    let expected = "InputValidationError: the input does not fit the tool's schema, and nothing was done
- `/mode`: is `\"contents\"`, which is not allowed; expected one of `\"content\"`, `\"count\"`; did you mean `content`?
- `/limit`: is too small, expected at least `1`
- `/tags/1`: is too short, expected at least 2 characters
- `/target`: the required field `id` is missing, expected an integer
- the required field `path` is missing (there is `pth`), expected a string
- the field `pth` is not known; did you mean `path`?";
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&text), sorted(expected), "{text}");
    let text = refused(&schema, json!({"path": ["a"], "target": 5.5}));
    assert!(text.contains("`/path`: is an array, expected a string"), "{text}");
    assert!(text.contains("`/target`: is a number, expected a string or an object"), "{text}");
}

#[test]
fn problems_are_bounded_in_number_and_length() {
    let schema = schema(json!({"a": {"type": "array", "items": {"type": "integer"}}}));
    let long = "x".repeat(100_000);
    let items: Vec<_> = (0..1_000).map(|n| json!(format!("{n}{long}"))).take(50).collect();
    let refused = validate(&schema, json!({"a": items, long.clone(): 1})).unwrap_err();
    assert_eq!(refused.problems.len(), 8);
    assert!(refused.more);
    assert!(refused.to_string().len() < 10_000);
}

#[test]
fn an_input_out_of_bounds_is_refused_clearly() {
    let schema = schema(json!({"a": {}}));
    let mut deep = json!(1);
    for _ in 0..62 {
        deep = json!([deep]);
    }
    assert!(validate(&schema, json!({"a": deep.clone()})).is_ok());
    let text = refused(&schema, json!({"a": [deep]}));
    assert!(text.contains("nested deeper than 64 levels"), "{text}");
    assert!(validate(&schema, json!({"a": "x".repeat(15 << 20)})).is_ok());
    let text = refused(&schema, json!({"a": "x".repeat(17 << 20)}));
    assert!(text.contains("larger than 16 MiB"), "{text}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        "[a-d]",
        "[0-9]{1,3}",
        Just("true".to_owned()),
        Just("[1]".to_owned()),
        Just("{\"a\":\"1\"}".to_owned())
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-e]", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn varied() -> Schema {
    Schema::check(&json!({
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
            "c": {"type": "array", "items": {"$ref": "#"}},
            "d": {"$ref": "#/$defs/text"},
        },
        "$defs": {"text": {"type": "string"}},
    }))
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn validation_never_panics_and_what_it_lets_through_is_valid(input in any_json()) {
        let schema = varied();
        if let Ok(valid) = validate(&schema, input) {
            let again = validate(&schema, valid.input().clone()).expect("still valid");
            prop_assert_eq!(again.input(), valid.input());
            prop_assert!(again.notes().is_empty());
        }
    }

    #[test]
    fn coercion_is_idempotent_and_ends_valid_or_not_at_all(input in any_json()) {
        let schema = varied();
        if let Some((mended, notes)) = coerce(&schema, &input) {
            prop_assert!(!notes.is_empty());
            prop_assert!(validate(&schema, mended.clone()).is_ok());
            prop_assert_eq!(coerce(&schema, &mended), None);
        }
    }

    #[test]
    fn no_schema_makes_loading_or_validation_panic(schema in any_json(), input in any_json()) {
        let document = json!({"type": "object", "properties": {"a": schema}});
        if let Ok(schema) = Schema::check(&document) {
            let _ = validate(&schema, json!({"a": input}));
        }
    }
}
