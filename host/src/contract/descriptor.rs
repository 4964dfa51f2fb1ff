//! What a tool says of itself, once: step 1 of the path resolves names to these.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::defaults;

/// A tool's description of itself, with every default filled in.
///
/// Made from a guest's `describe`, or written by hand for a native tool (start from [`Descriptor::new`]).
/// Serialised into the descriptor cache and hashed into every approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Descriptor {
    /// `[A-Za-z][A-Za-z0-9_-]{0,63}`.
    pub name: String,
    /// For people.
    pub title: String,
    /// Former names; a rule on any of them binds the tool.
    pub aliases: Vec<String>,
    /// For the model.
    pub description: String,
    /// Words that a search over deferred tools matches.
    pub search_hint: Option<String>,
    /// JSON Schema 2020-12 whose root is an object.
    pub input_schema: Value,
    /// JSON Schema 2020-12 of the structured output.
    pub output_schema: Option<Value>,
    /// Input fields that hold paths, URLs or commands.
    pub fields: Vec<Field>,
    /// Whether the tool is offered at all.
    pub enabled: bool,
    /// Whether the model's grammar may be constrained to the schema.
    pub strict: bool,
    /// Whether the same input twice does no more than once.
    pub idempotent: bool,
    /// When a result is spilled.
    pub result_limit: ResultLimit,
    /// When the model is shown the schema.
    pub loading: Loading,
    /// What the user's interrupt does to a running call.
    pub on_interrupt: OnInterrupt,
    /// Whether `preview` has something to say.
    pub previews: bool,
    /// The most this tool will ever want.
    pub needs: Vec<Need>,
}

impl Descriptor {
    /// A descriptor that says nothing but the three things without a default.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Value) -> Self {
        let name = name.into();
        Self {
            title: name.clone(),
            name,
            aliases: Vec::new(),
            description: description.into(),
            search_hint: None,
            input_schema,
            output_schema: None,
            fields: Vec::new(),
            enabled: defaults::ENABLED,
            strict: defaults::STRICT,
            idempotent: defaults::IDEMPOTENT,
            result_limit: ResultLimit::Characters(defaults::RESULT_LIMIT),
            loading: Loading::Eager,
            on_interrupt: OnInterrupt::Cancel,
            previews: defaults::PREVIEWS,
            needs: Vec::new(),
        }
    }

    /// Whether any need lets the tool change something, here or elsewhere.
    #[must_use]
    pub fn may_write(&self) -> bool {
        self.needs.iter().any(|need| match need {
            Need::WriteFiles | Need::HttpWrite(_) | Need::RunCommands | Need::CallTools(_) => true,
            Need::ReadFiles | Need::HttpRead(_) | Need::Secrets(_) | Need::AskUser | Need::Storage => false,
        })
    }

    /// The present name and every former one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// An input field with a meaning the host knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// JSON Pointer (RFC 6901); `*` as a segment stands for every element of an array.
    pub pointer: String,
    /// What the field holds.
    pub role: FieldRole,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldRole {
    /// A file or folder.
    Path,
    /// An absolute URL.
    Url,
    /// A shell command line.
    Command,
}

/// When a result is stored and handed over as a preview with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultLimit {
    /// Above this many Unicode scalar values of text.
    Characters(u32),
    /// Never.
    Unbounded,
}

/// When the model is shown the tool's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loading {
    /// From the start, unless the operator defers it.
    Eager,
    /// Once it was found by search.
    Deferred,
    /// From the start, whatever the operator's default.
    Always,
}

/// What the user's interrupt does to a running call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnInterrupt {
    /// Stops it.
    Cancel,
    /// Lets it finish first.
    Block,
}

/// One kind of reach that a tool may want.
///
/// A need that this host does not know never gets here: the plugin does not load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Reading files.
    ReadFiles,
    /// Writing files, and reading them.
    WriteFiles,
    /// GET and HEAD to these origins; empty: whatever host a subject names.
    HttpRead(Vec<String>),
    /// Any method to these origins; empty: whatever host a subject names.
    HttpWrite(Vec<String>),
    /// Running the approved command.
    RunCommands,
    /// Calling these tools; empty: any.
    CallTools(Vec<String>),
    /// Having these secrets attached to its requests.
    Secrets(Vec<String>),
    /// Asking the person.
    AskUser,
    /// Keeping small things between calls.
    Storage,
}
