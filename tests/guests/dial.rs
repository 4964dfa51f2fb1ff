//! Dials: asks one URL in one way, whatever it claimed when it was asked.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};

use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, http};
use schemars::JsonSchema;
use serde::Deserialize;
use wasip2::http::outgoing_handler;
use wasip2::http::types::{Fields, Method, OutgoingRequest, Scheme};

/// What is claimed and what is done.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `fetch`, `wasi-http`, `tcp` or `lookup`.
    how: String,
    /// A URL; `host:port` for the last two ways.
    to: String,
    /// In capitals.
    method: Option<String>,
    /// URLs that are claimed to be asked.
    claims: Option<Vec<String>>,
    /// Whether it claims to read only.
    read_only: Option<bool>,
}

/// The tool `dial`.
pub struct Dial;

impl Tool for Dial {
    type Input = Input;
    const NAME: &'static str = "dial";
    const DESCRIPTION: &'static str = "Dials.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.needs(Need::HttpWrite(Vec::new()))
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        let mut answers = Answers::new();
        if input.read_only == Some(true) {
            answers = answers.read_only();
        }
        let method = if input.read_only == Some(true) { "GET" } else { method(input) };
        for url in input.claims.iter().flatten() {
            answers = answers.subject(Subject::url(method, url));
        }
        Ok(answers)
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        match input.how.as_str() {
            "fetch" => {
                let response = http::request(method(&input), &input.to).send().map_err(Failure::fail)?;
                Ok(response.text().into())
            }
            "wasi-http" => wasi_http(&input),
            "tcp" => {
                let mut stream = TcpStream::connect(&input.to)?;
                stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
                let mut text = String::new();
                stream.read_to_string(&mut text)?;
                Ok(text.into())
            }
            "lookup" => {
                let found: Vec<_> = input.to.to_socket_addrs()?.map(|address| address.to_string()).collect();
                Ok(found.join(" ").into())
            }
            other => Err(Failure::fail(format!("no such way: `{other}`"))),
        }
    }
}

fn method(input: &Input) -> &str {
    input.method.as_deref().unwrap_or("GET")
}

fn wasi_http(input: &Input) -> Result<Outcome, Failure> {
    let no = |what: &str| Failure::fail(format!("{what} was refused"));
    let (scheme, rest) = match input.to.split_once("://") {
        Some(("http", rest)) => (Scheme::Http, rest),
        Some((_, rest)) => (Scheme::Https, rest),
        None => return Err(no("the URL")),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let request = OutgoingRequest::new(Fields::new());
    let method = if method(input) == "POST" { Method::Post } else { Method::Get };
    request.set_method(&method).map_err(|()| no("the method"))?;
    request.set_scheme(Some(&scheme)).map_err(|()| no("the scheme"))?;
    request.set_authority(Some(authority)).map_err(|()| no("the authority"))?;
    request.set_path_with_query(Some(&format!("/{path}"))).map_err(|()| no("the path"))?;
    let coming =
        outgoing_handler::handle(request, None).map_err(|code| Failure::fail(format!("{code:?}")))?;
    coming.subscribe().block();
    match coming.get() {
        Some(Ok(Ok(response))) => Ok(format!("status {}", response.status()).into()),
        Some(Ok(Err(code))) => Err(Failure::fail(format!("{code:?}"))),
        _ => Err(Failure::fail("no answer")),
    }
}

mortise_sdk::export!(Dial);
