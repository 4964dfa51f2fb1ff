//! Stand-ins for the tests of the network: servers on loopback, and a resolver that answers what it is told.
//! Nothing leaves the machine.

mod address;
mod client;
mod exchange;
mod fetch;
mod sockets;
mod spelling;
mod tls;
mod wasi_http;

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::fetch::fetch;
use super::{Client, ClientOptions, FetchRequest, FetchResponse, Refusals, Resolve};
use crate::config::Limits;
use crate::permission::{EgressGrant, Grant};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Answers from a list, the last one over and over, and keeps what it was asked.
#[derive(Debug, Default)]
struct Answers {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Answers {
    fn of(answers: &[&[IpAddr]]) -> Arc<Self> {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolve for Answers {
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let answer = answer.ok_or(io::ErrorKind::NotFound)?;
        Ok(answer.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }
}

/// A server that gives every connection the same bytes and keeps what it was sent.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    _connections: JoinSet<()>,
}

impl Server {
    /// Answers and closes.
    async fn answering(response: impl Into<Vec<u8>>) -> Self {
        Self::start(response.into(), false).await
    }

    /// Answers and keeps the connection open.
    async fn stalling(response: impl Into<Vec<u8>>) -> Self {
        Self::start(response.into(), true).await
    }

    async fn start(response: Vec<u8>, stall: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let mut connections = JoinSet::new();
        let seen = Arc::clone(&requests);
        connections.spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
                stream.write_all(&response).await.unwrap();
                if stall {
                    open.push(stream);
                }
            }
        });
        Self { port, requests, _connections: connections }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// One request: its head, and as much of a body as it says it has.
async fn read_request(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = match length {
                Some(length) => body.len() >= length.parse().unwrap(),
                None => !head.contains("transfer-encoding: chunked") || body.ends_with("0\r\n\r\n"),
            };
            if whole {
                return text;
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap() == 0 {
            return text;
        }
    }
}

/// A port that somebody listens on who can say whether anybody came: the kernel takes connections for it.
struct Untouched(std::net::TcpListener);

impl Untouched {
    fn new() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    fn was_dialed(&self) -> bool {
        self.0.accept().is_ok()
    }
}

fn origin(scheme: &str, host: &str, port: u16) -> EgressGrant {
    EgressGrant { scheme: scheme.into(), host: host.into(), port, safe_methods: false, private: false }
}

/// An origin that the operator opened on any address.
fn private(host: &str, port: u16) -> EgressGrant {
    EgressGrant { private: true, ..origin("http", host, port) }
}

fn grant(egress: impl IntoIterator<Item = EgressGrant>) -> Arc<Grant> {
    Arc::new(Grant::for_test_egress(egress.into_iter().collect(), Limits::default()))
}

fn client(resolver: &Arc<Answers>) -> Client {
    Client::new(ClientOptions { resolver: Arc::clone(resolver) as Arc<dyn Resolve>, extra_roots: Vec::new() })
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

fn get(url: impl Into<String>) -> FetchRequest {
    FetchRequest { method: "GET".into(), url: url.into(), ..FetchRequest::default() }
}

async fn ask(client: &Client, grant: &Grant, request: FetchRequest) -> Result<FetchResponse, String> {
    fetch(client, grant, &Refusals::new(), request, soon()).await
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
