//! How a call ends badly, and the ways `?` gets there. `Rejected` is for the model, which can send another input;
//! `Failed` says that the work was tried; `Interrupted` that the caller gave up.

use std::fmt::Display;

use crate::bindings::mortise::tool::types as contract;
use crate::{Outcome, Rejection};

/// How a call ends badly.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The input was wrong in a way that only the work could show; the model can correct itself.
    Rejected(Rejection),
    /// The work was tried and did not succeed. The content says why.
    Failed(Box<Outcome>),
    /// The call stopped because the caller gave up; see [`progress::checkpoint`](crate::progress::checkpoint).
    Interrupted,
}

impl Rejection {
    /// What was wrong and what to send instead.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None }
    }

    /// A number of the tool's own choosing, for programs.
    #[must_use]
    pub fn code(self, code: u32) -> Self {
        Self { code: Some(code), ..self }
    }
}

impl Failure {
    /// The input was wrong in a way that only the work could show.
    pub fn reject(message: impl Into<String>) -> Self {
        Self::Rejected(Rejection::new(message))
    }

    /// The work was tried and did not succeed.
    pub fn fail(message: impl Into<String>) -> Self {
        Self::Failed(Box::new(Outcome::text(message)))
    }
}

/// Says in the tool's own words what an error means. For results whose error `?` cannot turn into a [`Failure`], or
/// whose bare text would not help.
pub trait OrFail<T> {
    /// Turns the error into a failure that reads `what: error`.
    ///
    /// # Errors
    /// [`Failure::Failed`] if this was an error.
    fn or_fail(self, what: impl Display) -> Result<T, Failure>;

    /// Turns the error into a rejection that reads `what: error`.
    ///
    /// # Errors
    /// [`Failure::Rejected`] if this was an error.
    fn or_reject(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> OrFail<T> for Result<T, E> {
    fn or_fail(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::fail(format!("{what}: {error}")))
    }

    fn or_reject(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::reject(format!("{what}: {error}")))
    }
}

impl From<Failure> for contract::Failure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Rejected(rejection) => Self::Rejected(rejection),
            Failure::Failed(outcome) => Self::Failed(*outcome),
            Failure::Interrupted => Self::Interrupted,
        }
    }
}

impl From<contract::Failure> for Failure {
    fn from(failure: contract::Failure) -> Self {
        match failure {
            contract::Failure::Rejected(rejection) => Self::Rejected(rejection),
            contract::Failure::Failed(outcome) => Self::Failed(Box::new(outcome)),
            contract::Failure::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// An error in words, as the host's own functions give it.
impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::fail(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self::fail(message)
    }
}

macro_rules! failed_from {
    ($($error:ty),+) => { $(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::fail(error.to_string())
            }
        }
    )+ };
}

failed_from!(
    std::io::Error,
    std::fmt::Error,
    std::str::Utf8Error,
    std::string::FromUtf8Error,
    std::num::ParseIntError,
    std::num::ParseFloatError,
    serde_json::Error
);
