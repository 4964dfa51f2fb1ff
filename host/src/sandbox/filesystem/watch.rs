//! What a guest really read and wrote of the files that its call names, so that a later call can be held to it
//! (`session.file-known`). Only bytes that passed through here count, whatever a tool says.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A file as the host last saw a call read or write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Where it really is.
    pub path: PathBuf,
    /// Time of last modification then, in nanoseconds since 1970, decimal.
    pub modified_ns: String,
    /// SHA-256 of the content in lower-case hexadecimal; only when `whole`.
    pub digest: Option<String>,
    /// Whether all of it passed through the host, in order and unchanged meanwhile.
    pub whole: bool,
}

pub(super) type SeenLog = Arc<Mutex<BTreeMap<PathBuf, Seen>>>;

/// Follows what passes through one descriptor.
#[derive(Debug)]
pub(super) struct Watch {
    path: PathBuf,
    log: SeenLog,
    reading: Run,
    /// Present while all that the file holds was written through this descriptor.
    writing: Option<Run>,
}

/// Bytes in order from the start of the file.
#[derive(Debug, Default)]
struct Run {
    hash: Sha256,
    next: u64,
    broken: bool,
    /// Time of modification and length when the first byte was read.
    first: Option<(i128, u64)>,
}

impl Watch {
    /// Follows the file at `path`.
    pub(super) fn new(path: PathBuf, log: SeenLog) -> Self {
        Self { path, log, reading: Run::default(), writing: None }
    }

    /// These bytes were read at `offset`; none: there were no more.
    pub(super) fn read(&mut self, file: &File, offset: u64, bytes: &[u8]) {
        if offset == 0 {
            self.reading = Run::default();
        }
        let run = &mut self.reading;
        if run.first.is_none() {
            let Ok(meta) = file.metadata() else { return };
            run.first = Some((modified(&meta), meta.len()));
            note_part(&self.log, &self.path, &meta);
        }
        if run.broken || offset != run.next {
            run.broken = true;
            return;
        }
        run.hash.update(bytes);
        run.next += bytes.len() as u64;
        let Some((first, length)) = run.first else { return };
        if run.next < length && !bytes.is_empty() {
            return;
        }
        let Ok(meta) = file.metadata() else { return };
        if meta.len() == run.next && modified(&meta) == first {
            note_whole(&self.log, &self.path, &meta, run.hash.clone());
        }
    }

    /// These bytes were written at `offset`, or at the end.
    pub(super) fn wrote(&mut self, file: &File, offset: Option<u64>, bytes: &[u8]) {
        self.reading.broken = true;
        let Ok(meta) = file.metadata() else { return };
        if let Some(run) = &mut self.writing
            && offset.is_none_or(|offset| offset == run.next)
        {
            run.hash.update(bytes);
            run.next += bytes.len() as u64;
            if meta.len() == run.next {
                note_whole(&self.log, &self.path, &meta, run.hash.clone());
                return;
            }
        }
        self.writing = None;
        forget(&self.log, &self.path, &meta);
    }

    /// The file was cut or stretched to `size`.
    pub(super) fn resized(&mut self, file: &File, size: u64) {
        self.reading.broken = true;
        let Ok(meta) = file.metadata() else { return };
        forget(&self.log, &self.path, &meta);
        if size == 0 {
            self.emptied(file);
        }
    }

    /// The file was made or emptied: from here on, all that it holds passes through here.
    pub(super) fn emptied(&mut self, file: &File) {
        self.writing = Some(Run::default());
        self.wrote(file, Some(0), b"");
    }
}

/// Notes content that the host itself put there.
pub(super) fn note_content(log: &SeenLog, path: &std::path::Path, meta: &Metadata, content: &[u8]) {
    note_whole(log, path, meta, Sha256::new_with_prefix(content));
}

fn note_whole(log: &SeenLog, path: &std::path::Path, meta: &Metadata, hash: Sha256) {
    let digest = Some(format!("{:x}", hash.finalize()));
    let seen = Seen { path: path.to_owned(), modified_ns: modified(meta).to_string(), digest, whole: true };
    log.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), seen);
}

/// Notes that some of it was read, unless all of this very state already was.
fn note_part(log: &SeenLog, path: &std::path::Path, meta: &Metadata) {
    let known = log.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    if known.is_none_or(|seen| seen.modified_ns != modified(meta).to_string()) {
        forget(log, path, meta);
    }
}

/// Notes that what is there now is not known as a whole.
fn forget(log: &SeenLog, path: &std::path::Path, meta: &Metadata) {
    let seen =
        Seen { path: path.to_owned(), modified_ns: modified(meta).to_string(), digest: None, whole: false };
    log.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), seen);
}

fn modified(meta: &Metadata) -> i128 {
    i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec())
}
