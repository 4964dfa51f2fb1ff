//! What `std::fs` cannot do in a sandbox: replacing one file without the right to make another beside it.

pub use crate::bindings::mortise::tool::files::Replaced;
use crate::host;

/// Puts `content` in the place of a whole file, atomically: readers see the old or the new content. Mode and owner are
/// kept, missing parent folders are made. The path must be a write subject of this call.
///
/// # Errors
/// Says which need, rule or fault of the disk is in the way.
pub fn replace(path: &str, content: &[u8]) -> Result<Replaced, String> {
    host::files::replace(path, content)
}
