//! What a command writes, kept for later: in memory while it is little, beyond that in a file of the session's own
//! folder, up to a cap.
//!
//! Leaves to others: what the model is shown of it (the tool), letting the folder be read (`execution`).

#![expect(clippy::disallowed_methods, reason = "it keeps the output of commands in a folder of its own")]

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// Bytes that are kept in memory and, if no more come, in no file.
const IN_MEMORY: usize = 10_000;
/// Bytes of one file.
const IN_FILE: u64 = 64 << 20;

/// The session's folder of outputs, made at the first need and gone with the session.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    made: Mutex<Option<TempDir>>,
}

impl Outputs {
    /// The folder, if there is one.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.as_ref().map(|folder| folder.path().to_path_buf())
    }

    /// The file for what a call's command writes, whether or not it comes to exist.
    pub(super) fn file(&self, call: &str) -> io::Result<PathBuf> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.is_none() {
            let place = std::env::temp_dir().canonicalize()?;
            let mut builder = tempfile::Builder::new();
            builder.prefix("mortise-output-").permissions(Permissions::from_mode(0o700));
            *made = Some(builder.tempdir_in(place)?);
        }
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let name: String = call.chars().take(64).map(safe).collect();
        let folder = made.as_ref().map(TempDir::path).unwrap_or(Path::new("/"));
        Ok(folder.join(format!("{name}.output")))
    }
}

/// The output of one command.
#[derive(Debug)]
pub(super) struct Capture {
    path: PathBuf,
    held: Vec<u8>,
    file: Option<File>,
    /// Bytes that came, kept or not.
    total: u64,
    in_file: u64,
    /// The first failure ends the keeping.
    broken: bool,
}

impl Capture {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, held: Vec::new(), file: None, total: 0, in_file: 0, broken: false }
    }

    /// Bytes that came.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Takes more.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if self.file.is_none() && self.held.len() + bytes.len() <= IN_MEMORY {
            self.held.extend_from_slice(bytes);
            return;
        }
        self.keep_in_file();
        self.append(bytes);
    }

    /// Adds a line of the host's own, which the cap does not count.
    pub(super) fn remark(&mut self, text: &str) {
        self.keep_in_file();
        if let Some(file) = &mut self.file {
            let _ = writeln!(file, "{text}");
        }
    }

    /// From now on all of it is in the file.
    pub(super) fn keep_in_file(&mut self) {
        if self.file.is_some() || self.broken {
            return;
        }
        // O_EXCL never follows a link; a second command of one call goes on in the first one's file.
        let created = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&self.path);
        let opened = created.or_else(|_| OpenOptions::new().append(true).open(&self.path));
        match opened {
            Ok(file) => self.file = Some(file),
            Err(error) => {
                tracing::warn!(%error, file = %self.path.display(), "the output of a command cannot be kept");
                self.broken = true;
            }
        }
        let held = std::mem::take(&mut self.held);
        self.append(&held);
    }

    fn append(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = usize::try_from(IN_FILE - self.in_file).unwrap_or(usize::MAX).min(bytes.len());
        if room == 0 && !bytes.is_empty() {
            return;
        }
        if file.write_all(&bytes[..room]).is_err() {
            self.broken = true;
            self.file = None;
            return;
        }
        self.in_file += room as u64;
        if self.in_file == IN_FILE {
            let _ = writeln!(file, "\n[the rest of the output is left out: 64 MiB is the most that is kept]");
        }
    }
}
