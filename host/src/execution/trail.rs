//! What each step came to, in words: for `explain`, `demo` and the log. One call leaves one trail.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::call::StepReport;
use super::error::CallError;

/// The steps so far.
#[derive(Debug, Default)]
pub(super) struct Trail {
    steps: Vec<StepReport>,
}

/// What the value of a step says for itself.
pub(super) trait Telling {
    /// One word or two, and one line.
    fn tell(&self) -> (&'static str, Cow<'static, str>);
}

impl Trail {
    /// Writes down what a step came to, and hands it on.
    pub(super) fn step<T: Telling>(
        &mut self,
        step: &'static str,
        result: Result<T, CallError>,
    ) -> Result<T, CallError> {
        let (outcome, detail) = match &result {
            Ok(value) => value.tell(),
            Err(error) => ("ended", error.to_string().into()),
        };
        tracing::debug!(step, outcome, %detail);
        self.push(step, outcome, detail);
        result
    }

    /// Writes down a step that has no value.
    pub(super) fn push(
        &mut self,
        step: &'static str,
        outcome: &'static str,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.steps.push(StepReport { step, outcome, detail: detail.into() });
    }

    pub(super) fn into_steps(self) -> Vec<StepReport> {
        self.steps
    }
}

/// Joins what there is to say.
pub(super) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for word in words {
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}{word}");
    }
    text
}
