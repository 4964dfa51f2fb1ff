//! What ends a call before or in `call`, each in words for the one who can do something about it.

use std::time::Duration;

use crate::contract::{InvalidInput, Rejection, bytes, shorten};

/// Why a call came to no result of its own.
///
/// The text of each variant is what the model is told; [`CallError::audience`] says who can act on it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    /// Nothing in the pool has that name.
    #[error("No such tool available: {name}{}", or_meant(.nearest))]
    UnknownTool {
        /// As the model wrote it.
        name: String,
        /// Names in the pool that were likely meant, best first (see [`crate::contract::schema::nearest`]).
        nearest: Vec<String>,
    },
    /// The tool is deferred and its schema was never sent.
    #[error(
        "the schema of this tool has not been loaded yet, so its input could only be guessed: `{name}`; hint: find it with the tool search first, then call it again"
    )]
    NotShown {
        /// The tool's present name.
        name: String,
    },
    /// The input does not fit the tool's schema.
    #[error(transparent)]
    InvalidInput(#[from] InvalidInput),
    /// The tool says that this input makes no sense, when asked or in the work itself.
    #[error("{}", .0.message)]
    Rejected(Rejection),
    /// A hook stopped or refused the call.
    #[error("a hook refused this call of `{tool}`{}", because(.reason))]
    HookDenied {
        /// The tool's present name.
        tool: String,
        /// In the hook's words.
        reason: Option<String>,
    },
    /// Permission was refused, by a rule, the mode, the operator, or because nobody was there to ask.
    #[error("{why}")]
    Denied {
        /// For the model: what it cannot do and what to do instead.
        why: String,
        /// For the operator: the line that would allow it, where there is one.
        hint: String,
    },
    /// The user stopped it.
    #[error("[Request interrupted by user for tool use]")]
    Interrupted,
    /// The call used up its time.
    #[error("the call of `{tool}` did not finish within its {} and was stopped; hint: ask for less at once", time(.limit))]
    TimedOut {
        /// The tool's present name.
        tool: String,
        /// What it had.
        limit: Duration,
    },
    /// The call used up its memory.
    #[error("the call of `{tool}` needed more than its {} of memory and was stopped; hint: ask for less at once", bytes(*.limit))]
    OutOfMemory {
        /// The tool's present name.
        tool: String,
        /// Bytes that it had.
        limit: u64,
    },
    /// The guest crashed.
    #[error("the tool crashed: `{tool}`: {detail}")]
    Trapped {
        /// The tool's present name.
        tool: String,
        /// What the engine says of it.
        detail: String,
    },
    /// The tool cannot work as it is: its schema, its component or its source is broken.
    #[error("the tool is out of order: `{tool}`: {detail}")]
    Broken {
        /// The tool's present name.
        tool: String,
        /// What is wrong with it.
        detail: String,
    },
}

/// Who can do something about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The model, by calling otherwise.
    Model,
    /// The operator, by configuration or by another plugin.
    Operator,
}

/// Unicode scalar values of one error that a model is shown at most.
const MAX_TEXT: usize = 8_000;

impl CallError {
    /// Who can act on it.
    #[must_use]
    pub fn audience(&self) -> Audience {
        match self {
            Self::UnknownTool { .. }
            | Self::NotShown { .. }
            | Self::InvalidInput(_)
            | Self::Rejected(_)
            | Self::HookDenied { .. }
            | Self::Denied { .. }
            | Self::Interrupted
            | Self::TimedOut { .. }
            | Self::OutOfMemory { .. } => Audience::Model,
            Self::Trapped { .. } | Self::Broken { .. } => Audience::Operator,
        }
    }

    /// The text of the `tool_result`, bounded and wrapped in `<tool_use_error>`. What it quotes cannot close
    /// the wrapping.
    #[must_use]
    pub fn render(&self) -> String {
        let text = self.to_string().replace("<tool_use_error", "<\\tool_use_error");
        let text = text.replace("</tool_use_error", "<\\/tool_use_error");
        format!("<tool_use_error>{}</tool_use_error>", shorten(&text, MAX_TEXT))
    }
}

fn or_meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", quoted(names, " or ")),
    }
}

fn because(reason: &Option<String>) -> String {
    reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default()
}

fn quoted(words: &[String], between: &str) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(between)
}

fn time(limit: &Duration) -> String {
    if limit.subsec_millis() == 0 {
        format!("{} s", limit.as_secs())
    } else {
        format!("{} ms", limit.as_millis())
    }
}
