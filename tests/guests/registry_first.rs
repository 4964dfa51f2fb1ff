//! A plugin as it is first seen: `registry_changing`, which needs nothing. `registry_second` is what it becomes.

use mortise_sdk::{Answers, Failure, Invocation, Outcome, Rejection, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Nothing is sent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The tool `registry_changing`.
pub struct Changing;

impl Tool for Changing {
    type Input = Input;
    const NAME: &'static str = "registry_changing";
    const DESCRIPTION: &'static str = "Says which one it is.";

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok("the first".into())
    }
}

/// The tool `registry_companion`, in the same plugin.
pub struct Companion;

impl Tool for Companion {
    type Input = Input;
    const NAME: &'static str = "registry_companion";
    const DESCRIPTION: &'static str = "Comes with the other one.";

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok("the companion".into())
    }
}

mortise_sdk::export!(Changing, Companion);
