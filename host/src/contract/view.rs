//! What a tool can be asked to put into words for people, and how it is handed over.

use super::bindings::exports::mortise::tool::toolset as wit_toolset;
use super::bindings::mortise::tool::types as wit;
use super::{Blob, Content, Failure, Invocation, Message, Outcome, Progress, Rejection, Role};

/// A moment of a call, to be rendered.
#[derive(Debug, Clone, PartialEq)]
pub enum View {
    /// About to run.
    Using(Invocation),
    /// Under way, with what it said of itself so far.
    Progressing(Invocation, Vec<Progress>),
    /// Done.
    Succeeded(Invocation, Outcome),
    /// Tried in vain.
    Failed(Invocation, Failure),
    /// Not allowed, and why.
    Refused(Invocation, String),
    /// Several calls of one tool, folded into one line.
    Grouped(Vec<Invocation>),
}

impl View {
    /// The tool whose calls these are.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Using(call)
            | Self::Progressing(call, _)
            | Self::Succeeded(call, _)
            | Self::Failed(call, _)
            | Self::Refused(call, _) => Some(&call.tool),
            Self::Grouped(calls) => calls.first().map(|call| call.tool.as_str()),
        }
    }
}

impl From<&View> for wit_toolset::View {
    fn from(view: &View) -> Self {
        match view {
            View::Using(call) => Self::Using(call.into()),
            View::Progressing(call, progress) => {
                Self::Progressing((call.into(), progress.iter().map(wit::Progress::from).collect()))
            }
            View::Succeeded(call, outcome) => Self::Succeeded((call.into(), outcome.into())),
            View::Failed(call, failure) => Self::Failed((call.into(), failure.into())),
            View::Refused(call, why) => Self::Refused((call.into(), why.clone())),
            View::Grouped(calls) => Self::Grouped(calls.iter().map(wit::Invocation::from).collect()),
        }
    }
}

impl From<&Outcome> for wit::Outcome {
    fn from(outcome: &Outcome) -> Self {
        Self {
            content: outcome.content.iter().map(wit::Content::from).collect(),
            structured: outcome.structured.as_ref().map(ToString::to_string),
            context: outcome.context.as_ref().map(ToString::to_string),
            messages: outcome.messages.iter().map(wit::Message::from).collect(),
            meta: outcome.meta.as_ref().map(ToString::to_string),
            extensions: Vec::new(),
        }
    }
}

impl From<&Failure> for wit::Failure {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Rejected(Rejection { message, code }) => {
                Self::Rejected(wit::Rejection { message: message.clone(), code: *code })
            }
            Failure::Failed(outcome) => Self::Failed(outcome.into()),
            Failure::Interrupted => Self::Interrupted,
        }
    }
}

impl From<&Message> for wit::Message {
    fn from(message: &Message) -> Self {
        let role = match message.role {
            Role::User => wit::Role::User,
            Role::Assistant => wit::Role::Assistant,
            Role::System => wit::Role::System,
        };
        Self { role, content: message.content.iter().map(wit::Content::from).collect() }
    }
}

impl From<&Content> for wit::Content {
    fn from(content: &Content) -> Self {
        match content {
            Content::Text(text) => Self::Text(text.clone()),
            Content::Image(blob) => Self::Image(blob.into()),
            Content::Audio(blob) => Self::Audio(blob.into()),
            Content::Document(blob) => Self::Document(blob.into()),
            Content::Embedded(embedded) => Self::Embedded(wit::Embedded {
                uri: embedded.uri.clone(),
                media_type: embedded.media_type.clone(),
                text: embedded.text.clone(),
                data: embedded.data.clone(),
            }),
            Content::ResourceLink(link) => Self::ResourceLink(wit::Link {
                uri: link.uri.clone(),
                name: link.name.clone(),
                media_type: link.media_type.clone(),
            }),
            Content::ToolReference(name) => Self::ToolReference(name.clone()),
            Content::Other(kind, value) => Self::Other((kind.clone(), value.clone())),
        }
    }
}

impl From<&Blob> for wit::Blob {
    fn from(blob: &Blob) -> Self {
        Self { media_type: blob.media_type.clone(), data: blob.data.clone() }
    }
}

impl From<&Progress> for wit::Progress {
    fn from(said: &Progress) -> Self {
        Self {
            message: said.message.clone(),
            done: said.done,
            total: said.total,
            data: said.data.as_ref().map(ToString::to_string),
        }
    }
}
