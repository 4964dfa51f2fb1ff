//! A guard around hooks that run inside this process: one that panics or hangs costs the call nothing but
//! its opinion, or, where the hooks themselves ask for it, blocks the call.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::JoinSet;

use super::seam::{AfterEvent, BeforeEvent, Hooks};
use super::verdict::{AfterVerdict, BeforeVerdict, Intent};

/// How long hooks may take, where nothing else is said.
pub const HOOK_TIMEOUT: Duration = Duration::from_secs(600);

/// Hooks behind a guard: they never panic and always answer within their time.
pub struct Guarded {
    hooks: Arc<dyn Hooks>,
    timeout: Duration,
}

/// Puts hooks behind a guard. `timeout` is wall clock for each event ([`HOOK_TIMEOUT`] by default).
#[must_use]
pub fn guarded(hooks: Arc<dyn Hooks>, timeout: Duration) -> Guarded {
    Guarded { hooks, timeout }
}

#[async_trait]
impl Hooks for Guarded {
    async fn before(&self, event: &BeforeEvent) -> Vec<BeforeVerdict> {
        let (hooks, event) = (Arc::clone(&self.hooks), event.clone());
        match self.run(async move { hooks.before(&event).await }).await {
            Ok(verdicts) => verdicts,
            Err(why) if self.hooks.on_failure_block() => vec![BeforeVerdict::PermissionIntent {
                intent: Intent::Deny,
                reason: Some(format!("a hook that must succeed {why}")),
                hook: IN_PROCESS.to_owned(),
            }],
            Err(why) => vec![BeforeVerdict::Message(format!("a hook {why}; it had no say"))],
        }
    }

    async fn after(&self, event: &AfterEvent) -> Vec<AfterVerdict> {
        let (hooks, event) = (Arc::clone(&self.hooks), event.clone());
        match self.run(async move { hooks.after(&event).await }).await {
            Ok(verdicts) => verdicts,
            Err(why) if self.hooks.on_failure_block() => vec![AfterVerdict::BlockingError {
                reason: format!("a hook that must succeed {why}"),
                hook: IN_PROCESS.to_owned(),
            }],
            Err(_) => vec![AfterVerdict::Cancelled { hook: IN_PROCESS.to_owned() }],
        }
    }

    fn idle(&self) -> bool {
        self.hooks.idle()
    }

    fn on_failure_block(&self) -> bool {
        self.hooks.on_failure_block()
    }
}

const IN_PROCESS: &str = "in-process hooks";

impl Guarded {
    /// Runs one question as a task of its own, so that a hook that never yields holds up no caller; the task
    /// is aborted when this future is dropped.
    async fn run<T: Send + 'static>(
        &self,
        question: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, &'static str> {
        let mut task = JoinSet::new();
        task.spawn(question);
        match tokio::time::timeout(self.timeout, task.join_next()).await {
            Ok(Some(Ok(answer))) => Ok(answer),
            Ok(Some(Err(_)) | None) => Err("failed"),
            Err(_) => Err("did not answer in time"),
        }
    }
}
