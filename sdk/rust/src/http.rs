//! Plain HTTP under the host's rules: an allowed origin, a checked address, no redirect followed.
//!
//! ```no_run
//! # fn f() -> Result<(), mortise_sdk::Failure> {
//! let response = mortise_sdk::http::get("https://api.example.com/v1/weather").secret("weather-key").send()?;
//! let text = response.text();
//! # Ok(()) }
//! ```

use serde::{Serialize, de::DeserializeOwned};

use crate::bindings::mortise::tool::http as contract;
use crate::host;

/// A request being put together.
#[derive(Debug, Clone)]
pub struct Request(contract::Request);

/// What came back, whatever its status.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Names and values in the order received.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the body was cut at the host's size limit.
    pub truncated: bool,
}

/// A GET request.
pub fn get(url: impl Into<String>) -> Request {
    request("GET", url)
}

/// A request with any method, in capitals.
pub fn request(method: impl Into<String>, url: impl Into<String>) -> Request {
    Request(contract::Request {
        method: method.into(),
        url: url.into(),
        headers: Vec::new(),
        body: None,
        timeout_ms: None,
        secret: None,
    })
}

impl Request {
    /// Adds a header. `host`, `connection` and the like are the host's to set and are refused.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.0.body = Some(body.into());
        self
    }

    /// Sets the body to a value as JSON, with its content type. A value that cannot be written as JSON leaves no body.
    #[must_use]
    pub fn json(mut self, value: &impl Serialize) -> Self {
        self.0.body = serde_json::to_vec(value).ok();
        self.header("content-type", "application/json")
    }

    /// Milliseconds for the whole exchange. Default and ceiling: the call's own time.
    #[must_use]
    pub fn timeout_ms(mut self, milliseconds: u32) -> Self {
        self.0.timeout_ms = Some(milliseconds);
        self
    }

    /// Names a secret for the host to attach; the tool never sees it.
    #[must_use]
    pub fn secret(mut self, name: impl Into<String>) -> Self {
        self.0.secret = Some(name.into());
        self
    }

    /// Sends it.
    ///
    /// # Errors
    /// Says why no response was had; a response of any status is no error.
    pub fn send(self) -> Result<Response, String> {
        let contract::Response { status, headers, body, truncated } = host::http::fetch(&self.0)?;
        Ok(Response { status, headers, body, truncated })
    }
}

impl Response {
    /// The first header of that name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as text, with a sign in the place of what is not UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body read as JSON.
    ///
    /// # Errors
    /// Says how it does not fit the type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_slice(&self.body).map_err(|error| format!("the response does not fit: {error}"))
    }
}
