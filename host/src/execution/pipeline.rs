//! The path of one call. [`Pipeline::steps`] reads as its ten steps, each a function of its own in the files
//! beside this one. There is no second path: library, command line and MCP all come through here.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::call::{Call, CallResult};
use super::ending::Ended;
use super::error::CallError;
use super::session::SessionMemory;
use super::spill::Spill;
use super::trail::Trail;
use crate::config::Config;
use crate::hooks::{Classifier, Hooks};
use crate::permission::{Authorizer, Policy};
use crate::registry::Pool;
use crate::sandbox::{Processes, ProgressSink};

/// What all calls of a session share.
pub struct Pipeline {
    /// As resolved when the host was built.
    pub config: Config,
    /// The session's identity, as hooks are told it.
    pub session: String,
    /// The rules.
    pub policy: Arc<Policy>,
    /// Who is asked.
    pub authorizer: Arc<dyn Authorizer>,
    /// Steps 7 and 10.
    pub hooks: Arc<dyn Hooks>,
    /// Step 4.
    pub classifier: Arc<dyn Classifier>,
    /// What calls leave for later ones.
    pub memory: SessionMemory,
    /// Where large results go.
    pub spill: Spill,
    /// The commands that run.
    pub processes: Arc<Processes>,
}

/// What a call brings with it from its surface.
#[derive(Clone, Default)]
pub struct Attendance {
    /// Where its progress goes.
    pub progress: Option<ProgressSink>,
    /// Ends it early.
    pub cancel: CancellationToken,
}

impl Pipeline {
    /// Takes one call down the whole path. Every call ends in exactly one result, whatever happens to it.
    pub async fn run(&self, pool: &Pool, call: Call, attendance: Attendance) -> CallResult {
        let started = Instant::now();
        let mut trail = Trail::default();
        let ended = self.steps(pool, &call, &attendance, &mut trail).await;
        let tool = pool.find(&call.name).map_or(call.name.as_str(), |tool| &tool.descriptor.name).to_owned();
        ended.unwrap_or_else(Ended::from).into_result(call.id, tool, trail, started.elapsed())
    }

    /// The ten steps.
    async fn steps(
        &self,
        pool: &Pool,
        call: &Call,
        attendance: &Attendance,
        trail: &mut Trail,
    ) -> Result<Ended, CallError> {
        let tool = trail.step("resolve", self.resolve(pool, &call.name))?;
        let valid = trail.step("validate", self.validate(tool, call.input.clone()))?;
        let asked = trail.step("inspect", self.inspect(tool, &call.id, valid, attendance).await)?;
        let guess = trail.step("speculate", Ok(self.speculate(&asked)))?;
        let stripped = trail.step("strip", Ok(self.strip(asked)))?;
        let mut running = trail.step("observe", Ok(self.observe(stripped)))?;
        let heard = trail.step("before-hooks", self.before_hooks(&mut running, attendance).await)?;
        let permit = trail.step("permit", self.permit(&running, &heard, guess, attendance).await)?;
        let worked = trail.step("call", self.call(&mut running, permit, attendance).await);
        trail.step("after-hooks", self.after_hooks(running, heard, worked, attendance).await)
    }
}
