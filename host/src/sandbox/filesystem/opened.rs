//! What stands behind a guest's descriptor: an open file, or a pinned folder, with the names it was judged by.
//!
//! It lives in the resource table in the place of wasmtime's own `Descriptor`, of which guests only ever hold
//! the number; every function of `wasi:filesystem` is ours, so nothing else looks there.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::fault::Fault;
use super::watch::Watch;

/// An open descriptor. Folders are pinned, not opened: they can be stood on, and listed through a fresh open.
#[derive(Debug, Clone)]
pub(super) struct Opened {
    pub(super) file: Arc<File>,
    /// As the guest spelled it, absolute.
    pub(super) named: PathBuf,
    pub(super) kind: Kind,
    /// Present for files that the call itself names.
    pub(super) watch: Option<Arc<Mutex<Watch>>>,
}

/// What it is, and what was asked for when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder { mutable: bool },
    File { read: bool, write: bool },
}

impl Opened {
    pub(super) fn folder(file: File, named: PathBuf, mutable: bool) -> Self {
        Self { file: Arc::new(file), named, kind: Kind::Folder { mutable }, watch: None }
    }

    pub(super) fn is_dir(&self) -> bool {
        matches!(self.kind, Kind::Folder { .. })
    }

    /// Itself, if it is a file opened for reading.
    pub(super) fn readable(&self) -> Result<&Self, Fault> {
        match self.kind {
            Kind::File { read: true, .. } => Ok(self),
            Kind::File { .. } => Err(Fault::Code(ErrorCode::BadDescriptor)),
            Kind::Folder { .. } => Err(Fault::Code(ErrorCode::IsDirectory)),
        }
    }

    /// Itself, if it is a file opened for writing: which it only is where writing was judged.
    pub(super) fn writable(&self) -> Result<&Self, Fault> {
        match self.kind {
            Kind::File { write: true, .. } => Ok(self),
            Kind::File { .. } => Err(Fault::Code(ErrorCode::NotPermitted)),
            Kind::Folder { .. } => Err(Fault::Code(ErrorCode::BadDescriptor)),
        }
    }

    /// Tells the watch, where there is one.
    pub(super) fn watched(&self, tell: impl FnOnce(&mut Watch)) {
        if let Some(watch) = &self.watch {
            tell(&mut watch.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}
