//! One call as permission sees it: what the pipeline has learned of it by step 8.
//!
//! Leaves to others: all of the learning (`execution`).

use serde_json::Value;

use crate::config::{Limits, ToolOptions};
use crate::contract::{Answers, Descriptor, Subject};

/// One call as permission sees it. Start from [`Request::new`], which takes the unsafe answer for whatever
/// is not said.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The tool's present name, then its former ones.
    pub names: Vec<&'a str>,
    /// What the tool says of itself.
    pub descriptor: &'a Descriptor,
    /// Whether the operator has accepted the plugin as it is now; if not, it always asks, and what was granted
    /// to its name is suspended.
    pub accepted: bool,
    /// Whether it runs in the host's own process and so is held by no sandbox.
    pub native: bool,
    /// What the tool says of this input.
    pub answers: &'a Answers,
    /// What this input would touch.
    pub subjects: &'a [Subject],
    /// The input as the tool gets it.
    pub input: &'a Value,
    /// The host's normalised twin of the input.
    pub twin: &'a Value,
    /// `[tools.NAME]`.
    pub options: Option<&'a ToolOptions>,
    /// Ceiling of every call.
    pub limits: Limits,
    /// What hooks that ran before came to.
    pub hook: HookIntent,
    /// What the classifier thinks, where one was asked; counts in auto mode only.
    pub classifier: Option<ClassifierOpinion>,
    /// `sha256:…` of the component; `native` for a native tool.
    pub digest: &'a str,
    /// Where the tool comes from.
    pub origin: &'a str,
    /// The call's identity.
    pub call: &'a str,
}

/// What hooks that ran before came to. A hook's refusal ends the call before permission is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HookIntent {
    /// Nothing.
    #[default]
    None,
    /// Ask the operator, for this reason.
    Ask(String),
    /// Do not ask the operator, where no rule says to.
    Allow,
}

/// What a classifier thinks of a call. Whoever asks it turns its failure into a `Deny`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifierOpinion {
    /// Harmless.
    Allow,
    /// Not harmless, for this reason.
    Deny(String),
}

impl<'a> Request<'a> {
    /// A call of a sandboxed plugin that nobody has accepted, without options, hooks or classifier.
    #[must_use]
    pub fn new(descriptor: &'a Descriptor, answers: &'a Answers, input: &'a Value, call: &'a str) -> Self {
        Self {
            names: descriptor.names().collect(),
            descriptor,
            accepted: false,
            native: false,
            answers,
            subjects: &answers.subjects,
            input,
            twin: input,
            options: None,
            limits: Limits::default(),
            hook: HookIntent::None,
            classifier: None,
            digest: "",
            origin: "",
            call,
        }
    }

    /// The names that an allow rule may call it by. What a plugin says it was once called opens nothing: only for
    /// tools of the host's own does a former name count here.
    pub(super) fn allowed_names(&self) -> &[&'a str] {
        let own = self.native || self.origin.starts_with("embedded:");
        if own { &self.names } else { &self.names[..self.names.len().min(1)] }
    }

    /// The tool's present name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.descriptor.name
    }
}
