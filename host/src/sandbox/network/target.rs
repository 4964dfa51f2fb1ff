//! Where a request goes, from its URL: read once, by the parser that browsers agree on, and from then on the
//! only source of what is judged, looked up, dialled, named in TLS and written into the request. Two readers
//! of one URL are how a check on one host becomes a request to another.
//!
//! Leaves to others: whether the call may go there (`permission`), which addresses that is (`connect`).

use std::fmt;

use http::HeaderValue;
use http::uri::PathAndQuery;
use url::{Host, Url};

use super::error::EgressError;

/// A URL that requests can be sent to: `http` or `https`, no user name in it, a host and a port.
#[derive(Debug, Clone)]
pub(super) struct Target {
    url: Url,
    host: Host<String>,
    port: u16,
    path: PathAndQuery,
}

impl Target {
    /// Reads a URL.
    ///
    /// # Errors
    /// It is no absolute `http` or `https` URL with a host, or carries a user name or password.
    pub(super) fn parse(text: &str) -> Result<Self, EgressError> {
        let refused = |why: &str| EgressError::Url { why: why.to_owned(), url: shown(text) };
        let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused("only http and https can be sent"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The password is not for logs: only the host is shown.
            let url = url.host_str().unwrap_or_default().to_owned();
            let why = "a user name or password before the host is refused".to_owned();
            return Err(EgressError::Url { why, url });
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => Host::Domain(name.trim_end_matches('.').to_ascii_lowercase()),
            Some(Host::Ipv4(address)) => Host::Ipv4(address),
            Some(Host::Ipv6(address)) => Host::Ipv6(address),
            None => return Err(refused("it names no host")),
        };
        let port = match url.port_or_known_default() {
            Some(port) if port != 0 => port,
            _ => return Err(refused("it names no port")),
        };
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let path = path.parse().map_err(|_| refused("its path cannot be written into a request"))?;
        Ok(Self { url, host, port, path })
    }

    /// For the judge.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// What is looked up, or is an address already. A name is in lower case, without a dot at its end.
    pub(super) fn host(&self) -> &Host<String> {
        &self.host
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The request line's part.
    pub(super) fn path(&self) -> &PathAndQuery {
        &self.path
    }

    /// The `host` header: the port is in it only where it is not the scheme's own.
    pub(super) fn host_header(&self) -> Result<HeaderValue, EgressError> {
        let text = match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.to_string(),
        };
        HeaderValue::try_from(text).map_err(|_| EgressError::Url {
            why: "its host cannot be written into a request".to_owned(),
            url: shown(self.url.as_str()),
        })
    }

    /// `host:port`, as `allow-private` has it.
    pub(super) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// The origin: `https://host:port`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.url.scheme(), self.host, self.port)
    }
}

/// A guest's text, fit for a message: bounded, and with nothing in it that moves a cursor.
pub(super) fn shown(text: &str) -> String {
    const CHARACTERS: usize = 200;
    let mut shown: String = text.chars().take(CHARACTERS).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}
