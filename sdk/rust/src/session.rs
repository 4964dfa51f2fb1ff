//! What may be asked of the host from `inspect` on; none of it reaches outside.

use serde::de::DeserializeOwned;

pub use crate::bindings::mortise::tool::session::KnownFile;
use crate::host;

/// The session's working directory: absolute, the host's own spelling.
pub fn working_directory() -> String {
    host::session::working_directory()
}

/// This plugin's `config` from the operator's configuration.
///
/// # Errors
/// Says how the configuration does not fit the type; without any, the type is read from `{}`.
pub fn configuration<T: DeserializeOwned>() -> Result<T, String> {
    serde_json::from_str(&host::session::configuration())
        .map_err(|error| format!("this tool's `config` does not fit: {error}"))
}

/// Whether a person is there to be asked.
pub fn interactive() -> bool {
    host::session::interactive()
}

/// What the host saw this session read of a file, by the path that the input names. `None` when it was never read,
/// when the input does not name it, or when a rule denies it.
pub fn file_known(path: &str) -> Option<KnownFile> {
    host::session::file_known(path)
}

/// This plugin's part of the shared context, which [`Outcome::context`](crate::Outcome::context) changes.
///
/// # Errors
/// Says how the context does not fit the type; at first, the type is read from `{}`.
pub fn context<T: DeserializeOwned>() -> Result<T, String> {
    serde_json::from_str(&host::session::context())
        .map_err(|error| format!("the shared context does not fit: {error}"))
}
