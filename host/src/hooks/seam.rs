//! The seam between a call and its hooks: what a hook is told, and the trait that every kind of hook comes
//! behind. Steps 7 and 10 of the path call it.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use super::verdict::{AfterVerdict, BeforeVerdict};
use crate::permission::Mode;

/// What hooks are told before a call.
#[derive(Debug, Clone, PartialEq)]
pub struct BeforeEvent {
    /// The session's identity.
    pub session: String,
    /// The call's identity, unique in its session.
    pub call: String,
    /// The tool's present name.
    pub tool: String,
    /// The host's normalised twin of the input.
    pub input: Value,
    /// Absolute.
    pub working_directory: PathBuf,
    /// The permission mode at the time.
    pub mode: Mode,
}

/// What hooks are told after a call.
#[derive(Debug, Clone, PartialEq)]
pub struct AfterEvent {
    /// The session's identity.
    pub session: String,
    /// The call's identity, unique in its session.
    pub call: String,
    /// The tool's present name.
    pub tool: String,
    /// The host's normalised twin of the input that ran.
    pub input: Value,
    /// Absolute.
    pub working_directory: PathBuf,
    /// The permission mode at the time.
    pub mode: Mode,
    /// How it went.
    pub happening: Happening,
    /// Wall clock of the call alone, without prompts and hooks.
    pub duration: Duration,
}

/// How a call went.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// It succeeded.
    Succeeded {
        /// The structured output; for a tool without one, its content.
        response: Value,
    },
    /// It was run and failed. Not said of calls that never ran: unknown, invalid or refused ones.
    Failed {
        /// For the model.
        error: String,
        /// Whether the user's interrupt ended it.
        interrupted: bool,
    },
}

/// All hooks of a session, as one. Implementations hand back what every hook said, in the order the hooks
/// were declared, whatever the order they finished in.
#[async_trait]
pub trait Hooks: Send + Sync {
    /// Asked at step 7. Dropping the future withdraws the question.
    async fn before(&self, event: &BeforeEvent) -> Vec<BeforeVerdict>;

    /// Told at step 10. Dropping the future withdraws it.
    async fn after(&self, event: &AfterEvent) -> Vec<AfterVerdict>;

    /// Whether there is nothing to ask: the call is then spared the making of events.
    fn idle(&self) -> bool {
        false
    }

    /// Whether a failure of the hooks themselves (a panic, a time-out) blocks the call. By default a failed
    /// hook has no opinion.
    fn on_failure_block(&self) -> bool {
        false
    }
}

/// No hooks: nothing is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

#[async_trait]
impl Hooks for NoHooks {
    async fn before(&self, _event: &BeforeEvent) -> Vec<BeforeVerdict> {
        Vec::new()
    }

    async fn after(&self, _event: &AfterEvent) -> Vec<AfterVerdict> {
        Vec::new()
    }

    fn idle(&self) -> bool {
        true
    }
}
