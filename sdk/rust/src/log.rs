//! The operator's log, never seen by the model. Answers in every phase; what is over the host's cap is dropped.

use crate::bindings::mortise::tool::log::Level;
use crate::host;

/// Of interest while looking for a fault.
pub fn debug(message: impl AsRef<str>) {
    host::log::log(Level::Debug, message.as_ref());
}

/// Worth knowing.
pub fn info(message: impl AsRef<str>) {
    host::log::log(Level::Info, message.as_ref());
}

/// Something is not as it should be; the call goes on.
pub fn warn(message: impl AsRef<str>) {
    host::log::log(Level::Warn, message.as_ref());
}

/// Something is wrong that the operator should put right.
pub fn error(message: impl AsRef<str>) {
    host::log::log(Level::Error, message.as_ref());
}
