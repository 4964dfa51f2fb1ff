//! Starting a command: the shell, its surroundings, its descriptors. Everything it does not get is left out here.
//!
//! Leaves to others: what confines it (`confine`), its output and its end (`running`).

#![expect(clippy::disallowed_methods, reason = "this is where a tool's command is started")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{OnceLock, mpsc};

use rustix::fs::{Mode, OFlags};

use super::confine::{Private, confine, unconfined};
use super::descend::attach;
use super::support::Support;
use crate::config::ProcessOptions;
use crate::permission::{CommandGrant, Fence};

/// What runs the line: as the shell's own text, so that it can say afterwards where it ended. Takes the line and
/// the file for that.
const RUN: &str = r#"__mortise=$2; trap 'pwd -P >"$__mortise" 2>/dev/null' EXIT; eval "set --
$1""#;

/// Shells, the best first.
const SHELLS: [&str; 4] = ["/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh"];

/// The name of the file that says where the shell ended, in the command's temporary folder.
const CWD: &str = ".mortise-cwd";

/// A path to programs where none is set.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Bytes of a path.
const LONGEST_PATH: u64 = 4_096;

/// A command that was started.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Kept as long as the command runs.
    pub(super) private: Private,
    /// Whether it runs without namespaces.
    pub(super) loose: bool,
}

/// Where the shell says that it ended. The command may have written anything there.
pub(super) fn left_in(private: &Private) -> Option<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(private.scratch().join(CWD), flags, Mode::empty()).ok()?;
    let mut text = Vec::new();
    File::from(file).take(LONGEST_PATH).read_to_end(&mut text).ok()?;
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    Some(PathBuf::from(OsStr::from_bytes(text))).filter(|path| path.is_absolute())
}

/// Starts the granted line.
///
/// # Errors
/// It cannot be confined or started, in words with the next step.
pub(super) fn start(
    grant: &CommandGrant,
    fence: &Fence,
    options: &ProcessOptions,
    support: &Support,
) -> Result<Started, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("the command cannot be started: {error}");
    let private = Private::new().map_err(|error| cannot(&error))?;
    let variable = |wanted: &str| {
        let found = options.environment.iter().rev().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    };
    let (path, home) = (variable("PATH").unwrap_or(PATH), variable("HOME"));
    let (descent, scratch) = match (support.told(), options.unconfined) {
        (Ok(_), false) => {
            let confined = confine(grant, fence, (path, home), &private, support)?;
            (confined.descent, confined.scratch)
        }
        (_, true) => (unconfined(), private.scratch()),
        (Err(why), false) => return Err(why),
    };
    if !grant.working_directory.is_dir() {
        return Err(format!("the working directory is not there: `{}`", grant.working_directory.display()));
    }
    let shell = SHELLS.into_iter().find(|shell| Path::new(shell).exists());
    let shell = shell.ok_or("there is no shell; hint: install bash")?;
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let mut command = Command::new(shell);
    command.args(["-c", RUN, name, &grant.line]).arg(scratch.join(CWD));
    command.current_dir(&grant.working_directory);
    command.env_clear().env("PATH", path);
    command.envs(options.environment.iter().map(|(name, value)| (name, value)));
    command.env("TMPDIR", &scratch);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let loose = descent.namespaces.is_none();
    attach(&mut command, descent);
    let mut child = in_spawner(move || command.spawn()).map_err(|error| cannot(&error))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(cannot(&"it has no output"));
    };
    Ok(Started { child, stdout: stdout.into(), stderr: stderr.into(), private, loose })
}

type Job = Box<dyn FnOnce() + Send>;

/// Runs work on the one thread that starts commands. They die with the thread that started them, so it must be one
/// that stays until the host ends.
pub(super) fn in_spawner<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    static SPAWNER: OnceLock<Option<mpsc::Sender<Job>>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (jobs, incoming) = mpsc::channel::<Job>();
        let run = move || incoming.into_iter().for_each(|job| job());
        std::thread::Builder::new().name("mortise-spawn".to_owned()).spawn(run).ok().map(|_| jobs)
    });
    let gone = || io::Error::other("the thread that starts commands does not run");
    let (answer, answered) = mpsc::sync_channel(1);
    let job = move || drop(answer.send(work()));
    spawner.as_ref().ok_or_else(gone)?.send(Box::new(job)).map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}
