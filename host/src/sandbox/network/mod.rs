//! The network as a guest has it, step 9 of the path: requests to granted origins, on addresses that were
//! checked, and nothing else. No socket, no lookup, no redirect followed, no connection kept.
//!
//! ```text
//! wasi:http (wasi_http) ─┐
//!                        ├─► client: target ─► the grant's judgement ─► headers ─► connect ─► exchange
//! http.fetch    (fetch) ─┘                                               │
//!                                      one lookup ─► every address checked ─► dial ─► tls
//! ```
//!
//! Leaves to others: what a call may reach (`permission`), the time and the memory of the call (`sandbox`).

mod address;
mod body;
mod client;
mod connect;
mod error;
mod fetch;
mod headers;
mod refusals;
mod sockets;
mod target;
mod timeouts;
mod tls;
mod wasi_http;

#[cfg(test)]
mod tests;

pub use address::{is_global, refusal};
pub use body::ResponseBody;
pub use client::{Client, ClientOptions};
pub use connect::{Resolve, SystemResolver};
pub use error::{EgressError, Waiting};
pub use fetch::{FetchRequest, FetchResponse, fetch};
pub use headers::is_host_owned;
pub use refusals::Refusals;
pub use sockets::close_sockets;
pub use timeouts::Timeouts;
pub use wasi_http::{NetworkHooks, add_to_linker, http_ctx};
