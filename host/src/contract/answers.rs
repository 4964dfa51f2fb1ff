//! The questionnaire, filled in for one input: step 3 of the path makes these, steps 6 to 8 use them.

use serde::{Deserialize, Serialize};

use super::defaults;

/// A tool's answers for one input, with every default filled in.
///
/// [`Answers::default`] is what a tool that traps, stalls or talks nonsense is taken to have said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// Whether it may run beside other calls.
    pub concurrency_safe: bool,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether it may destroy what cannot be had back.
    pub destructive: bool,
    /// Whether it deals with things outside this machine.
    pub open_world: bool,
    /// Whether only a person may approve it.
    pub needs_user: bool,
    /// What a surface may fold it under.
    pub activity: Option<Activity>,
    /// What this input would touch.
    pub subjects: Vec<Subject>,
    /// Why this input makes no sense.
    pub rejection: Option<Rejection>,
    /// The tool's own opinion; it can only tighten.
    pub verdict: Option<Verdict>,
    /// What a classifier should read beside the input.
    pub classify: String,
    /// For people; `None`: the tool's title.
    pub title: Option<String>,
    /// For people, one line.
    pub summary: Option<String>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            concurrency_safe: defaults::CONCURRENCY_SAFE,
            read_only: defaults::READ_ONLY,
            destructive: defaults::DESTRUCTIVE,
            open_world: defaults::OPEN_WORLD,
            needs_user: defaults::NEEDS_USER,
            activity: None,
            subjects: Vec::new(),
            rejection: None,
            verdict: None,
            classify: String::new(),
            title: None,
            summary: None,
        }
    }
}

/// What a surface may fold a call under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Reads something.
    Read,
    /// Searches something.
    Search,
    /// Lists something.
    Listing,
}

/// The tool's own opinion. There is no `Allow`: only the operator allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Ask a person, for this reason.
    Ask(String),
    /// Refuse, for this reason.
    Deny(String),
}

/// Something the model can put right by sending another input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// What was wrong and what to send instead.
    pub message: String,
    /// A number of the tool's own choosing.
    pub code: Option<u32>,
}

/// One thing that an input would touch, as the tool names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Subject {
    /// A file or folder.
    Path(PathSubject),
    /// A URL.
    Url(UrlSubject),
    /// A shell command line.
    Command {
        /// The whole line.
        command: String,
    },
    /// Any other text that a rule may match.
    Text {
        /// The text.
        text: String,
    },
    /// A kind that this host does not know: the host asks.
    Other {
        /// What the guest calls it.
        name: String,
        /// What the guest says of it, as JSON text.
        value: String,
    },
}

/// A file or folder that an input would touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathSubject {
    /// Absolute, relative to the working directory, or beginning with `~/`.
    pub path: String,
    /// What would be done with it.
    pub access: Access,
    /// How much of it.
    pub extent: Extent,
}

/// What would be done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Reading, listing, asking for attributes.
    Read,
    /// Changing; includes reading.
    Write,
}

/// How much of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// The file itself.
    File,
    /// The folder with all below it. On a file, the file itself.
    Tree,
}

/// A URL that an input would touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlSubject {
    /// Absolute.
    pub url: String,
    /// An HTTP method, in capitals.
    pub method: String,
}
