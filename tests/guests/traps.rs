//! Crashes where it is told to, in the way it is told to.

use mortise_sdk::{
    Answers, Content, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, View,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Where and how.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `inspect`, `preview`, `call` or `render`; anything else is no crash.
    at: String,
    /// `panic`, `overflow` or `exit`.
    how: String,
}

/// The tool `traps`, which needs nothing.
pub struct Traps;

/// The tool `traps_asked`, which wants to write and shows beforehand what.
pub struct TrapsAsked;

impl Tool for Traps {
    type Input = Input;
    const NAME: &'static str = "traps";
    const DESCRIPTION: &'static str = "Crashes.";

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        crash("inspect", input);
        Ok(Answers::new().read_only().closed_world())
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        crash("call", &input);
        Ok("unharmed".into())
    }

    fn render(view: &View) -> Option<String> {
        let View::Succeeded((call, outcome)) = view else { return None };
        if call.input.contains(r#""at":"render""#) {
            panic!("as told");
        }
        Some(format!("**{}** came to {} block", call.tool, outcome.content.len()))
    }
}

impl Tool for TrapsAsked {
    type Input = Input;
    const NAME: &'static str = "traps_asked";
    const DESCRIPTION: &'static str = "Crashes while it shows what it would do.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.previews().needs(Need::WriteFiles)
    }

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().closed_world().subject(Subject::write_file("out.txt")))
    }

    fn preview(input: Input, _: &Invocation) -> Result<Vec<Content>, Rejection> {
        crash("preview", &input);
        Ok(vec!["a preview".into()])
    }

    fn call(input: Input, call: &Invocation) -> Result<Outcome, Failure> {
        Traps::call(input, call)
    }
}

fn crash(here: &str, input: &Input) {
    if input.at != here {
        return;
    }
    match input.how.as_str() {
        "overflow" => {
            deeper(1);
        }
        "exit" => std::process::exit(3),
        _ => panic!("as told"),
    }
}

#[allow(unconditional_recursion, reason = "that is the point")]
fn deeper(turns: u64) -> u64 {
    std::hint::black_box(deeper(std::hint::black_box(turns + 1)) + 1)
}

mortise_sdk::export!(Traps, TrapsAsked);
