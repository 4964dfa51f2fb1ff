//! A tool that was once called otherwise, and one that its plugin has switched off.

use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Outcome, Rejection, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Nothing is sent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The tool `registry_present`, formerly `registry_former`.
pub struct Present;

impl Tool for Present {
    type Input = Input;
    const NAME: &'static str = "registry_present";
    const DESCRIPTION: &'static str = "Says under which name it was called.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.alias("registry_former")
    }

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, call: &Invocation) -> Result<Outcome, Failure> {
        Ok(call.tool.clone().into())
    }
}

/// The tool `registry_off`.
pub struct Off;

impl Tool for Off {
    type Input = Input;
    const NAME: &'static str = "registry_off";
    const DESCRIPTION: &'static str = "Is never offered.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.disabled()
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok("on after all".into())
    }
}

mortise_sdk::export!(Present, Off);
