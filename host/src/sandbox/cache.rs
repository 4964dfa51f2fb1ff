//! Compiled code on disk. It is machine code, so an entry is loaded only from a folder that nobody but this
//! user can write, and only when its seal fits: a tampered entry is compiled anew, never loaded.

use std::hash::{Hash, Hasher};
use std::path::Path;

use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use super::sealed::SealedFolder;

/// Compiled components, by the digest of their bytes and the engine they were compiled by.
pub(super) struct CompileCache {
    entries: SealedFolder,
    /// What of the engine the code depends on: version, target, settings.
    engine: [u8; 32],
}

impl CompileCache {
    /// Opens the folder; without one, everything is compiled anew each time.
    pub(super) fn open(folder: Option<&Path>, engine: &wasmtime::Engine) -> Self {
        let mut hasher = Sha256Hasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self { entries: SealedFolder::open(folder), engine: hasher.0.finalize().into() }
    }

    /// The compiled form of the component whose digest this is, if a sealed entry holds it.
    pub(super) fn load(&self, engine: &wasmtime::Engine, digest: &str) -> Option<Component> {
        let code = self.entries.read(&self.name(digest))?;
        deserialize(engine, &code)
            .inspect_err(
                |error| tracing::warn!(digest, %error, "compiled code does not load; compiling anew"),
            )
            .ok()
    }

    /// Keeps the compiled form.
    pub(super) fn store(&self, digest: &str, component: &Component) {
        match component.serialize() {
            Ok(code) => self.entries.write(&self.name(digest), &code),
            Err(error) => tracing::warn!(digest, %error, "compiled code cannot be kept"),
        }
    }

    /// One name for one component under one engine.
    fn name(&self, digest: &str) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.engine);
        hasher.update(digest.as_bytes());
        format!("{:x}.cwasm", hasher.finalize())
    }
}

#[expect(
    unsafe_code,
    reason = "the engine cannot check machine code; the seal just verified says that this user's engine made it, and the bytes are our own copy, which no file can change any more"
)]
fn deserialize(engine: &wasmtime::Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: `code` is what `Component::serialize` gave under this engine's version and settings (both are
    // in the name that the seal covers), unchanged since (the seal).
    unsafe { Component::deserialize(engine, code) }
}

/// Feeds what the engine hashes of itself into SHA-256, which stays the same from process to process.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Unused: the whole digest is taken instead.
    fn finish(&self) -> u64 {
        0
    }
}
