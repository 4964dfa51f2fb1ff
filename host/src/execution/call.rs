//! One call as it comes in, and the one result that every call ends in.

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::error::CallError;
use crate::contract::Content;

/// One call, as a model or a program asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The call's identity, unique in its session.
    pub id: String,
    /// The tool's name, present or former.
    pub name: String,
    /// The input as it came.
    pub input: Value,
}

/// What a call ended in. There is exactly one for each call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// The call's identity.
    pub id: String,
    /// The tool's present name; for an unknown tool, the name that was asked for.
    pub tool: String,
    /// How it ended.
    pub ending: Ending,
    /// For the model. Of a call that failed it says what happened, why, and what to do instead.
    pub content: Vec<Content>,
    /// For programs.
    pub structured: Option<Value>,
    /// What hooks say to the model.
    pub context: Vec<String>,
    /// For the operator.
    pub notes: Vec<String>,
    /// Whether the turn should end after this call, and why, where a hook says so.
    pub stop: Option<String>,
    /// What each step came to.
    pub trail: Vec<StepReport>,
    /// From resolve to return.
    pub duration: Duration,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The work was done.
    Done,
    /// The work was tried and did not succeed.
    Failed,
    /// The call made no sense; another input would.
    Invalid,
    /// It was not allowed.
    Denied,
    /// It took too long.
    TimedOut,
    /// It was cancelled.
    Interrupted,
    /// The tool is at fault.
    Broken,
}

impl Ending {
    /// Whether the model is told of an error.
    #[must_use]
    pub fn is_error(self) -> bool {
        self != Self::Done
    }
}

/// What one step of the path came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// Its name, as in the path of one call.
    pub step: &'static str,
    /// One word or two.
    pub outcome: &'static str,
    /// One line.
    pub detail: Cow<'static, str>,
}

impl CallResult {
    /// The result of a call that was cancelled before it started.
    #[must_use]
    pub fn interrupted(call: Call) -> Self {
        Self::without_running(call, Ending::Interrupted, CallError::Interrupted.render())
    }

    /// The result of a call that is not run because the turn ended before it.
    #[must_use]
    pub fn not_run(call: Call, why: &str) -> Self {
        let text =
            format!("<tool_use_error>Not executed: the turn ended before this call: {why}</tool_use_error>");
        Self::without_running(call, Ending::Interrupted, text)
    }

    fn without_running(call: Call, ending: Ending, text: String) -> Self {
        Self {
            id: call.id,
            tool: call.name,
            ending,
            content: vec![Content::text(text)],
            structured: None,
            context: Vec::new(),
            notes: Vec::new(),
            stop: None,
            trail: Vec::new(),
            duration: Duration::ZERO,
        }
    }
}
