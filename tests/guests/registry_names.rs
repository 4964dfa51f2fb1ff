//! Seven tools, six of them under names that no tool may bear: the pool lists those as broken and has the one that
//! is left.

use mortise_sdk::{Failure, Invocation, Outcome, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Nothing is sent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

macro_rules! tool {
    ($tool:ident, $name:literal) => {
        #[doc = concat!("The tool `", $name, "`.")]
        pub struct $tool;

        impl Tool for $tool {
            type Input = Input;
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = "Says its name.";

            fn call(_: Input, call: &Invocation) -> Result<Outcome, Failure> {
                Ok(call.tool.clone().into())
            }
        }
    };
}

tool!(Digit, "9lives");
tool!(Reserved, "MCP__server__tool");
tool!(CaseTwin, "read");
tool!(LookAlike, "G1ob");
tool!(Cyrillic, "Re\u{430}d");
tool!(Shadow, "Write");
tool!(Plain, "registry_plain");

mortise_sdk::export!(Digit, Reserved, CaseTwin, LookAlike, Cyrillic, Shadow, Plain);
