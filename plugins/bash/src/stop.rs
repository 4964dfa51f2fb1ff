//! The tool TaskStop: ends a command that Bash left running.

use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Outcome, Rejection, Tool, process};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The id of the command, as Bash answered it.
    task_id: Option<String>,
    /// The same, by its former name.
    shell_id: Option<String>,
}

/// What programs get.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    message: String,
    task_id: String,
    command: String,
}

/// The tool TaskStop.
pub struct TaskStop;

impl Input {
    fn id(&self) -> Result<&str, Rejection> {
        let id = self.task_id.as_deref().or(self.shell_id.as_deref()).filter(|id| !id.is_empty());
        id.ok_or_else(|| Rejection::new("`task_id` is missing: give the id that Bash answered"))
    }
}

impl Tool for TaskStop {
    type Input = Input;
    const NAME: &'static str = "TaskStop";
    const DESCRIPTION: &'static str = "Ends a command that Bash left running in the background, by its id, with \
        everything that it started. What it wrote stays in its output file.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Stop command")
            .search_hint("stop kill end background command task shell")
            .alias("KillShell")
            .alias("KillBash")
            .output::<Output>()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        let id = input.id()?;
        Ok(Answers::new().closed_world().concurrency_safe().title(format!("Stopping {id}")))
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        let id = input.id()?;
        let command = process::stop(id).map_err(Failure::reject)?;
        let message = format!("The command {id} was stopped: {command}");
        let output = Output { message: message.clone(), task_id: id.to_owned(), command };
        Ok(Outcome::text(message).structured(&output))
    }
}
