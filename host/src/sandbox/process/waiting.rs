//! Time that a call spends waiting for a command. It has a limit of its own and does not count as the tool's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The clock of one visit's waiting. Clones are the same clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    shared: Arc<Mutex<Spent>>,
}

#[derive(Debug, Default)]
struct Spent {
    before: Duration,
    since: Option<Instant>,
}

/// Waiting under way; it ends when this is dropped.
pub(crate) struct Begun(Waiting);

impl Waiting {
    /// Begins to wait.
    pub(crate) fn begin(&self) -> Begun {
        self.lock().since = Some(Instant::now());
        Begun(self.clone())
    }

    /// All of it so far.
    fn spent(&self) -> Duration {
        let spent = self.lock();
        spent.before + spent.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Waits until a deadline has passed, put off by as long as was waited.
    pub(crate) async fn deadline(&self, deadline: Instant) {
        loop {
            let put_off = deadline + self.spent();
            if put_off <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(put_off).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut spent = self.0.lock();
        if let Some(since) = spent.since.take() {
            spent.before += since.elapsed();
        }
    }
}
