//! One command that was started: what reads its output, notices its end, and kills it with all that it started.
//!
//! Leaves to others: starting it (`spawn`), the guest's view of it (`calls`), who may name it (`processes`).

#![expect(
    clippy::disallowed_methods,
    reason = "it asks /proc for the descendants of a command, to kill them"
)]

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::sync::{mpsc, watch};

use super::capture::Capture;
use super::reader::watch_over;
use super::spawn::Started;

/// Pieces that wait for a guest that does not read; then the command waits.
const WAITING: usize = 8;
/// Times the tree of processes is looked through before a kill is taken as done.
const ROUNDS: usize = 100;

/// Which stream a piece of output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

/// Some output.
pub(super) type Piece = (Stream, Vec<u8>);

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// Where the shell was then, as the shell says.
    pub(super) left_in: Option<PathBuf>,
}

impl Ended {
    /// For whoever reads the file.
    fn remark(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("[the command ended with exit code {code}]"),
            (None, Some(signal)) => format!("[the command was ended by signal {signal}]"),
            (None, None) => "[the command has ended]".to_owned(),
        }
    }
}

/// One command. Shared by whoever waits for it, the session's table, and what reads its output.
#[derive(Debug)]
pub(super) struct Task {
    /// Unique in the session.
    pub(super) id: String,
    /// The plugin that started it.
    pub(super) plugin: String,
    /// The call that it was started for.
    pub(super) call: String,
    pub(super) line: String,
    supervisor: Pid,
    handle: OwnedFd,
    /// Whether nothing but the supervisor holds what the command started together.
    loose: bool,
    ended: watch::Sender<Option<Ended>>,
    /// Whether somebody wants it in the background.
    wanted: watch::Sender<bool>,
    detached: AtomicBool,
    killed: AtomicBool,
    capture: Mutex<Capture>,
}

impl Task {
    /// Takes charge of a started command. What it writes comes out of the receiver, until that is dropped.
    ///
    /// # Errors
    /// The system refuses what is needed to watch it; it is killed then.
    pub(super) fn new(
        id: String,
        plugin: String,
        call: String,
        line: String,
        started: Started,
        capture: Capture,
    ) -> Result<(Arc<Self>, mpsc::Receiver<Piece>), String> {
        let Started { child, stdout, stderr, private, loose } = started;
        let (supervisor, handle, output) = watch_over(child, stdout, stderr)
            .map_err(|error| format!("the command cannot be watched, so it was killed: {error}"))?;
        let task = Arc::new(Self {
            id,
            plugin,
            call,
            line,
            supervisor,
            handle,
            loose,
            ended: watch::Sender::new(None),
            wanted: watch::Sender::new(false),
            detached: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            capture: Mutex::new(capture),
        });
        let (pieces, incoming) = mpsc::channel(WAITING);
        let work = Arc::clone(&task);
        tokio::spawn(async move {
            let mut ended = output.read_to_the_end(&work, pieces, &private).await;
            if work.killed.load(Ordering::Acquire) {
                (ended.code, ended.signal) = (None, Some(Signal::KILL.as_raw()));
            }
            if work.is_detached() {
                work.capture().remark(&ended.remark());
            }
            work.ended.send_replace(Some(ended));
        });
        Ok((task, incoming))
    }

    /// How it ended, if it has.
    pub(super) fn end(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Waits for its end.
    pub(super) async fn until_end(&self) -> Ended {
        let mut ended = self.ended.subscribe();
        match ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone().unwrap_or_default(),
            Err(_) => Ended::default(),
        }
    }

    /// Asks whoever waits for it to leave it running.
    pub(super) fn want_in_background(&self) {
        self.wanted.send_replace(true);
    }

    /// Waits until somebody asks for that.
    pub(super) async fn until_wanted(&self) {
        let mut wanted = self.wanted.subscribe();
        if wanted.wait_for(|wanted| *wanted).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Leaves it running on its own for at most `lifetime`; all its output is then in its file.
    pub(super) fn detach(self: &Arc<Self>, lifetime: Duration) {
        self.detached.store(true, Ordering::Release);
        self.capture().keep_in_file();
        let task = Arc::clone(self);
        tokio::spawn(async move {
            if tokio::time::timeout(lifetime, task.until_end()).await.is_err() {
                task.capture().remark("[killed: its time was up]");
                task.kill();
            }
        });
    }

    pub(super) fn is_detached(&self) -> bool {
        self.detached.load(Ordering::Acquire)
    }

    /// Kills it and all that it started. Does nothing once it has ended.
    pub(super) fn kill(&self) {
        if self.ended.borrow().is_some() {
            return;
        }
        self.killed.store(true, Ordering::Release);
        // Descendants first: without namespaces, what outlives the supervisor belongs to nobody.
        for _ in 0..if self.loose { ROUNDS } else { 0 } {
            let descendants = descendants(self.supervisor);
            if descendants.is_empty() {
                break;
            }
            for pid in descendants {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
        let _ = rustix::process::pidfd_send_signal(&self.handle, Signal::KILL);
    }

    pub(super) fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every process below one, by what /proc says of parents.
fn descendants(top: Pid) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let parents: Vec<(i32, i32)> = entries
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name, which may hold anything: state, parent.
            let mut rest = stat[stat.rfind(')')? + 1..].split_whitespace();
            let alive = rest.next() != Some("Z");
            let parent = rest.next()?.parse().ok()?;
            alive.then_some((pid, parent))
        })
        .collect();
    let mut found = vec![top.as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.drain(..1);
    found.into_iter().filter_map(Pid::from_raw).collect()
}
