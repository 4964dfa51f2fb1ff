//! The contract's `process`: only the very line that was granted, only in `call`.
//!
//! Leaves to others: what runs and how it is held (the files beside this one).

use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::Resource;

use super::processes::Starter;
use super::running::{Running, Times, Waited};
use crate::contract::bindings::mortise::tool::process;
use crate::sandbox::state::State;

impl process::Host for State {
    async fn stop(&mut self, id: String) -> wasmtime::Result<Result<String, String>> {
        if let Err(why) = self.only_in_call("`process.stop`") {
            return Ok(Err(why));
        }
        Ok(self.session.processes.stop(&self.plugin, &id).await)
    }
}

impl process::HostRunning for State {
    async fn start(
        &mut self,
        options: process::Options,
    ) -> wasmtime::Result<Result<Resource<process::Running>, String>> {
        let work = match self.starting(options) {
            Ok(work) => work,
            Err(why) => return Ok(Err(why)),
        };
        // What was started by the time this is dropped is dropped with it, and so killed.
        let started = tokio::task::spawn_blocking(work).await;
        Ok(match started.map_err(|error| format!("the command cannot be started: {error}")) {
            Ok(Ok(running)) => Ok(Resource::new_own(self.table.push(running)?.rep())),
            Ok(Err(why)) | Err(why) => Err(why),
        })
    }

    async fn read(&mut self, held: Resource<process::Running>) -> wasmtime::Result<Option<process::Output>> {
        let _waiting = self.waiting.begin();
        let running = self.table.get_mut(&Resource::<Running>::new_borrow(held.rep()))?;
        Ok(running.read().await.map(|(stdout, stderr)| process::Output { stdout, stderr }))
    }

    async fn wait(&mut self, held: Resource<process::Running>) -> wasmtime::Result<process::Status> {
        let _waiting = self.waiting.begin();
        let running = self.table.get_mut(&Resource::<Running>::new_borrow(held.rep()))?;
        let waited = running.wait().await;
        let timed_out = running.timed_out();
        Ok(match waited {
            Waited::Ended(ended) => {
                let cwd_after = ended.left_in.as_ref().and_then(|path| path.to_str()).map(str::to_owned);
                self.left_in = ended.left_in.or(self.left_in.take());
                process::Status { code: ended.code, signal: ended.signal, timed_out, cwd_after }
            }
            Waited::TimedOut | Waited::Wanted => {
                process::Status { code: None, signal: None, timed_out, cwd_after: None }
            }
        })
    }

    async fn detach(&mut self, held: Resource<process::Running>) -> wasmtime::Result<String> {
        Ok(self.table.get_mut(&Resource::<Running>::new_borrow(held.rep()))?.detach())
    }

    async fn kill(&mut self, held: Resource<process::Running>) -> wasmtime::Result<()> {
        self.table.get_mut(&Resource::<Running>::new_borrow(held.rep()))?.kill();
        Ok(())
    }

    async fn drop(&mut self, held: Resource<process::Running>) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Running>::new_own(held.rep()))?;
        Ok(())
    }
}

impl State {
    /// The work of starting a command, if it is the granted one.
    fn starting(
        &self,
        options: process::Options,
    ) -> Result<impl FnOnce() -> Result<Running, String> + Send + use<>, String> {
        self.only_in_call("`process.start`")?;
        let granted = self.grant.command().ok_or(
            "this call was granted no command; the tool must list `run-commands` among its needs and name the \
             command as a subject",
        )?;
        if granted.line != options.command {
            return Err("this call was granted one command, and this is not it byte for byte".to_owned());
        }
        let starter = Starter { plugin: self.plugin.clone(), call: self.session.call.clone() };
        let asked = options.timeout_ms.map(|ms| Duration::from_millis(ms.into()));
        let times = Times::new(asked, options.background);
        let (grant, processes) = (Arc::clone(&self.grant), Arc::clone(&self.session.processes));
        Ok(move || {
            let granted = grant.command().ok_or("the grant is gone")?;
            processes.start(granted, grant.fence(), starter, times)
        })
    }
}
