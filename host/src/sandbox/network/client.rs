//! The only way out for a guest: one request over one connection, judged before anything is looked up.
//! Step 9 of the path; both `wasi:http` and the contract's `http.fetch` come down to [`Client::send`].
//!
//! A redirect is a response like any other: following it is another request, to be judged again.
//!
//! Leaves to others: what a call may reach (`permission`), addresses (`connect`), how guests say requests
//! and hear of errors (`wasi_http`, `fetch`).

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri, header};
use hyper::body::Body;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::CertificateDer;
use tokio::task::JoinSet;
use tokio::time::timeout_at;

use super::body::ResponseBody;
use super::connect::{Connector, Resolve, Stream, SystemResolver};
use super::error::{EgressError, Waiting};
use super::headers;
use super::target::{Target, shown};
use super::timeouts::Timeouts;
use super::tls::Tls;
use crate::permission::Grant;

/// Fields in the head of a response that are read at most.
const RESPONSE_FIELDS: usize = 128;

/// Bytes in the head of a response that are read at most.
const RESPONSE_HEAD: usize = 64 << 10;

/// What a request says it was sent by, where the guest does not say.
const USER_AGENT: &str = concat!("mortise/", env!("CARGO_PKG_VERSION"));

/// Sends requests within grants. Clones share one set of TLS settings; nothing else outlives a request.
#[derive(Debug, Clone)]
pub struct Client {
    connector: Arc<Connector>,
}

/// What an embedding program may choose for a [`Client`].
#[derive(Debug)]
pub struct ClientOptions {
    /// Looks names up; its answers are checked like any other's.
    pub resolver: Arc<dyn Resolve>,
    /// Root certificates beside the machine's own.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self { resolver: Arc::new(SystemResolver::default()), extra_roots: Vec::new() }
    }
}

impl Default for Client {
    fn default() -> Self {
        Self::new(ClientOptions::default())
    }
}

impl Client {
    /// Makes a client. Nothing is read or connected until the first request.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        let connector = Connector::new(options.resolver, Tls::new(options.extra_roots));
        Self { connector: Arc::new(connector) }
    }

    /// Sends one request whose URI is absolute, and gives the response as soon as its head is there. Dropping
    /// the future, or the response's body, ends the connection.
    ///
    /// # Errors
    /// The request is malformed or out of the grant's reach, in which case nothing was looked up or sent; an
    /// address is not globally routable; or the exchange did not come about in time.
    pub async fn send<B>(
        &self,
        grant: &Grant,
        request: Request<B>,
        timeouts: Timeouts,
    ) -> Result<Response<ResponseBody>, EgressError>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let target = Target::parse(&request.uri().to_string())?;
        let private = judge(grant, request.method(), &target)?;
        let request = prepare(request, &target)?;

        let (connect_by, connect_after) = timeouts.connect_by();
        let connecting = self.connector.connect(&target, private, connect_by);
        let late = |doing, after| EgressError::Timeout { doing, after, origin: target.to_string() };
        let stream = timeout_at(connect_by, connecting)
            .await
            .map_err(|_| late(Waiting::Connecting, connect_after))??;

        let (first_byte_by, first_byte_after) = timeouts.first_byte_by();
        let (response, driver) = timeout_at(first_byte_by, exchange(stream, request))
            .await
            .map_err(|_| late(Waiting::FirstByte, first_byte_after))?
            .map_err(|source| broken(source, &target))?;

        let (mut head, body) = response.into_parts();
        headers::strip(&mut head.headers);
        let body = ResponseBody::new(body, driver, timeouts, target.to_string());
        Ok(Response::from_parts(head, body))
    }
}

/// Judges the method and the origin. Gives whether the operator opened the origin on any address.
fn judge(grant: &Grant, method: &Method, target: &Target) -> Result<bool, EgressError> {
    // CONNECT makes a tunnel of the connection, TRACE hands back what the host may have attached.
    if matches!(*method, Method::CONNECT | Method::TRACE) {
        return Err(EgressError::Method(method.to_string()));
    }
    Ok(grant.judge_request(method.as_str(), target.url())?.private)
}

/// Rewrites a request into what goes over the connection: the target's own path and host, and an end after it.
fn prepare<B: Body>(request: Request<B>, target: &Target) -> Result<Request<B>, EgressError> {
    let (mut head, body) = request.into_parts();
    headers::check(&head.headers, body.size_hint().exact())?;
    let mut fields = HeaderMap::new();
    set(&mut fields, header::HOST, target.host_header()?)?;
    set(&mut fields, header::CONNECTION, HeaderValue::from_static("close"))?;
    if !head.headers.contains_key(header::USER_AGENT) {
        set(&mut fields, header::USER_AGENT, HeaderValue::from_static(USER_AGENT))?;
    }
    for (name, value) in &head.headers {
        set(&mut fields, name.clone(), value.clone())?;
    }
    head.headers = fields;
    head.uri = Uri::from(target.path().clone());
    head.version = http::Version::HTTP_11;
    // Extensions steer hyper; a request brings none.
    head.extensions.clear();
    Ok(Request::from_parts(head, body))
}

/// A map of headers panics when it is full, unless it is asked.
fn set(fields: &mut HeaderMap, name: HeaderName, value: HeaderValue) -> Result<(), EgressError> {
    let full = |name: &str| EgressError::Header { why: "there are too many headers", name: shown(name) };
    let text = name.as_str().to_owned();
    fields.try_append(name, value).map(drop).map_err(|_| full(&text))
}

/// One request and the head of its response. What keeps the connection going is in the set, and ends with it.
async fn exchange<B>(
    stream: Box<dyn Stream>,
    request: Request<B>,
) -> Result<(Response<hyper::body::Incoming>, JoinSet<()>), hyper::Error>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (mut sender, connection) = http1::Builder::new()
        .max_headers(RESPONSE_FIELDS)
        .max_header_size(RESPONSE_HEAD)
        .max_buf_size(RESPONSE_HEAD)
        .handshake(TokioIo::new(stream))
        .await?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        // Whatever breaks here breaks the response or its body too, which is where it is told.
        if let Err(error) = connection.await {
            tracing::debug!("a connection ended: {error}");
        }
    });
    let response = sender.send_request(request).await?;
    Ok((response, driver))
}

fn broken(source: hyper::Error, target: &Target) -> EgressError {
    let origin = target.to_string();
    if source.is_parse_too_large() {
        return EgressError::ResponseHead(origin);
    }
    EgressError::Exchange { origin, source }
}
