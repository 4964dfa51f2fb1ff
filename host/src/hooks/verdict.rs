//! The two closed sums: all that a hook can say. Nothing else gets from a hook into a call, so whoever
//! matches on these exhaustively has thought of everything.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// What a hook can say before a call: seven kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum BeforeVerdict {
    /// A line for the person at the surface; the model never sees it.
    Message(String),
    /// What the hook would have permission do. It is weighed against the rules and never widens them.
    PermissionIntent {
        /// Its wish.
        intent: Intent,
        /// For the person (allow, ask) or the model (deny).
        reason: Option<String>,
        /// Which hook, as the operator knows it.
        hook: String,
    },
    /// Another input, whole. It is validated, inspected and decided like a fresh one.
    UpdatedInput {
        /// The input that should take the place of the present one.
        input: Value,
        /// Which hook, as the operator knows it.
        hook: String,
    },
    /// The turn should not go on after this call's result.
    PreventContinuation,
    /// Why the turn does not go on, for the person.
    StopReason(String),
    /// Text for the model, beside the result.
    AdditionalContext(String),
    /// The call itself should not run; it ends here with an error result.
    Stop,
}

/// What a hook would have permission do.
///
/// Ordered by strength: of several wishes the strongest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// Run it unasked, where no rule says otherwise.
    Allow,
    /// Ask the operator.
    Ask,
    /// Put the call off: the turn ends with it undecided.
    Defer,
    /// Refuse it.
    Deny,
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Defer => "defer",
            Self::Deny => "deny",
        })
    }
}

/// What a hook can say after a call: five kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterVerdict {
    /// The hook was withdrawn before it had an answer.
    Cancelled {
        /// Which hook, as the operator knows it.
        hook: String,
    },
    /// Something the model must be told; what was done stays done.
    BlockingError {
        /// For the model.
        reason: String,
        /// Which hook, as the operator knows it.
        hook: String,
    },
    /// The turn should not go on after this call.
    StoppedContinuation {
        /// For the person.
        reason: Option<String>,
    },
    /// Text for the model, beside the result.
    AdditionalContext(String),
    /// Another result in the place of the tool's own.
    UpdatedOutput {
        /// In the shape of the tool's structured output; for an MCP tool, whatever the hook says.
        output: Value,
        /// Which hook, as the operator knows it.
        hook: String,
    },
}
