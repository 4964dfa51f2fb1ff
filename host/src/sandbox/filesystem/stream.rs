//! Byte streams over open files, inline: a local file answers sooner than another thread could be woken. They
//! tell the descriptor's watch what really passed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use rustix::io::{Errno, ReadWriteFlags};
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

use super::opened::Opened;

/// Bytes that one operation moves at most, whatever the guest asks for.
pub(super) const CHUNK: usize = 64 * 1024;

/// Reads on from a position.
pub(super) struct FileReader {
    opened: Opened,
    position: u64,
    ended: bool,
}

/// Writes on from a position, or always at the end.
pub(super) struct FileWriter {
    opened: Opened,
    /// `None`: at the end.
    position: Option<u64>,
    failed: bool,
}

impl FileReader {
    pub(super) fn new(opened: Opened, position: u64) -> Self {
        Self { opened, position, ended: false }
    }
}

impl FileWriter {
    pub(super) fn new(opened: Opened, position: Option<u64>) -> Self {
        Self { opened, position, failed: false }
    }
}

/// Reads once at `offset`, at most [`CHUNK`] bytes; none: the end.
pub(super) fn read_at(opened: &Opened, offset: u64, size: usize) -> io::Result<Bytes> {
    let mut buffer = BytesMut::zeroed(size.min(CHUNK));
    let length = loop {
        match opened.file.read_at(&mut buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    buffer.truncate(length);
    if size > 0 {
        opened.watched(|watch| watch.read(&opened.file, offset, &buffer));
    }
    Ok(buffer.freeze())
}

/// Writes all of `bytes` at `offset`, or at the end.
pub(super) fn write_at(opened: &Opened, offset: Option<u64>, bytes: &[u8]) -> io::Result<()> {
    match offset {
        Some(offset) => opened.file.write_all_at(bytes, offset)?,
        None => append(&opened.file, bytes)?,
    }
    opened.watched(|watch| watch.wrote(&opened.file, offset, bytes));
    Ok(())
}

fn append(file: &Arc<File>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::pwritev2(file, &[io::IoSlice::new(bytes)], 0, ReadWriteFlags::APPEND);
        match written {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

#[async_trait::async_trait]
impl Pollable for FileReader {
    async fn ready(&mut self) {}
}

#[async_trait::async_trait]
impl InputStream for FileReader {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if self.ended {
            return Err(StreamError::Closed);
        }
        if size == 0 {
            return Ok(Bytes::new());
        }
        match read_at(&self.opened, self.position, size) {
            Ok(bytes) if bytes.is_empty() => {
                self.ended = true;
                Err(StreamError::Closed)
            }
            Ok(bytes) => {
                self.position += bytes.len() as u64;
                Ok(bytes)
            }
            Err(error) => {
                self.ended = true;
                Err(StreamError::LastOperationFailed(error.into()))
            }
        }
    }
}

#[async_trait::async_trait]
impl Pollable for FileWriter {
    async fn ready(&mut self) {}
}

#[async_trait::async_trait]
impl OutputStream for FileWriter {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        if self.failed {
            return Err(StreamError::Closed);
        }
        if bytes.len() > CHUNK {
            return Err(StreamError::trap("more was written than check-write allowed"));
        }
        if let Err(error) = write_at(&self.opened, self.position, &bytes) {
            self.failed = true;
            return Err(StreamError::LastOperationFailed(error.into()));
        }
        if let Some(position) = &mut self.position {
            *position = position.saturating_add(bytes.len() as u64);
        }
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        if self.failed { Err(StreamError::Closed) } else { Ok(()) }
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        if self.failed { Err(StreamError::Closed) } else { Ok(CHUNK) }
    }
}
