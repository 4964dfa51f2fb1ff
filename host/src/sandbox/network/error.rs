//! Why a request was refused or came to nothing: one enum for the guest, the model and the operator, who all
//! read the same words.
//!
//! Leaves to others: how `wasi:http` says it (`wasi_http`), what the call's result says of it (`refusals`).

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use crate::permission::Refusal;

/// What came of a request that no whole response was had for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EgressError {
    /// The URL is none that a request can be sent to. For the model.
    #[error("this is no URL that requests can be sent to, {why}: `{url}`")]
    Url {
        /// What is wrong with it.
        why: String,
        /// As it was written, bounded.
        url: String,
    },
    /// The method would turn the connection into something else, or asks for the request back. For the model.
    #[error("this method is never sent: `{0}`")]
    Method(String),
    /// A header is not the guest's to set, or is malformed. For the model.
    #[error("{why}: `{name}`")]
    Header {
        /// What is wrong with it.
        why: &'static str,
        /// Its name, bounded.
        name: String,
    },
    /// The call was not granted this request.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The request asks for a secret to be attached. For the model.
    #[error("secrets come with a later version and are not attached yet, so nothing was sent: `{0}`")]
    Secret(String),
    /// A name leads to an address that is not on the open internet. For the operator.
    #[error(
        "`{address}` is not a globally routable address ({kind}), and `{authority}` leads to it; \
         hint: allow-private = [\"{authority}\"]"
    )]
    Address {
        /// The address.
        address: IpAddr,
        /// What it is, such as `private, RFC 1918`.
        kind: &'static str,
        /// `host:port` of the URL.
        authority: String,
    },
    /// A name was not found.
    #[error("looking up the name failed, {source}: `{host}`")]
    Lookup {
        /// The name.
        host: String,
        /// What the system says.
        source: io::Error,
    },
    /// No address of the host took the connection.
    #[error("connecting failed, {source}: `{origin}`")]
    Connect {
        /// Scheme, host and port.
        origin: String,
        /// What the system says of the last address tried.
        source: io::Error,
    },
    /// The server could not prove its name, or speaks another TLS.
    #[error("the server's TLS was not accepted, {source}: `{origin}`")]
    Tls {
        /// Scheme, host and port.
        origin: String,
        /// What is wrong.
        source: io::Error,
    },
    /// There is nothing to check servers' names against. For the operator.
    #[error(
        "{0}; hint: install the system's root certificates (package ca-certificates) or set SSL_CERT_FILE"
    )]
    Roots(String),
    /// The head of the response is larger than the host reads.
    #[error("the response has more headers than the host reads (128 fields, 64 KiB): `{0}`")]
    ResponseHead(String),
    /// The exchange broke off.
    #[error("the exchange broke off, {source}: `{origin}`")]
    Exchange {
        /// Scheme, host and port.
        origin: String,
        /// What went wrong.
        source: hyper::Error,
    },
    /// Nothing came in time.
    #[error("timed out after {} ms while {doing}: `{origin}`", after.as_millis())]
    Timeout {
        /// The part of the exchange that took too long.
        doing: Waiting,
        /// How long it was waited for.
        after: Duration,
        /// Scheme, host and port.
        origin: String,
    },
}

/// The parts of an exchange that time is kept of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Looking the name up, connecting, agreeing on TLS.
    Connecting,
    /// From the request to the head of the response.
    FirstByte,
    /// Between two pieces of the response's body.
    Body,
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connecting => "connecting",
            Self::FirstByte => "waiting for the response",
            Self::Body => "reading the response's body",
        })
    }
}

impl EgressError {
    /// Whether the host would not, as against the network could not.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Url { .. }
            | Self::Method(_)
            | Self::Header { .. }
            | Self::Refused(_)
            | Self::Secret(_)
            | Self::Address { .. } => true,
            Self::Lookup { .. }
            | Self::Connect { .. }
            | Self::Tls { .. }
            | Self::Roots(_)
            | Self::ResponseHead(_)
            | Self::Exchange { .. }
            | Self::Timeout { .. } => false,
        }
    }
}
