//! Fields that only the host may set are taken out of an input: step 5 of the path. What a model or a hook
//! writes into them never reaches a tool.
//!
//! Runs after validation, so a tool whose schema names such a field gets it as absent.

use serde_json::Value;

/// Names at the root of an input that only the host may set.
pub const HOST_FIELDS: [&str; 1] = ["dangerouslyDisableSandbox"];

/// Beginnings of such names.
pub const HOST_PREFIXES: [&str; 2] = ["_mortise", "mortise:"];

/// An input without them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stripped {
    /// What is left.
    pub input: Value,
    /// The names that were taken out, for the record; the model should hear of them, too.
    pub removed: Vec<String>,
}

/// Takes out the fields that only the host may set.
#[must_use]
pub fn strip(mut input: Value) -> Stripped {
    let mut removed = Vec::new();
    if let Value::Object(fields) = &mut input {
        fields.retain(|name, _| {
            let keep = !of_the_host(name);
            if !keep {
                removed.push(name.clone());
            }
            keep
        });
    }
    Stripped { input, removed }
}

/// Whether only the host may set a field of this name.
pub(super) fn of_the_host(name: &str) -> bool {
    HOST_FIELDS.contains(&name) || HOST_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
