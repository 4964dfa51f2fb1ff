//! A command as the call that started it holds it: its output, its time, and its end. Dropped without being left
//! running, it is killed.
//!
//! Leaves to others: the contract's types (`calls`), reading and killing (`task`).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::task::{Ended, Piece, Stream, Task};

/// What a foreground command gets by default, and at most.
const FOREGROUND: (Duration, Duration) = (Duration::from_secs(120), Duration::from_secs(600));
/// What one in the background gets by default, and at most.
const BACKGROUND: (Duration, Duration) = (Duration::from_secs(1_800), Duration::from_secs(7_200));
/// Bytes of output handed over at a time.
const AT_ONCE: usize = 64 << 10;

/// How long a command may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// Before whoever waits for it is told; `None`: nobody waits.
    foreground: Option<Duration>,
    /// From the moment it is left running.
    background: Duration,
}

/// What waiting for a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waited {
    /// It has ended.
    Ended(Ended),
    /// Its time is up, and it still runs.
    TimedOut,
    /// The operator wants it in the background, and it still runs.
    Wanted,
}

/// A command and the call's hold on it.
#[derive(Debug)]
pub(super) struct Running {
    task: Arc<Task>,
    output: mpsc::Receiver<Piece>,
    deadline: Option<Instant>,
    times: Times,
    /// Whether it outlives this.
    kept: bool,
    killed: bool,
    timed_out: bool,
}

impl Times {
    /// As asked for, within bounds.
    pub(super) fn new(asked: Option<Duration>, background: bool) -> Self {
        let within = |(default, most): (Duration, Duration)| asked.unwrap_or(default).min(most);
        if background {
            Self { foreground: None, background: within(BACKGROUND) }
        } else {
            Self { foreground: Some(within(FOREGROUND)), background: BACKGROUND.0 }
        }
    }
}

impl Running {
    pub(super) fn new(task: Arc<Task>, output: mpsc::Receiver<Piece>, times: Times) -> Self {
        let deadline = times.foreground.map(|time| Instant::now() + time);
        Self { task, output, deadline, times, kept: false, killed: false, timed_out: false }
    }

    /// More output, both streams apart; `None` when there is no more to wait for.
    pub(super) async fn read(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut put = |(stream, bytes): Piece| match stream {
            Stream::Out => out.extend_from_slice(&bytes),
            Stream::Err => err.extend_from_slice(&bytes),
        };
        let mut length = match self.next().await {
            Ok(piece) => {
                let length = piece.1.len();
                put(piece);
                length
            }
            Err(_) => return None,
        };
        while length < AT_ONCE
            && let Ok(piece) = self.output.try_recv()
        {
            length += piece.1.len();
            put(piece);
        }
        Some((out, err))
    }

    /// Waits for the end, or what comes before it; output that was not read is passed over.
    pub(super) async fn wait(&mut self) -> Waited {
        loop {
            if let Err(waited) = self.next().await {
                return waited;
            }
        }
    }

    /// The next piece of output, or why there is none.
    async fn next(&mut self) -> Result<Piece, Waited> {
        let patient = !self.killed && self.task.end().is_none();
        let deadline = self.deadline.filter(|_| patient);
        tokio::select! {
            biased;
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                self.timed_out = true;
                Err(Waited::TimedOut)
            }
            () = self.task.until_wanted(), if patient => Err(Waited::Wanted),
            piece = self.output.recv() => match piece {
                Some(piece) => Ok(piece),
                None => Err(Waited::Ended(self.task.until_end().await)),
            },
        }
    }

    /// Whether its time was up at some point.
    pub(super) fn timed_out(&self) -> bool {
        self.timed_out
    }

    /// Bytes that came and were not read.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.task.capture().total() as usize
    }

    /// Leaves it running; its id.
    pub(super) fn detach(&mut self) -> String {
        self.kept = true;
        self.output.close();
        self.task.detach(self.times.background);
        self.task.id.clone()
    }

    pub(super) fn kill(&mut self) {
        self.killed = true;
        self.task.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.kept {
            self.task.kill();
        }
    }
}
