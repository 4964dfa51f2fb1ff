//! One call going in, and what it leaves behind: step 9 of the path.

use serde_json::Value;

use super::{Content, Message, Rejection};

/// One call, as a tool gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// The tool's present name.
    pub tool: String,
    /// The call's identity, unique in its session.
    pub id: String,
    /// Valid against the tool's input schema.
    pub input: Value,
}

/// What a call leaves behind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// For the model, in order.
    pub content: Vec<Content>,
    /// For programs.
    pub structured: Option<Value>,
    /// Merge patch (RFC 7396) to the plugin's part of the shared context.
    pub context: Option<Value>,
    /// Extra messages for the conversation.
    pub messages: Vec<Message>,
    /// Passed to the surface unread.
    pub meta: Option<Value>,
}

impl Outcome {
    /// An outcome of one text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }
}

/// How a call can fail by its own account.
#[expect(
    clippy::large_enum_variant,
    reason = "it travels beside an outcome in a `Result` of the same size; a box would only cost"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The input was wrong in a way only the work could show.
    Rejected(Rejection),
    /// The work was tried and did not succeed; the content says why.
    Failed(Outcome),
    /// The call stopped because it was asked to.
    Interrupted,
}

/// A sign of life from a running call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// For people.
    pub message: Option<String>,
    /// How much is done; does not decrease within a call.
    pub done: Option<f64>,
    /// How much there is.
    pub total: Option<f64>,
    /// For programs.
    pub data: Option<Value>,
}
