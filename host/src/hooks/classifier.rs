//! The seam to a classifier: a second opinion on a call, started at step 4 of the path beside hooks and
//! prompts and used only if the mode needs it. A rewrite by a hook voids an opinion already asked for.

use async_trait::async_trait;

/// What a classifier reads. The host composes it from the input and the subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speculation {
    /// The call's identity, unique in its session.
    pub call: String,
    /// The tool's present name.
    pub tool: String,
    /// What the host composed.
    pub text: String,
    /// What the tool adds in its own words; untrusted, never a substitute for `text`, often empty.
    pub added: String,
}

/// What a classifier makes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opinion {
    /// Nothing speaks against it.
    Harmless,
    /// A person should look at it, for this reason.
    Doubtful(String),
    /// It cannot say; the same as not having been asked.
    Unknown,
}

/// Something that has an opinion on calls.
#[async_trait]
pub trait Classifier: Send + Sync {
    /// Judges one call. Dropping the future withdraws the question.
    async fn classify(&self, speculation: &Speculation) -> Opinion;

    /// Whether there is nobody to ask: the call is then spared the composing.
    fn idle(&self) -> bool {
        false
    }
}

/// No classifier: every opinion is [`Opinion::Unknown`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NoClassifier;

#[async_trait]
impl Classifier for NoClassifier {
    async fn classify(&self, _speculation: &Speculation) -> Opinion {
        Opinion::Unknown
    }

    fn idle(&self) -> bool {
        true
    }
}
