//! Headers that are the host's own. They frame the request and name the server: a guest that could set them
//! could make one request look like two, or reach another site on an allowed server.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::error::EgressError;
use super::target::shown;

/// Fields of one request at most.
const FIELDS: usize = 256;

/// Bytes of names and values of one request at most.
const BYTES: usize = 64 << 10;

/// Whether a header is about the connection, and so never passes between a guest and a server.
///
/// `content-length` is not among them: `wasi:http` lets guests say it, and it is checked against the body.
#[must_use]
pub fn is_host_owned(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("proxy-")
        || matches!(
            name,
            "host"
                | "connection"
                | "keep-alive"
                | "te"
                | "trailer"
                | "transfer-encoding"
                | "upgrade"
                | "http2-settings"
        )
}

/// Takes such headers out of a response.
pub(super) fn strip(headers: &mut HeaderMap) {
    let owned: Vec<HeaderName> = headers.keys().filter(|name| is_host_owned(name)).cloned().collect();
    for name in owned {
        headers.remove(name);
    }
}

/// Checks the headers of a request whose body has this length, if that is known.
///
/// # Errors
/// One is the host's to set, the length is said twice or wrongly, or there are too many.
pub(super) fn check(headers: &HeaderMap, length: Option<u64>) -> Result<(), EgressError> {
    let refused = |why, name: &str| Err(EgressError::Header { why, name: shown(name) });
    if let Some(name) = headers.keys().find(|name| is_host_owned(name)) {
        return refused("this header is the host's to set", name.as_str());
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers.len() > FIELDS || bytes > BYTES {
        return refused(
            "the headers are more than 256 fields or 64 KiB",
            &format!("{} fields", headers.len()),
        );
    }
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    match (lengths.next(), lengths.next()) {
        (None, _) => Ok(()),
        (Some(said), None) if says(said, length) => Ok(()),
        _ => refused("the length is said wrongly or twice", "content-length"),
    }
}

/// Whether a `content-length` is digits alone, and right where the length is known.
fn says(value: &HeaderValue, length: Option<u64>) -> bool {
    let digits = value.as_bytes();
    let said = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
    digits.iter().all(u8::is_ascii_digit) && said.is_some() && (length.is_none() || said == length)
}
