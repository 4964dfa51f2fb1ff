//! What a guest says on the side: the contract's `log`, standard output and standard error. All of it goes
//! to the operator's log, none of it anywhere near the host's own standard output, and no more of it than
//! the cap.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

/// The log of one instance. Clones write to the same one.
#[derive(Clone)]
pub(super) struct Log {
    shared: Arc<Mutex<Lines>>,
}

struct Lines {
    /// Who speaks: the tool, for the operator.
    tool: String,
    /// Bytes that may still be written.
    left: u64,
    /// Bytes that were dropped.
    dropped: u64,
    /// The line being written on each stream.
    open: [Vec<u8>; 2],
}

/// The two standard streams.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Output,
    Error,
}

impl Log {
    pub(super) fn new(tool: &str, cap: u64) -> Self {
        let lines = Lines { tool: tool.to_owned(), left: cap, dropped: 0, open: Default::default() };
        Self { shared: Arc::new(Mutex::new(lines)) }
    }

    /// Logs one message of the contract's `log`.
    pub(super) fn message(&self, level: tracing::Level, text: &str) {
        let mut lines = self.lock();
        let text = lines.take(text.as_bytes());
        if !text.is_empty() {
            lines.emit(level, &text);
        }
    }

    /// A standard stream that ends up here.
    pub(super) fn stream(&self, stream: Stream) -> impl StdoutStream + use<> {
        Pipe { log: self.clone(), stream }
    }

    fn write(&self, stream: Stream, bytes: &[u8]) {
        let mut lines = self.lock();
        let bytes = lines.take(bytes);
        for byte in bytes {
            if byte == b'\n' {
                lines.close(stream);
            } else {
                lines.open[stream as usize].push(byte);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lines> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    /// As much of `bytes` as the cap leaves room for.
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.left -= room as u64;
        self.dropped += (bytes.len() - room) as u64;
        bytes[..room].to_vec()
    }

    fn close(&mut self, stream: Stream) {
        let line = std::mem::take(&mut self.open[stream as usize]);
        if !line.is_empty() {
            self.emit(tracing::Level::INFO, &line);
        }
    }

    fn emit(&self, level: tracing::Level, text: &[u8]) {
        // Quoted with escapes: a guest's text must not be able to draw on the operator's terminal.
        let text = String::from_utf8_lossy(text);
        let tool = self.tool.as_str();
        match level {
            tracing::Level::ERROR => tracing::error!(target: "mortise::guest", tool, "{text:?}"),
            tracing::Level::WARN => tracing::warn!(target: "mortise::guest", tool, "{text:?}"),
            tracing::Level::INFO => tracing::info!(target: "mortise::guest", tool, "{text:?}"),
            tracing::Level::DEBUG => tracing::debug!(target: "mortise::guest", tool, "{text:?}"),
            tracing::Level::TRACE => tracing::trace!(target: "mortise::guest", tool, "{text:?}"),
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.close(Stream::Output);
        self.close(Stream::Error);
        if self.dropped > 0 {
            tracing::warn!(target: "mortise::guest", tool = self.tool, dropped = self.dropped, "bytes of log over the limit");
        }
    }
}

/// One standard stream of a guest. Writing never waits and never fails: what is over the cap is dropped.
#[derive(Clone)]
struct Pipe {
    log: Log,
    stream: Stream,
}

impl IsTerminal for Pipe {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Pipe {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.log.write(self.stream, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
