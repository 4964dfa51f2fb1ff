//! `wasi:http` through the engine's own host functions, as a guest's calls arrive in them.

use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::p2::{OutputStream, Pollable};
use wasmtime_wasi_http::FieldMap;
use wasmtime_wasi_http::p2::bindings::http::types::{ErrorCode, Method, Scheme};
use wasmtime_wasi_http::p2::bindings::http::{outgoing_handler, types};
use wasmtime_wasi_http::p2::body::{HostOutgoingBody, HyperOutgoingBody, StreamContext};
use wasmtime_wasi_http::p2::types::{HostFutureIncomingResponse, HostOutgoingRequest};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::*;
use crate::sandbox::network::{NetworkHooks, add_to_linker, http_ctx};

struct State {
    ctx: WasiHttpCtx,
    table: ResourceTable,
    hooks: NetworkHooks,
    refusals: Refusals,
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.ctx, table: &mut self.table, hooks: &mut self.hooks }
    }
}

impl State {
    fn new(grant: Arc<Grant>, deadline: Instant) -> Self {
        let refusals = Refusals::new();
        let hooks = NetworkHooks::new(grant, Client::default(), refusals.clone(), deadline);
        Self { ctx: http_ctx(), table: ResourceTable::new(), hooks, refusals }
    }

    fn handle(&mut self, method: Method, authority: &str, body: Option<HyperOutgoingBody>) -> Pending {
        let request = HostOutgoingRequest {
            method,
            scheme: Some(Scheme::Http),
            authority: Some(authority.to_owned()),
            path_with_query: Some("/path".to_owned()),
            headers: FieldMap::new_mutable(1_000),
            body,
        };
        let request = self.table.push(request).unwrap();
        outgoing_handler::Host::handle(&mut self.http(), request, None).unwrap()
    }

    /// The status, or the error as the guest gets it.
    async fn outcome(&mut self, pending: Pending) -> Result<u16, ErrorCode> {
        self.table.get_mut(&pending).unwrap().ready().await;
        let got = types::HostFutureIncomingResponse::get(&mut self.http(), pending).unwrap();
        let response = got.unwrap().unwrap()?;
        Ok(types::HostIncomingResponse::status(&mut self.http(), response).unwrap())
    }
}

type Pending = Resource<HostFutureIncomingResponse>;

fn words(error: ErrorCode) -> String {
    match error {
        ErrorCode::InternalError(Some(text)) => text,
        other => panic!("no words in {other:?}"),
    }
}

#[tokio::test]
async fn granted_request_gets_its_response() {
    let server = Server::answering(OK).await;
    let mut state = State::new(grant([private("127.0.0.1", server.port)]), soon());
    let pending = state.handle(Method::Get, &format!("127.0.0.1:{}", server.port), None);
    assert_eq!(state.outcome(pending).await.unwrap(), 200);
    assert!(server.requests()[0].starts_with("GET /path HTTP/1.1\r\n"));
    assert!(state.refusals.list().is_empty());
}

#[tokio::test]
async fn denied_host_is_not_dialed_and_the_guest_reads_why() {
    let listener = Untouched::new();
    let mut state = State::new(grant([private("127.0.0.1", 1)]), soon());
    let pending = state.handle(Method::Get, &format!("127.0.0.1:{}", listener.port()), None);
    let text = words(state.outcome(pending).await.unwrap_err());
    assert_eq!(text, format!("this call was not granted requests to `http://127.0.0.1:{}`", listener.port()));
    assert_eq!(state.refusals.list(), [text]);
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn user_name_in_an_authority_is_refused() {
    let listener = Untouched::new();
    let mut state = State::new(grant([private("127.0.0.1", listener.port())]), soon());
    let pending = state.handle(Method::Get, &format!("api.test@127.0.0.1:{}", listener.port()), None);
    let text = words(state.outcome(pending).await.unwrap_err());
    assert!(text.contains("a user name or password before the host is refused"), "{text}");
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn body_of_a_denied_request_can_be_written_to_its_end() {
    let mut state = State::new(grant([]), soon());
    let (mut outgoing, body) = HostOutgoingBody::new(StreamContext::Request, None, 1, 1 << 20);
    let mut stream: Box<dyn OutputStream> = outgoing.take_output_stream().unwrap();
    let pending = state.handle(Method::Post, "api.test", Some(body));
    let text = words(state.outcome(pending).await.unwrap_err());
    assert!(text.contains("was not granted"), "{text}");
    for _ in 0..8 {
        stream.ready().await;
        assert!(stream.check_write().unwrap() > 0);
        stream.write(vec![0; 1_000].into()).unwrap();
    }
    drop(stream);
    outgoing.finish(None).unwrap();
}

#[tokio::test]
async fn body_of_a_granted_request_arrives() {
    let server = Server::answering(OK).await;
    let mut state = State::new(grant([private("127.0.0.1", server.port)]), soon());
    let (mut outgoing, body) = HostOutgoingBody::new(StreamContext::Request, None, 1, 1 << 20);
    let mut stream = outgoing.take_output_stream().unwrap();
    let pending = state.handle(Method::Post, &format!("127.0.0.1:{}", server.port), Some(body));
    stream.write("abc".into()).unwrap();
    drop(stream);
    outgoing.finish(None).unwrap();
    assert_eq!(state.outcome(pending).await.unwrap(), 200);
    assert!(server.requests()[0].contains("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), "{:?}", server.requests());
}

#[tokio::test]
async fn silent_server_is_given_up_on_when_the_call_ends() {
    let listener = Untouched::new();
    let end = Instant::now() + Duration::from_millis(40);
    let mut state = State::new(grant([private("127.0.0.1", listener.port())]), end);
    let pending = state.handle(Method::Get, &format!("127.0.0.1:{}", listener.port()), None);
    let error = state.outcome(pending).await.unwrap_err();
    assert!(matches!(error, ErrorCode::ConnectionTimeout | ErrorCode::ConnectionReadTimeout), "{error:?}");
}

#[tokio::test]
async fn hosts_own_headers_cannot_be_set_and_others_can() {
    let mut state = State::new(grant([]), soon());
    let fields = types::HostFields::new(&mut state.http()).unwrap();
    let mut append = |name: &str| {
        let fields = Resource::new_borrow(fields.rep());
        types::HostFields::append(&mut state.http(), fields, name.to_owned(), b"1".to_vec())
    };
    for name in ["host", "Connection", "te", "trailer", "proxy-anything", "transfer-encoding"] {
        assert!(append(name).is_err(), "{name}");
    }
    for name in ["content-length", "authorization", "x-key"] {
        assert!(append(name).is_ok(), "{name}");
    }
}

#[tokio::test]
async fn fields_that_never_end_are_an_error_and_no_panic() {
    let mut state = State::new(grant([]), soon());
    let fields = types::HostFields::new(&mut state.http()).unwrap();
    let mut append = |name: String, size: usize| {
        let fields = Resource::new_borrow(fields.rep());
        types::HostFields::append(&mut state.http(), fields, name, vec![b'v'; size])
    };
    assert!(append("x-giant".to_owned(), 10 << 20).is_err());
    let taken = (0..100_000).take_while(|index| append(format!("x-{index}"), 0).is_ok()).count();
    assert!((100..10_000).contains(&taken), "{taken} fields were taken");
}

#[test]
fn both_interfaces_are_linked_once() {
    let engine = wasmtime::Engine::default();
    let mut linker = wasmtime::component::Linker::<State>::new(&engine);
    assert!(add_to_linker(&mut linker).is_ok());
    assert!(add_to_linker(&mut linker).is_err());
}
