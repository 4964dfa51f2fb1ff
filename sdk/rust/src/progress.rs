//! Signs of life from a running call, and whether anyone still waits for it.

use crate::{Failure, Progress, host};

impl Progress {
    /// A line that says what is being done.
    pub fn message(text: impl Into<String>) -> Self {
        Self { message: Some(text.into()), done: None, total: None, data: None }
    }

    /// How much is done, and of how much if that is known. Must not decrease within a call.
    #[must_use]
    pub fn amount(self, done: f64, total: Option<f64>) -> Self {
        Self { done: Some(done), total, ..self }
    }
}

/// Hands progress to the caller. Never waits.
pub fn report(progress: Progress) {
    host::reporting::report(&progress);
}

/// Whether the caller has given up; a grace period follows.
pub fn cancelled() -> bool {
    host::reporting::cancelled()
}

/// Ends the call with `?` once the caller has given up.
///
/// # Errors
/// [`Failure::Interrupted`] if so.
pub fn checkpoint() -> Result<(), Failure> {
    if cancelled() { Err(Failure::Interrupted) } else { Ok(()) }
}
