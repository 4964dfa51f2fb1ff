//! Never returns, and never calls the host while it does not.

use mortise_sdk::{Answers, Failure, Invocation, Outcome, Progress, Rejection, Tool, progress};
use schemars::JsonSchema;
use serde::Deserialize;

/// Where to spin.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `inspect` or `call`.
    at: String,
}

/// The tool `spin`.
pub struct Spin;

impl Tool for Spin {
    type Input = Input;
    const NAME: &'static str = "spin";
    const DESCRIPTION: &'static str = "Spins.";

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        if input.at == "inspect" {
            forever();
        }
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(_: Input, _: &Invocation) -> Result<Outcome, Failure> {
        // So that a test knows when to cancel it.
        progress::report(Progress::message("spinning"));
        forever()
    }
}

fn forever() -> ! {
    let mut turns = 0_u64;
    loop {
        turns = std::hint::black_box(turns.wrapping_add(1));
    }
}

mortise_sdk::export!(Spin);
