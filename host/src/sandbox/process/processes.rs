//! The commands of one session: which run, which were left running, and where their output is. Ends with the
//! session, and they with it.
//!
//! Leaves to others: one command (`task`), the guest's view of it (`calls`).

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::capture::{Capture, Outputs};
use super::running::{Running, Times};
use super::spawn;
use super::support::Support;
use super::task::Task;
use crate::config::ProcessOptions;
use crate::permission::{CommandGrant, Fence};

/// Commands that have ended and are remembered by their ids.
const REMEMBERED: usize = 100;

/// Commands that run at a time: of a session, of one call.
const AT_ONCE: usize = 64;
const OF_ONE_CALL: usize = 4;

/// The commands of one session.
#[derive(Debug, Default)]
pub struct Processes {
    options: ProcessOptions,
    /// `None`: that of this machine's kernel.
    support: Option<Support>,
    tasks: Mutex<Vec<Arc<Task>>>,
    outputs: Outputs,
    last: AtomicU64,
}

/// Who wants a command run.
#[derive(Debug, Clone)]
pub(super) struct Starter {
    /// The plugin.
    pub(super) plugin: String,
    /// The call.
    pub(super) call: String,
}

impl Processes {
    /// None yet.
    #[must_use]
    pub fn new(options: ProcessOptions) -> Self {
        let mut processes = Self::default();
        processes.options = options;
        processes
    }

    /// As on a kernel that can do less.
    #[cfg(test)]
    pub(super) fn with_support(options: ProcessOptions, support: Support) -> Self {
        let mut processes = Self::new(options);
        processes.support = Some(support);
        processes
    }

    /// Asks for the running command of a call to go on in the background. Its tool then ends the call with an id.
    /// Says whether there is such a command.
    pub fn background(&self, call: &str) -> bool {
        let tasks = self.lock();
        let running = tasks.iter().filter(|task| task.call == call && !task.is_detached());
        let mut found = false;
        for task in running.filter(|task| task.end().is_none()) {
            task.want_in_background();
            found = true;
        }
        found
    }

    /// The folder with the output of commands, once there is one. Reading it needs no asking: what is in it is the
    /// output of commands that were allowed.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        self.outputs.folder()
    }

    /// The file that the output of a call's command goes into where it is long, or where it goes on in the background.
    #[must_use]
    pub fn output_file(&self, call: &str) -> Option<PathBuf> {
        self.outputs.file(call).ok()
    }

    /// Whether commands are confined by the kernel here, or run only where they are.
    #[must_use]
    pub fn confines(&self) -> bool {
        !self.options.unconfined && self.support().confines()
    }

    /// Starts a granted command. Blocks for some milliseconds, and needs the runtime's context.
    pub(super) fn start(
        &self,
        grant: &CommandGrant,
        fence: &Fence,
        starter: Starter,
        times: Times,
    ) -> Result<Running, String> {
        let alive = self.lock().iter().filter(|task| task.end().is_none()).count();
        let own = self.lock().iter().filter(|task| task.end().is_none() && task.call == starter.call).count();
        if alive >= AT_ONCE || own >= OF_ONE_CALL {
            return Err(format!(
                "too many commands run already: {alive} of at most {AT_ONCE}, {own} of this call of at most \
                 {OF_ONE_CALL}; hint: TaskStop ends one that was left running"
            ));
        }
        let cannot = |error| format!("the output of commands has no place: {error}");
        let file = self.outputs.file(&starter.call).map_err(cannot)?;
        let started = spawn::start(grant, fence, &self.options, self.support())?;
        let id = format!("bash_{}", self.last.fetch_add(1, Ordering::Relaxed) + 1);
        let Starter { plugin, call } = starter;
        let (task, output) = Task::new(id, plugin, call, grant.line.clone(), started, Capture::new(file))?;
        let running = Running::new(Arc::clone(&task), output, times);
        let mut tasks = self.lock();
        tasks.retain(|task| task.end().is_none() || task.is_detached());
        let over = tasks.iter().filter(|task| task.end().is_some()).count().saturating_sub(REMEMBERED);
        let mut forgotten = 0;
        tasks.retain(|task| {
            let forget = task.end().is_some() && forgotten < over;
            forgotten += usize::from(forget);
            !forget
        });
        tasks.push(task);
        Ok(running)
    }

    /// Kills a command that this plugin left running, and waits for its end.
    pub(super) async fn stop(&self, plugin: &str, id: &str) -> Result<String, String> {
        let task = {
            let tasks = self.lock();
            let mut own = tasks.iter().filter(|task| task.plugin == plugin && task.is_detached());
            let found = own.find(|task| task.id == id).map(Arc::clone);
            found.ok_or_else(|| {
                let left = tasks.iter().filter(|task| task.plugin == plugin && task.is_detached());
                let ids: Vec<&str> =
                    left.filter(|task| task.end().is_none()).map(|task| task.id.as_str()).collect();
                let ids = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
                format!("no command runs in the background under the id `{id}`; running now: {ids}")
            })?
        };
        if task.end().is_some() {
            return Err(format!("the command `{id}` has ended already"));
        }
        task.capture().remark("[killed: it was stopped]");
        task.kill();
        task.until_end().await;
        Ok(task.line.clone())
    }

    fn support(&self) -> &Support {
        self.support.as_ref().unwrap_or_else(|| Support::of_this_kernel())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Task>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for task in self.lock().iter() {
            task.kill();
        }
    }
}
