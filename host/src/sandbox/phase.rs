//! The phases a guest is run in, and what the host tells it of the session it runs in.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::process::Processes;
use crate::contract::Progress;

/// Which function of the contract an instance was made for. Every import asks it before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Says what it is; holds nothing and knows nothing.
    Describe,
    /// Fills in the questionnaire; holds nothing.
    Inspect,
    /// Says what would happen; holds reads that are allowed unasked.
    Preview,
    /// Does the work; holds the grant.
    Call,
    /// Puts a call into words for people; holds nothing.
    Render,
}

impl Phase {
    /// Whether nothing outside may be seen: clocks stand still and randomness is the same each time.
    #[must_use]
    pub fn is_powerless(self) -> bool {
        matches!(self, Self::Describe | Self::Inspect | Self::Render)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Describe => "describe",
            Self::Inspect => "inspect",
            Self::Preview => "preview",
            Self::Call => "call",
            Self::Render => "render",
        })
    }
}

/// What a guest may ask of the session, prepared by the host for one call.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// The call's identity.
    pub call: String,
    /// The session's commands.
    pub processes: Arc<Processes>,
    /// Absolute.
    pub working_directory: String,
    /// `config` of `[tools.NAME]`.
    pub configuration: Value,
    /// Whether a person is there.
    pub interactive: bool,
    /// By each spelling that the input may use: files that it names, that no rule denies and that were read.
    pub known: BTreeMap<String, KnownFile>,
    /// The plugin's part of the shared context.
    pub context: Value,
}

/// A file as the host last saw a tool of this session read or write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Nanoseconds since 1970, decimal.
    pub modified: String,
    /// SHA-256 in lower-case hexadecimal; empty unless `whole`.
    pub digest: String,
    /// Whether all of it was read.
    pub whole: bool,
}

/// Where progress goes. Called from within the guest's call: must not wait.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;
