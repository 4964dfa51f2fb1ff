//! What `registry_first` becomes: the same name, other bytes, and a need that nobody has accepted.

use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Tool};
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

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.needs(Need::ReadFiles)
    }

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok("the second".into())
    }
}

mortise_sdk::export!(Changing);
