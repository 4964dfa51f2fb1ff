//! Writes what looks like a protocol message to its standard output and error.

use mortise_sdk::{Answers, Failure, Invocation, Outcome, Rejection, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Nothing is sent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The tool `registry_noisy`.
pub struct Noisy;

impl Tool for Noisy {
    type Input = Input;
    const NAME: &'static str = "registry_noisy";
    const DESCRIPTION: &'static str = "Speaks out of turn.";

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        println!(r#"{{"jsonrpc":"2.0","id":1,"result":"stdout"}}"#);
        eprintln!(r#"{{"jsonrpc":"2.0","id":1,"result":"stderr"}}"#);
        Ok("quiet".into())
    }
}

mortise_sdk::export!(Noisy);
