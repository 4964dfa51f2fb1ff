//! Schemas that plugins write: what loads, what is refused, and that nothing hostile stalls the host.

use mortise::execution::{Schema, SchemaError, validate};
use serde_json::{Value, json};

fn object(extra: Value) -> Value {
    let mut schema = json!({"type": "object"});
    schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    schema
}

fn refused(schema: &Value) -> SchemaError {
    Schema::check(schema).expect_err("the schema is refused")
}

#[test]
fn an_object_schema_loads_and_compiles() {
    let schema = Schema::check(&object(json!({"properties": {"a": {"type": "string"}}}))).unwrap();
    assert_eq!(schema.compile(), Ok(()));
}

#[test]
fn a_root_that_is_no_object_is_refused() {
    for schema in
        [json!(true), json!([]), json!({}), json!({"type": "string"}), json!({"type": ["object", "null"]})]
    {
        assert_eq!(refused(&schema), SchemaError::NotAnObject);
    }
}

#[test]
fn alternatives_at_the_root_are_refused_and_in_a_property_are_not() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let mut schema = object(json!({}));
        schema[keyword] = json!([{"required": ["a"]}]);
        assert_eq!(refused(&schema), SchemaError::CombinedRoot(keyword));
        let mut inner = json!({});
        inner[keyword] = json!([{"type": "string"}]);
        assert!(Schema::check(&object(json!({"properties": {"a": inner}}))).is_ok());
    }
}

#[test]
fn references_within_the_document_resolve_and_others_are_refused() {
    let schema = object(json!({
        "properties": {"a": {"$ref": "#/$defs/na%20me"}, "b": {"$ref": "#anchor"}, "c": {"$ref": "#/$defs/x~1y"}},
        "$defs": {"na me": {"type": "integer"}, "y": {"$anchor": "anchor", "type": "integer"}, "x/y": {"type": "integer"}},
    }));
    let schema = Schema::check(&schema).unwrap();
    assert!(validate(&schema, json!({"a": 1, "b": 2, "c": 3})).is_ok());
    for field in ["a", "b", "c"] {
        assert!(validate(&schema, json!({field: {}})).is_err());
    }
    for reference in ["https://example.com/schema.json", "file:///etc/passwd", "other.json", "//host/x"] {
        let schema = object(json!({"properties": {"a": {"$ref": reference}}}));
        assert_eq!(refused(&schema), SchemaError::RemoteReference(reference.to_owned()));
    }
}

#[test]
fn a_reference_to_nothing_names_the_nearest_definition() {
    let schema = object(json!({"properties": {"a": {"$ref": "#/$defs/Opton"}}, "$defs": {"Option": {}}}));
    let text = refused(&schema).to_string();
    assert!(text.contains("`Option`") && text.contains("`#/$defs/Opton`"), "{text}");
}

#[test]
fn an_unknown_meta_schema_is_never_fetched() {
    let schema = object(json!({"$schema": "https://example.com/meta.json"}));
    let refused = Schema::check(&schema).and_then(|schema| schema.compile());
    assert!(matches!(refused, Err(SchemaError::Invalid(_))), "{refused:?}");
}

#[test]
fn a_reference_that_leads_to_itself_in_place_is_refused_and_a_recursive_type_is_not() {
    let endless = [
        json!({"properties": {"a": {"$ref": "#/properties/a"}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"allOf": [{"$ref": "#/$defs/y"}]}, "y": {"not": {"$ref": "#/$defs/x"}}}}),
        json!({"if": {"$ref": "#"}}),
    ];
    for schema in endless {
        assert!(matches!(refused(&object(schema)), SchemaError::Cycle(_)));
    }
    let tree = object(json!({"properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}));
    let tree = Schema::check(&tree).unwrap();
    assert!(validate(&tree, json!({"children": [{"children": []}]})).is_ok());
    assert!(validate(&tree, json!({"children": [{"children": [{"childs": []}]}]})).is_err());
}

#[test]
fn a_resource_within_the_resource_is_refused() {
    let schema =
        object(json!({"$id": "https://a.example/", "properties": {"a": {"$id": "https://b.example/"}}}));
    assert!(matches!(refused(&schema), SchemaError::NestedId(_)));
    // A field of that name is none.
    assert!(Schema::check(&object(json!({"properties": {"$id": {"type": "string"}}}))).is_ok());
}

#[test]
fn a_schema_out_of_bounds_is_refused() {
    let mut deep = json!({"type": "string"});
    for _ in 0..70 {
        deep = json!({"items": deep});
    }
    assert_eq!(refused(&object(json!({"properties": {"a": deep}}))), SchemaError::TooDeep);
    let values: Vec<_> = (0..60_000).collect();
    assert_eq!(refused(&object(json!({"properties": {"a": {"enum": values}}}))), SchemaError::TooLarge);
    let chain: serde_json::Map<_, _> =
        (0..3_000).map(|n| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", n + 1)}))).collect();
    let mut chain = object(json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": chain}));
    chain["$defs"]["d3000"] = json!({});
    assert_eq!(refused(&chain), SchemaError::TooDeep);
}

#[test]
fn patterns_run_in_linear_time_and_are_bounded() {
    let with = |pattern: &str| {
        Schema::check(&object(json!({"properties": {"a": {"type": "string", "pattern": pattern}}}))).unwrap()
    };
    let evil = with("^(a+)+$");
    assert_eq!(evil.compile(), Ok(()));
    assert!(validate(&evil, json!({"a": "a".repeat(20_000) + "!"})).is_err());
    assert!(validate(&evil, json!({"a": "a".repeat(20_000)})).is_ok());
    for pattern in ["(?=x)y", r"(a)\1", "(((a{1000}){1000}){1000})", "("] {
        let schema = Schema::check(&object(json!({"properties": {"a": {"pattern": pattern}}}))).unwrap();
        assert!(schema.compile().is_err(), "{pattern}");
        assert!(validate(&schema, json!({"a": "y"})).is_err(), "{pattern}");
    }
}

#[test]
fn alternatives_of_alternatives_by_reference_are_stopped() {
    let mut definitions = serde_json::Map::new();
    for n in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(format!("d{n}"), json!({"anyOf": [next, next], "oneOf": [next, next]}));
    }
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let schema = object(json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}));
    let schema = Schema::check(&schema).unwrap();
    let refused = validate(&schema, json!({"a": 1})).unwrap_err().to_string();
    assert!(refused.contains("too large or too deep to be checked"), "{refused}");
}

#[test]
fn recursion_that_doubles_with_each_level_of_the_input_is_stopped() {
    let schema = object(json!({
        "properties": {"a": {"$ref": "#/$defs/t"}},
        "$defs": {"t": {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/t"}, {"$ref": "#/$defs/t"}]}}},
    }));
    let schema = Schema::check(&schema).unwrap();
    let mut input = json!(1);
    for _ in 0..50 {
        input = json!({"x": input});
    }
    assert!(validate(&schema, json!({"a": input})).is_err());
    assert!(validate(&schema, json!({"a": {"x": {"x": {}}}})).is_ok());
}

#[test]
fn unevaluated_fields_are_honoured_and_their_nesting_is_bounded() {
    let nested = |levels: usize| {
        let mut nested = json!({"properties": {"x": {"type": "integer"}}});
        for _ in 0..levels {
            nested = json!({"allOf": [nested], "unevaluatedProperties": false});
        }
        Schema::check(&object(json!({"properties": {"a": nested}}))).unwrap()
    };
    assert!(validate(&nested(2), json!({"a": {"x": 1}})).is_ok());
    assert!(validate(&nested(2), json!({"a": {"y": 1}})).is_err());
    let refused = validate(&nested(25), json!({"a": {"x": 1}})).unwrap_err().to_string();
    assert!(refused.contains("too large or too deep to be checked"), "{refused}");
}

#[test]
fn an_input_at_its_bounds_does_not_overflow_the_stack() {
    let schema = object(json!({
        "properties": {"a": {"$ref": "#/$defs/t"}},
        "$defs": {"t": {"anyOf": [{"allOf": [{"type": "array", "items": {"$ref": "#/$defs/t"}}]}]}},
    }));
    let schema = Schema::check(&schema).unwrap();
    for (levels, wrong) in [(57, false), (57, true)] {
        let mut input = if wrong { json!(1) } else { json!([]) };
        for _ in 0..levels {
            input = json!([input]);
        }
        assert_eq!(validate(&schema, json!({"a": input})).is_err(), wrong);
    }
}

#[test]
fn a_schema_at_its_bounds_does_not_overflow_the_stack() {
    let levels = 90;
    let mut definitions = serde_json::Map::new();
    for n in 0..levels {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(format!("d{n}"), json!({"anyOf": [next]}));
    }
    definitions.insert(format!("d{levels}"), json!({"type": "string"}));
    let schema = object(json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}));
    let schema = Schema::check(&schema).unwrap();
    assert!(validate(&schema, json!({"a": "x"})).is_ok());
    assert!(validate(&schema, json!({"a": []})).is_err());
}

#[test]
fn alternatives_do_not_multiply_a_large_value_in_errors() {
    let branches: Vec<_> = (0..2_000).map(|n| json!({"const": n})).collect();
    let schema = object(json!({"properties": {"a": {"anyOf": branches}}}));
    let schema = Schema::check(&schema).unwrap();
    let refused = validate(&schema, json!({"a": "x".repeat(4 << 20)})).unwrap_err().to_string();
    assert!(refused.len() < 10_000);
}
