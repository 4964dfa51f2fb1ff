//! Blocks of content: what a result is made of.

use serde::{Deserialize, Serialize};

/// One block of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Text for the model.
    Text(String),
    /// A picture.
    Image(Blob),
    /// Sound.
    Audio(Blob),
    /// A document, such as a PDF.
    Document(Blob),
    /// A resource carried along.
    Embedded(Embedded),
    /// A resource to be read by its address.
    ResourceLink(Link),
    /// The name of a deferred tool whose schema the model should now see.
    ToolReference(String),
    /// A kind that this host does not know, by its name and JSON text.
    Other(String, String),
}

impl Content {
    /// A block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Bytes with a media type (RFC 6838).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Such as `image/png`.
    pub media_type: String,
    /// The bytes themselves, not encoded.
    pub data: Vec<u8>,
}

/// A resource by address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Its address.
    pub uri: String,
    /// For people.
    pub name: String,
    /// Its media type, where known.
    pub media_type: Option<String>,
}

/// A resource carried along, as text or as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedded {
    /// Its address.
    pub uri: String,
    /// Its media type, where known.
    pub media_type: Option<String>,
    /// The resource as text.
    pub text: Option<String>,
    /// The resource as bytes.
    pub data: Option<Vec<u8>>,
}

/// A message for the conversation beside the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Vec<Content>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The operator.
    System,
}
