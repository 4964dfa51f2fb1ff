//! Subjects as the host sees them: every path absolute and followed to where it really leads, both spellings
//! kept. Step 6 of the path makes these; rules are matched against both.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use url::Url;

use super::shell::Line;
use crate::contract::{Access, Extent};

/// A subject that the host has resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Resolved {
    /// A file or folder.
    Path {
        /// Both spellings.
        #[serde(flatten)]
        forms: PathForms,
        /// What would be done.
        access: Access,
        /// How much of it.
        extent: Extent,
    },
    /// A URL.
    Url {
        /// Parsed by the WHATWG URL rules, so that every spelling of a host is one.
        url: Url,
        /// In capitals.
        method: String,
    },
    /// A shell command line.
    Command {
        /// The whole line.
        command: String,
        /// What is understood of it.
        #[serde(skip)]
        line: Arc<Line>,
    },
    /// Any other text.
    Text {
        /// The text.
        text: String,
    },
    /// Something the host cannot make sense of: never allowed by a rule on content, always asked.
    Opaque {
        /// What the guest said.
        text: String,
        /// Why it makes no sense.
        why: String,
    },
}

/// Two spellings of one path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PathForms {
    /// Absolute; `~`, `.` and `..` resolved as the kernel would; symlinks in the last part not followed.
    pub named: PathBuf,
    /// Symlinks followed as far as the path exists; what does not exist yet is kept as it was named.
    pub real: PathBuf,
}
