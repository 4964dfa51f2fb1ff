//! Sleeps for an hour: it waits in the host, where no tick of the engine reaches it.

use std::time::Duration;

use mortise_sdk::{Answers, Failure, Invocation, Outcome, Progress, Rejection, Tool, progress};
use schemars::JsonSchema;
use serde::Deserialize;

/// Where to sleep.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `inspect` or `call`.
    at: String,
}

/// The tool `sleep`.
pub struct Sleep;

impl Tool for Sleep {
    type Input = Input;
    const NAME: &'static str = "sleep";
    const DESCRIPTION: &'static str = "Sleeps.";

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        if input.at == "inspect" {
            hour();
        }
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        // So that a test knows when to cancel it.
        progress::report(Progress::message("sleeping"));
        hour();
        Ok("slept".into())
    }
}

fn hour() {
    std::thread::sleep(Duration::from_secs(3_600));
}

mortise_sdk::export!(Sleep);
