//! Commands: the one line that was approved for this call, in a shell that the host confines.
//!
//! ```no_run
//! # fn f(line: &str) -> Result<(), mortise_sdk::Failure> {
//! use mortise_sdk::process::Command;
//!
//! let running = Command::new(line).timeout_ms(5_000).start()?;
//! while let Some(output) = running.read() {
//!     let text = String::from_utf8_lossy(&output.stdout);
//! }
//! let code = running.wait().code;
//! # Ok(()) }
//! ```
//!
//! The line must be among the subjects of the call ([`Subject::command`](crate::Subject::command)), and the tool must
//! need to run commands ([`Need::RunCommands`](crate::Need::RunCommands)).

use crate::bindings::mortise::tool::process::Options;
pub use crate::bindings::mortise::tool::process::{Output, Status};
use crate::{Invocation, host};

/// A command being put together.
#[derive(Debug, Clone)]
pub struct Command(Options);

/// A command that was started. Dropped without [`detach`](Running::detach), it is killed with all it started.
pub struct Running(host::process::Running);

impl Command {
    /// This line, byte for byte as it was approved.
    pub fn new(line: impl Into<String>) -> Self {
        Self(Options { command: line.into(), timeout_ms: None, background: false })
    }

    /// Milliseconds before waiting ends; for one in the background, before it is killed.
    #[must_use]
    pub fn timeout_ms(mut self, milliseconds: u32) -> Self {
        self.0.timeout_ms = Some(milliseconds);
        self
    }

    /// Nobody will wait for it.
    #[must_use]
    pub fn background(mut self) -> Self {
        self.0.background = true;
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// Says which need or rule is in the way, or what the machine cannot do.
    pub fn start(self) -> Result<Running, String> {
        host::process::Running::start(&self.0).map(Running)
    }
}

impl Running {
    /// Waits for more output. `None` at the end, when its time is up, and when the operator wants it in the background:
    /// [`wait`](Self::wait) says which.
    pub fn read(&self) -> Option<Output> {
        self.0.read()
    }

    /// Waits as [`read`](Self::read) does, and passes over output that was not read.
    pub fn wait(&self) -> Status {
        self.0.wait()
    }

    /// Leaves it running; its id.
    pub fn detach(&self) -> String {
        self.0.detach()
    }

    /// Ends it and all that it started.
    pub fn kill(&self) {
        self.0.kill();
    }
}

/// Whether a command has ended, rather than that waiting for it has.
pub fn has_ended(status: &Status) -> bool {
    status.code.is_some() || status.signal.is_some()
}

/// Ends a command that this plugin left running; its command line.
///
/// # Errors
/// Says that none runs under this id.
pub fn stop(id: &str) -> Result<String, String> {
    host::process::stop(id)
}

/// The file that the output of this call's command goes into where it is long, or where it goes on in the background.
pub fn output_file(call: &Invocation) -> Option<String> {
    let (_, file) = call.extensions.iter().find(|(name, _)| name == "mortise:output-file")?;
    serde_json::from_str(file).ok()
}
