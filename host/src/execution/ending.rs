//! The end of a call: whatever stopped it, or what came of it, becomes the one result.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use super::call::{CallResult, Ending};
use super::error::CallError;
use super::trail::{Telling, Trail};
use crate::contract::Content;

/// How a call ended, before it is a result.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) ending: Ending,
    pub(super) content: Vec<Content>,
    pub(super) structured: Option<Value>,
    pub(super) context: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) stop: Option<String>,
}

impl Default for Ended {
    fn default() -> Self {
        Self {
            ending: Ending::Broken,
            content: Vec::new(),
            structured: None,
            context: Vec::new(),
            notes: Vec::new(),
            stop: None,
        }
    }
}

impl From<CallError> for Ended {
    fn from(error: CallError) -> Self {
        let ending = match &error {
            CallError::UnknownTool { .. }
            | CallError::NotShown { .. }
            | CallError::InvalidInput(_)
            | CallError::Rejected(_) => Ending::Invalid,
            CallError::HookDenied { .. } | CallError::Denied { .. } => Ending::Denied,
            CallError::Interrupted => Ending::Interrupted,
            CallError::TimedOut { .. } => Ending::TimedOut,
            CallError::OutOfMemory { .. } => Ending::Failed,
            CallError::Trapped { .. } | CallError::Broken { .. } => Ending::Broken,
        };
        let content = vec![Content::text(error.render())];
        let notes = match error {
            CallError::Denied { hint, .. } => vec![hint],
            _ => Vec::new(),
        };
        Self { ending, content, notes, ..Self::default() }
    }
}

impl Ended {
    pub(super) fn into_result(
        self,
        id: String,
        tool: String,
        trail: Trail,
        duration: Duration,
    ) -> CallResult {
        CallResult {
            id,
            tool,
            ending: self.ending,
            content: self.content,
            structured: self.structured,
            context: self.context,
            notes: self.notes,
            stop: self.stop,
            trail: trail.into_steps(),
            duration,
        }
    }
}

impl Telling for Ended {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        let said = match self.context.len() {
            0 => "nothing was added to the result".into(),
            many => format!("{many} texts for the model were added").into(),
        };
        ("returned", said)
    }
}
