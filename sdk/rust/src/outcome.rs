//! Building outcomes: what a call leaves behind.

use serde::Serialize;

use crate::{Blob, Content, Embedded, Link, Message, Outcome, Role};

impl Outcome {
    /// An outcome with nothing in it.
    pub fn new() -> Self {
        Self {
            content: Vec::new(),
            structured: None,
            context: None,
            messages: Vec::new(),
            meta: None,
            extensions: Vec::new(),
        }
    }

    /// An outcome of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().with(Content::Text(text.into()))
    }

    /// Adds one block for the model.
    #[must_use]
    pub fn with(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// The value for programs; declare its schema with [`Descriptor::output`](crate::Descriptor::output). A value that
    /// cannot be written as JSON is left out, which a host that knows the schema reports.
    #[must_use]
    pub fn structured(self, value: &impl Serialize) -> Self {
        Self { structured: serde_json::to_string(value).ok(), ..self }
    }

    /// A merge patch (RFC 7396) to this plugin's part of the shared context; see
    /// [`session::context`](crate::session::context).
    #[must_use]
    pub fn context(self, patch: &impl Serialize) -> Self {
        Self { context: serde_json::to_string(patch).ok(), ..self }
    }

    /// Adds an extra message to the conversation.
    #[must_use]
    pub fn message(mut self, role: Role, text: impl Into<String>) -> Self {
        self.messages.push(Message { role, content: vec![Content::Text(text.into())] });
        self
    }

    /// Anything for the surface, which the host does not read.
    #[must_use]
    pub fn meta(self, value: &impl Serialize) -> Self {
        Self { meta: serde_json::to_string(value).ok(), ..self }
    }
}

impl Default for Outcome {
    fn default() -> Self {
        Self::new()
    }
}

impl From<String> for Outcome {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Outcome {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl Content {
    /// A picture, with its media type (`image/png`).
    pub fn image(media_type: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self::Image(Blob { media_type: media_type.into(), data: data.into() })
    }

    /// A sound, with its media type.
    pub fn audio(media_type: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self::Audio(Blob { media_type: media_type.into(), data: data.into() })
    }

    /// A document, with its media type (`application/pdf`).
    pub fn document(media_type: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self::Document(Blob { media_type: media_type.into(), data: data.into() })
    }

    /// A resource carried along as text.
    pub fn embedded_text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Embedded(Embedded { uri: uri.into(), media_type: None, text: Some(text.into()), data: None })
    }

    /// A link to a resource.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ResourceLink(Link { uri: uri.into(), name: name.into(), media_type: None })
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
