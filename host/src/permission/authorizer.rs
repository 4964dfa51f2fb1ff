//! The seam to the operator: how a question gets to a person, and what comes back.

use async_trait::async_trait;
use serde_json::Value;

use super::decision::Decision;
use super::grant::GrantSummary;
use super::subject::Resolved;

/// What the operator is asked. The words are the host's own; a guest's text is only ever quoted.
#[derive(Debug, Clone)]
pub struct Question {
    /// The tool's name.
    pub tool: String,
    /// `sha256:…` of the component; `native` for a native tool.
    pub digest: String,
    /// Where the tool comes from.
    pub origin: String,
    /// The call's identity.
    pub call: String,
    /// The host's normalised twin of the input.
    pub input: Value,
    /// What the call would touch.
    pub subjects: Vec<Resolved>,
    /// What the call would get.
    pub grant: GrantSummary,
    /// Why it is asked, and what would allow it for good.
    pub decision: Decision,
    /// `sha256:…` over all that an answer is bound to: the component, the descriptor, the input, the grant as
    /// resolved, the working directory, the policy. A surface that asks and is answered in two requests
    /// compares it.
    pub binding: String,
    /// What the tool says would happen; untrusted text.
    pub preview: Vec<String>,
}

/// What the operator said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This call, this once.
    Once,
    /// This and every call that the same rules would have allowed, until the session ends.
    Session,
    /// No; the reason goes to the model.
    Deny {
        /// In the operator's words.
        reason: Option<String>,
    },
    /// Nobody was there to be asked.
    Nobody,
}

/// Somebody who can be asked: a terminal, an MCP client, an inspector page, an embedding program.
#[async_trait]
pub trait Authorizer: Send + Sync {
    /// Puts one question. Dropping the future withdraws it.
    async fn authorize(&self, question: &Question) -> Answer;

    /// Whether a person is there; guests may ask (`session.interactive`).
    fn interactive(&self) -> bool {
        true
    }
}

/// Nobody there: every question is answered [`Answer::Nobody`], which denies.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

#[async_trait]
impl Authorizer for Nobody {
    async fn authorize(&self, _question: &Question) -> Answer {
        Answer::Nobody
    }

    fn interactive(&self) -> bool {
        false
    }
}
