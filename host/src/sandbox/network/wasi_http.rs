//! `wasi:http` as guests import it, over the host's own client: the engine's crate keeps the resources, and
//! everything that leaves the machine goes through [`Client::send`] under the call's grant.
//!
//! Leaves to others: the store's state and its table (`sandbox`), judging and sending (`client`).

use std::error::Error as _;
use std::future::Future;
use std::sync::Arc;

use http::{Request, Response};
use http_body_util::BodyExt;
use tokio::time::Instant;
use wasmtime::component::Linker;
use wasmtime_wasi_http::{
    Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpHooks, WasiHttpView,
};

use super::body::Drained;
use super::client::Client;
use super::error::{EgressError, Waiting};
use super::headers;
use super::refusals::Refusals;
use super::timeouts::Timeouts;
use crate::permission::Grant;

/// Bytes that one `fields` resource may take in the host's memory, counted generously for each entry: a map
/// of headers is full long before it could hold so many that adding one panics.
const FIELD_BYTES: usize = 128 << 10;

/// What comes of an exchange, and what still has to be driven after it.
type Sent = Result<(Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>), Error>;

/// Links `wasi:http/types` and `wasi:http/outgoing-handler`. Every other interface of WASI is linked elsewhere.
///
/// # Errors
/// One of them is in the linker already.
pub fn add_to_linker<T: WasiHttpView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)
}

/// The state that goes into the store beside the hooks, with its bounds set.
#[must_use]
pub fn http_ctx() -> WasiHttpCtx {
    let mut ctx = WasiHttpCtx::new();
    ctx.set_field_size_limit(FIELD_BYTES);
    ctx
}

/// What `wasi:http` asks in one instance. Made for each, with the grant that the instance runs under.
#[derive(Debug)]
pub struct NetworkHooks {
    grant: Arc<Grant>,
    client: Client,
    refusals: Refusals,
    deadline: Instant,
}

impl NetworkHooks {
    /// Makes the hooks of one instance. No exchange goes on after `deadline`, the end of the call.
    #[must_use]
    pub fn new(grant: Arc<Grant>, client: Client, refusals: Refusals, deadline: Instant) -> Self {
        Self { grant, client, refusals, deadline }
    }

    fn timeouts(&self, options: Option<RequestOptions>) -> Timeouts {
        let options = options.unwrap_or_default();
        Timeouts::until(self.deadline)
            .connect_within(options.connect_timeout)
            .first_byte_within(options.first_byte_timeout)
            .between_bytes_within(options.between_bytes_timeout)
    }
}

impl WasiHttpHooks for NetworkHooks {
    /// Holds for requests, where setting one fails, and for responses, where they are left out.
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::new(headers::is_host_owned)
    }

    /// The client writes it, from the URL that was judged.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _processed: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let timeouts = self.timeouts(options);
        let (client, grant, refusals) = (self.client.clone(), Arc::clone(&self.grant), self.refusals.clone());
        let deadline = self.deadline;
        Box::new(async move {
            let request = request.map(|body| Drained::new(body, deadline));
            let response = client.send(&grant, request, timeouts).await.map_err(|error| {
                if error.is_refusal() {
                    refusals.note(error.to_string());
                }
                told(error)
            })?;
            let response = response.map(|body| body.map_err(told).boxed_unsync());
            // The body drives its own connection: nothing is left to do beside it.
            let rest: Box<dyn Future<Output = Result<(), Error>> + Send> =
                Box::new(std::future::ready(Ok(())));
            Ok((response, rest))
        })
    }
}

/// An error as a guest hears of it. The codes of `wasi:http` say less than our words, and few carry a text:
/// they are used where a program may act on them and nothing is lost.
fn told(error: EgressError) -> Error {
    let text = error.to_string();
    match error {
        EgressError::Timeout { doing: Waiting::Connecting, .. } => Error::ConnectionTimeout,
        EgressError::Timeout { .. } => Error::ConnectionReadTimeout,
        EgressError::Lookup { .. } => Error::DnsError { rcode: Some(text), info_code: None },
        EgressError::Exchange { ref source, .. } => match source.source() {
            // What went wrong may be the guest's own body, which ended in one of its own errors.
            Some(cause) if cause.is::<Error>() => Error::InternalError(Some(format!("{text}, {cause}"))),
            _ => Error::InternalError(Some(text)),
        },
        _ => Error::InternalError(Some(text)),
    }
}
