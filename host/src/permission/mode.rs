//! What happens to a call that no rule speaks of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The permission mode (names as in Claude Code's settings).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Asks at the first use of what is not read-only.
    #[default]
    Default,
    /// Edits inside the working directories run unasked.
    AcceptEdits,
    /// Reads only.
    Plan,
    /// A classifier decides.
    Auto,
    /// What would be asked is denied.
    DontAsk,
    /// Everything runs that no deny or ask rule speaks of.
    BypassPermissions,
}

impl Mode {
    /// Every mode, for messages.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::AcceptEdits, Self::Plan, Self::Auto, Self::DontAsk, Self::BypassPermissions];

    /// Its name in settings and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::Auto => "auto",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "manual" {
            return Ok(Self::Default);
        }
        Self::ALL.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown mode `{text}`; hint: one of {names}")
        })
    }
}
