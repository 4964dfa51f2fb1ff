//! A guard around hooks and a classifier that run inside this process: one that panics or hangs costs the call
//! nothing but its opinion, or, where the hooks themselves ask for it, blocks the call.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::JoinSet;

use super::classifier::{Classifier, Opinion, Speculation};
use super::seam::{AfterEvent, BeforeEvent, Hooks};
use super::verdict::{AfterVerdict, BeforeVerdict, Intent};

/// How long hooks may take, where nothing else is said.
pub const HOOK_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a classifier may take, where nothing else is said.
pub const CLASSIFIER_TIMEOUT: Duration = Duration::from_secs(60);

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
        match heard(self.timeout, async move { hooks.before(&event).await }).await {
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
        match heard(self.timeout, async move { hooks.after(&event).await }).await {
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

/// A classifier behind a guard: one that panics or does not answer within its time has no opinion.
pub struct GuardedClassifier {
    classifier: Arc<dyn Classifier>,
    timeout: Duration,
}

/// Puts a classifier behind a guard. `timeout` is wall clock for each call ([`CLASSIFIER_TIMEOUT`] by default).
#[must_use]
pub fn guarded_classifier(classifier: Arc<dyn Classifier>, timeout: Duration) -> GuardedClassifier {
    GuardedClassifier { classifier, timeout }
}

#[async_trait]
impl Classifier for GuardedClassifier {
    async fn classify(&self, speculation: &Speculation) -> Opinion {
        let (classifier, speculation) = (Arc::clone(&self.classifier), speculation.clone());
        let question = async move { classifier.classify(&speculation).await };
        heard(self.timeout, question).await.unwrap_or(Opinion::Unknown)
    }

    fn idle(&self) -> bool {
        self.classifier.idle()
    }
}

/// Runs one question as a task of its own, so that one that never yields holds up no caller; the task is
/// aborted when this future is dropped.
async fn heard<T: Send + 'static>(
    timeout: Duration,
    question: impl Future<Output = T> + Send + 'static,
) -> Result<T, &'static str> {
    let mut task = JoinSet::new();
    task.spawn(question);
    match tokio::time::timeout(timeout, task.join_next()).await {
        Ok(Some(Ok(answer))) => Ok(answer),
        Ok(Some(Err(_)) | None) => Err("failed"),
        Err(_) => Err("did not answer in time"),
    }
}
