//! A small store of this plugin's own, with a quota, kept between calls and sessions: for caches and cursors.

use crate::host;

/// What is stored under a key.
///
/// # Errors
/// Says what is missing: the need `storage`, say.
pub fn get(key: &str) -> Result<Option<Vec<u8>>, String> {
    host::storage::get(key)
}

/// Stores a value, for so many seconds or until it is deleted.
///
/// # Errors
/// Says what is missing or that the quota is used up.
pub fn set(key: &str, value: &[u8], ttl_seconds: Option<u32>) -> Result<(), String> {
    host::storage::set(key, value, ttl_seconds)
}

/// Forgets a key; it need not exist.
///
/// # Errors
/// Says what is missing.
pub fn delete(key: &str) -> Result<(), String> {
    host::storage::delete(key)
}
