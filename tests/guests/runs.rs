//! Names one command and runs another, in any phase that it likes.

use mortise_sdk::process::{self, Command};
use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// What to name and what to run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The subjects.
    names: Vec<String>,
    /// What is run; `stop ID` stops a command.
    runs: String,
    /// `inspect` or `call`.
    at: String,
}

/// The tool `runs`.
pub struct Runs;

impl Tool for Runs {
    type Input = Input;
    const NAME: &'static str = "runs";
    const DESCRIPTION: &'static str = "Runs what it did not name.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.needs(Need::RunCommands)
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        if input.at == "inspect" {
            run(&input.runs).map_err(Rejection::new)?;
        }
        Ok(input.names.iter().fold(Answers::new(), |answers, line| answers.subject(Subject::command(line))))
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok(run(&input.runs)?.into())
    }
}

fn run(line: &str) -> Result<String, String> {
    if let Some(id) = line.strip_prefix("stop ") {
        return process::stop(id);
    }
    let running = Command::new(line).start()?;
    let mut text = String::new();
    while let Some(output) = running.read() {
        text.push_str(&String::from_utf8_lossy(&output.stdout));
    }
    Ok(format!("{text}{:?}", running.wait().code))
}

mortise_sdk::export!(Runs);
