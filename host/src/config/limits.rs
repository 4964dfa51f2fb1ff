//! What a call may use up: every default is on, and all of them stand here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The bounds of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall clock of `call`, time spent in the host included.
    pub time: Duration,
    /// Wall clock of each powerless phase (`describe`, `inspect`, `preview`, `render`).
    pub introspection_time: Duration,
    /// Bytes, over all linear memories and tables of the instance together.
    pub memory: u64,
    /// Bytes of one result (text and blobs together) that are taken from a guest at all.
    pub result_bytes: u64,
    /// Bytes of log lines, standard output and standard error together; the rest is counted and dropped.
    pub log_bytes: u64,
    /// Open resources (files, streams, requests) at a time.
    pub handles: u32,
    /// Bytes of one HTTP response body through the contract's `http.fetch`.
    pub response_bytes: u64,
    /// Bytes that one plugin may keep in `storage`.
    pub storage_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(120),
            introspection_time: Duration::from_secs(2),
            memory: 256 << 20,
            result_bytes: 64 << 20,
            log_bytes: 256 << 10,
            handles: 1_024,
            response_bytes: 16 << 20,
            storage_bytes: 4 << 20,
        }
    }
}
