//! What plugins said of themselves, kept by the digest of their bytes: `describe` is pure, so the same bytes
//! need not be asked again, and listing a known plugin neither compiles nor starts it.

use std::path::Path;

use crate::contract::{CONTRACT_VERSION, Descriptor};
use crate::sandbox::{Component, GuestError, SealedFolder};

/// Descriptors by component digest.
pub(super) struct Descriptors {
    kept: SealedFolder,
}

impl Descriptors {
    pub(super) fn open(folder: Option<&Path>) -> Self {
        Self { kept: SealedFolder::open(folder) }
    }

    /// What the plugin says of itself: kept, or asked now.
    ///
    /// # Errors
    /// The plugin had to be asked and did not answer.
    pub(super) async fn of(&self, component: &Component) -> Result<Vec<Descriptor>, GuestError> {
        let name = name(component.digest());
        if let Some(kept) = self.kept.read(&name).and_then(|kept| serde_json::from_slice(&kept).ok()) {
            return Ok(kept);
        }
        let said = component.describe().await?;
        if let Ok(text) = serde_json::to_vec(&said) {
            self.kept.write(&name, &text);
        }
        Ok(said)
    }
}

/// The contract and the host's version are part of the name: what is kept means nothing to others.
fn name(digest: &str) -> String {
    let digest = digest.trim_start_matches("sha256:");
    format!("{digest}-{CONTRACT_VERSION}-{}.json", env!("CARGO_PKG_VERSION"))
}
