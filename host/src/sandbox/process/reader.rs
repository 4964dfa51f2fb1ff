//! What reads a command's output and notices its end. Something that the command left behind may hold its output
//! open: that is not waited for.
//!
//! Leaves to others: keeping it (`capture`), handing it to the guest (`calls`).

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::confine::Private;
use super::spawn::left_in;
use super::task::{Ended, Piece, Stream, Task};

/// Bytes read at a time.
const PIECE: usize = 16 << 10;
/// How long output is still read after the command's end, where something else holds it open.
const DRAIN: Duration = Duration::from_millis(100);
/// Bytes of output after which a command is out of hand and killed.
const TOO_MUCH: u64 = 5 << 30;

/// The output of a command that runs.
pub(super) struct Output {
    stdout: pipe::Receiver,
    stderr: pipe::Receiver,
    /// How the supervisor ended.
    exit: oneshot::Receiver<Option<ExitStatus>>,
}

/// Makes a started command one that can be waited for: its process, a handle to kill it by, its output.
pub(super) fn watch_over(
    mut child: Child,
    stdout: OwnedFd,
    stderr: OwnedFd,
) -> io::Result<(Pid, OwnedFd, Output)> {
    let pid = Pid::from_child(&child);
    let watched = pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from).and_then(|handle| {
        let stdout = pipe::Receiver::from_owned_fd(stdout)?;
        Ok((handle, stdout, pipe::Receiver::from_owned_fd(stderr)?))
    });
    let (handle, stdout, stderr) = watched.inspect_err(|_| {
        let _ = child.kill();
        let _ = child.wait();
    })?;
    let (ended, exit) = oneshot::channel();
    // A thread that only waits: the runtime may be at its end before the command is.
    let wait = move || {
        let _ = ended.send(child.wait().ok());
    };
    let waiter = std::thread::Builder::new().name("mortise-wait".to_owned()).stack_size(64 << 10);
    waiter.spawn(wait).inspect_err(|_| {
        let _ = pidfd_send_signal(&handle, Signal::KILL);
    })?;
    Ok((pid, handle, Output { stdout, stderr, exit }))
}

impl Output {
    /// Reads all of it, and says how the command ended. Where nobody takes the pieces any more they are only kept.
    pub(super) async fn read_to_the_end(
        self,
        task: &Task,
        pieces: mpsc::Sender<Piece>,
        private: &Private,
    ) -> Ended {
        let Self { mut stdout, mut stderr, mut exit } = self;
        let mut status = None;
        let (mut out, mut err) = (vec![0; PIECE], vec![0; PIECE]);
        let mut open = [true, true];
        let mut drained: Option<Instant> = None;
        while open != [false, false] || drained.is_none() {
            let piece = tokio::select! {
                read = stdout.read(&mut out), if open[0] => (Stream::Out, piece(read, &out)),
                read = stderr.read(&mut err), if open[1] => (Stream::Err, piece(read, &err)),
                ended = &mut exit, if drained.is_none() => {
                    status = ended.ok().flatten();
                    drained = Some(Instant::now() + DRAIN);
                    continue;
                }
                () = sleep_until(drained.unwrap_or_else(Instant::now)), if drained.is_some() => break,
            };
            let (stream, Some(bytes)) = piece else {
                open[usize::from(piece.0 == Stream::Err)] = false;
                continue;
            };
            {
                let mut capture = task.capture();
                capture.take(bytes);
                if capture.total() > TOO_MUCH {
                    capture.remark("[killed: it wrote more than 5 GiB]");
                    drop(capture);
                    task.kill();
                }
            }
            // A guest that does not read makes the command wait; one that is gone does not.
            let _ = pieces.send((stream, bytes.to_vec())).await;
        }
        Ended {
            // What nobody can say how it ended has not ended well.
            code: status.map_or(Some(-1), |status: ExitStatus| status.code()),
            signal: status.and_then(|status| status.signal()),
            left_in: left_in(private),
        }
    }
}

/// What was read; `None` at the end.
fn piece(read: io::Result<usize>, buffer: &[u8]) -> Option<&[u8]> {
    read.ok().filter(|length| *length > 0).and_then(|length| buffer.get(..length))
}
