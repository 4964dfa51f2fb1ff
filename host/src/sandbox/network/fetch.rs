//! The contract's `http.fetch`: one request and its whole response, in plain types. Step 9 of the path.
//!
//! Leaves to others: the generated types and the phase (`sandbox`), judging and sending (`client`).

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Uri, header};
use http_body_util::{BodyExt, Full};
use tokio::time::Instant;

use super::body::ResponseBody;
use super::client::Client;
use super::error::EgressError;
use super::headers;
use super::refusals::Refusals;
use super::target::{Target, shown};
use super::timeouts::Timeouts;
use crate::permission::Grant;

/// A request, as a guest says it.
#[derive(Debug, Clone, Default)]
pub struct FetchRequest {
    /// In capitals.
    pub method: String,
    /// Absolute, `https` or `http`.
    pub url: String,
    /// In order; a name may come more than once.
    pub headers: Vec<(String, String)>,
    /// `None`: no body.
    pub body: Option<Vec<u8>>,
    /// For the whole exchange; `None`: the rest of the call's own time.
    pub timeout: Option<Duration>,
    /// The secret to attach. Not yet: asking for one fails.
    pub secret: Option<String>,
}

/// A response, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResponse {
    /// Such as 200.
    pub status: u16,
    /// In order, names in lower case; what is no UTF-8 in a value is replaced.
    pub headers: Vec<(String, String)>,
    /// At most [`Limits::response_bytes`](crate::config::Limits::response_bytes).
    pub body: Vec<u8>,
    /// Whether there was more of it.
    pub truncated: bool,
}

/// Sends one request under a grant and reads its response. What is refused is noted in `refusals` too.
///
/// # Errors
/// In words for the guest: the request is malformed or refused, or no whole response was had before
/// `deadline` or the request's own timeout.
pub async fn fetch(
    client: &Client,
    grant: &Grant,
    refusals: &Refusals,
    request: FetchRequest,
    deadline: Instant,
) -> Result<FetchResponse, String> {
    exchange(client, grant, request, deadline).await.map_err(|error| {
        let text = error.to_string();
        if error.is_refusal() {
            refusals.note(text.clone());
        }
        text
    })
}

async fn exchange(
    client: &Client,
    grant: &Grant,
    request: FetchRequest,
    deadline: Instant,
) -> Result<FetchResponse, EgressError> {
    if let Some(name) = &request.secret {
        return Err(EgressError::Secret(shown(name)));
    }
    let timeouts = Timeouts::until(deadline).whole_within(request.timeout);
    let response = client.send(grant, compose(request)?, timeouts).await?;
    let (head, body) = response.into_parts();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let cap = usize::try_from(grant.limits().response_bytes).unwrap_or(usize::MAX);
    let (body, truncated) = read(body, cap).await?;
    Ok(FetchResponse { status: head.status.as_u16(), headers, body, truncated })
}

/// Makes a request of a guest's words.
fn compose(request: FetchRequest) -> Result<Request<Full<Bytes>>, EgressError> {
    let method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| EgressError::Method(shown(&request.method)))?;
    // Read leniently, as URLs are written, and passed on in the one spelling that it comes to.
    let target = Target::parse(&request.url)?;
    let uri: Uri = target.url().as_str().parse().map_err(|_| EgressError::Url {
        why: "it cannot be written into a request".to_owned(),
        url: shown(&request.url),
    })?;
    let mut composed = Request::new(Full::new(Bytes::from(request.body.unwrap_or_default())));
    *composed.method_mut() = method;
    *composed.uri_mut() = uri;
    for (name, value) in request.headers {
        let refused = |why| EgressError::Header { why, name: shown(&name) };
        let parsed =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused("this is no header's name"))?;
        if headers::is_host_owned(&parsed) || parsed == header::CONTENT_LENGTH {
            return Err(refused("this header is the host's to set"));
        }
        let value = HeaderValue::try_from(value).map_err(|_| refused("this header's value is malformed"))?;
        // A map of headers panics when it is full, unless it is asked.
        let appended = composed.headers_mut().try_append(parsed, value);
        appended.map_err(|_| refused("there are too many headers"))?;
    }
    Ok(composed)
}

/// Reads a body up to `cap`, and whether there was more. The rest is not read: dropping it ends the connection.
async fn read(mut body: ResponseBody, cap: usize) -> Result<(Vec<u8>, bool), EgressError> {
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame?.into_data() else { continue };
        let room = cap - whole.len();
        whole.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return Ok((whole, true));
        }
    }
    Ok((whole, false))
}
