//! One visit of a guest: a fresh Store under one grant, one function of the contract, bounded in time and
//! memory, and thrown away. There is no other way to run guest code.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use wasmtime::component::{ComponentExportIndex, ComponentNamedList, Lift, Lower};
use wasmtime::{Store, Trap, UpdateDeadline};

use super::bounds::hold;
use super::component::{Component, LoadError, Toolset};
use super::engine::EngineError;
use super::filesystem::Seen;
use super::phase::{Phase, ProgressSink, Session};
use super::process::Waiting;
use super::state::State;
use super::storage::Storage;
use crate::contract::bindings::exports::mortise::tool::toolset as wit_toolset;
use crate::contract::bindings::mortise::tool::types as wit;
use crate::contract::{
    Answers, Content, Descriptor, Failure, Invocation, Nonsense, Outcome, Rejection, View,
};
use crate::permission::{Grant, Refusal};

/// How long a guest whose call was cancelled may take to end in its own words.
const GRACE: Duration = Duration::from_millis(20);

/// How long anybody waits for a component to be compiled. Interpreters of other languages take up to half a
/// minute, once.
const COMPILING: Duration = Duration::from_secs(120);

/// Bytes that one answer of a powerless phase may come to.
const ANSWER: usize = 4 << 20;

/// The name under which a call that may run a command is told which file the command's output goes into, where it is
/// long or goes on in the background: a path, as JSON.
const OUTPUT_FILE: &str = "mortise:output-file";

/// What an instance is made for.
pub struct Visit {
    /// Which function of the contract.
    pub phase: Phase,
    /// Who is visited, for the log.
    pub tool: String,
    /// Whose storage it is: the plugin by its origin, whatever its digest.
    pub plugin: String,
    /// What it holds.
    pub grant: Arc<Grant>,
    /// What it may know.
    pub session: Arc<Session>,
    /// Where its progress goes.
    pub progress: Option<ProgressSink>,
    /// Ends it early.
    pub cancel: CancellationToken,
}

/// How a visit ends when it does not end by itself. Texts are for the model and the operator alike.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GuestError {
    /// It could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It ran into a wall of its own making.
    #[error("the tool crashed in `{phase}`: {why}")]
    Trapped {
        /// Where.
        phase: Phase,
        /// What the engine says.
        why: String,
    },
    /// It wanted more memory than its cap.
    #[error(
        "the tool ran out of memory in `{phase}`: it wanted {wanted} of at most {cap} bytes; hint: raise `limits.memory` of [tools.NAME], or send a smaller input"
    )]
    OutOfMemory {
        /// Where.
        phase: Phase,
        /// Bytes wanted when it was refused.
        wanted: usize,
        /// Bytes it may have.
        cap: usize,
    },
    /// It took longer than its time.
    #[error("the tool was stopped in `{phase}` after {} ms, its limit; hint: raise `limits.time` of [tools.NAME], or ask for less at once", limit.as_millis())]
    TimedOut {
        /// Where.
        phase: Phase,
        /// What it had.
        limit: Duration,
    },
    /// Whoever asked for it gave up.
    #[error("the call was cancelled")]
    Cancelled,
    /// It answered what the contract does not allow.
    #[error("the tool's answer in `{phase}` makes no sense: {why}")]
    Nonsense {
        /// Where.
        phase: Phase,
        /// What is wrong with it.
        why: String,
    },
}

/// A visit that ended by itself, and what the host saw meanwhile.
#[derive(Debug)]
pub struct Finished<T> {
    /// What it answered.
    pub answer: T,
    /// Files it read or wrote through its grant.
    pub seen: Vec<Seen>,
    /// What it was refused, in words.
    pub refusals: Vec<Refusal>,
    /// Where the shell of its command ended, as the shell said.
    pub left_in: Option<PathBuf>,
}

impl Component {
    /// Asks what the plugin is. Powerless.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn describe(&self) -> Result<Vec<Descriptor>, GuestError> {
        let grant = Grant::none(self.engine().options().limits);
        let visit = Visit {
            phase: Phase::Describe,
            tool: self.digest().to_owned(),
            plugin: String::new(),
            grant: Arc::new(grant),
            session: Arc::default(),
            progress: None,
            cancel: CancellationToken::new(),
        };
        let (said,): (Vec<wit::Descriptor>,) =
            self.visit(visit, |toolset| &toolset.describe, ()).await?.answer;
        let descriptors = said.into_iter().map(Descriptor::try_from).collect::<Result<_, _>>();
        descriptors.map_err(|nonsense| nonsense.in_phase(Phase::Describe))
    }

    /// Has the questionnaire filled in for one input. Powerless, whatever `visit` holds.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn inspect(&self, visit: Visit, call: &Invocation) -> Result<Answers, GuestError> {
        let limits = *visit.grant.limits();
        let visit = Visit { phase: Phase::Inspect, grant: Arc::new(Grant::none(limits)), ..visit };
        let call = wit::Invocation::from(call);
        let (said,): (wit::Answers,) = self.visit(visit, |toolset| &toolset.inspect, (&call,)).await?.answer;
        Ok(said.into())
    }

    /// Asks what would happen. Holds what `visit` holds: reads that are allowed unasked.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn preview(
        &self,
        visit: Visit,
        call: &Invocation,
    ) -> Result<Result<Vec<Content>, Rejection>, GuestError> {
        let visit = Visit { phase: Phase::Preview, ..visit };
        let call = wit::Invocation::from(call);
        let (said,): (Result<Vec<wit::Content>, wit::Rejection>,) =
            self.visit(visit, |toolset| &toolset.preview, (&call,)).await?.answer;
        Ok(match said {
            Ok(content) => Ok(content.into_iter().map(Content::from).collect()),
            Err(rejection) => Err(rejection.into()),
        })
    }

    /// Has the work done. Holds exactly the grant of `visit`.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn call(
        &self,
        visit: Visit,
        call: &Invocation,
    ) -> Result<Finished<Result<Outcome, Failure>>, GuestError> {
        let visit = Visit { phase: Phase::Call, ..visit };
        let most = visit.grant.limits().result_bytes;
        let output = visit.grant.command().and_then(|_| visit.session.processes.output_file(&call.id));
        let mut call = wit::Invocation::from(call);
        call.extensions.extend(output.map(|file| (OUTPUT_FILE.to_owned(), json!(file).to_string())));
        let mut said: Finished<(Result<wit::Outcome, wit::Failure>,)> =
            self.visit(visit, |toolset| &toolset.call, (&call,)).await?;
        let answer = match said.answer.0 {
            Ok(outcome) => Outcome::try_from(outcome).map(Ok),
            Err(failure) => Failure::try_from(failure).map(Err),
        };
        let mut answer = answer.map_err(|nonsense| nonsense.in_phase(Phase::Call))?;
        if let Ok(outcome) | Err(Failure::Failed(outcome)) = &mut answer {
            said.refusals.extend(hold(outcome, most));
        }
        Ok(Finished { answer, seen: said.seen, refusals: said.refusals, left_in: said.left_in })
    }

    /// Asks for a call in words for people, as Markdown. Powerless, whatever `visit` holds.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn render(&self, visit: Visit, view: &View) -> Result<Option<String>, GuestError> {
        let limits = *visit.grant.limits();
        let visit = Visit { phase: Phase::Render, grant: Arc::new(Grant::none(limits)), ..visit };
        let view = wit_toolset::View::from(view);
        let (said,): (Option<String>,) = self.visit(visit, |toolset| &toolset.render, (&view,)).await?.answer;
        Ok(said)
    }

    /// Makes an instance for one visit, runs one function in it, and throws it away.
    async fn visit<Params, Results>(
        &self,
        visit: Visit,
        function: impl FnOnce(&Toolset) -> &ComponentExportIndex,
        params: Params,
    ) -> Result<Finished<Results>, GuestError>
    where
        Params: ComponentNamedList + Lower + Send + Sync,
        Results: ComponentNamedList + Lift + Send + Sync + 'static,
    {
        let ready = tokio::select! {
            biased;
            ready = self.ready() => ready?,
            // Compiling goes on, for whoever comes next.
            () = visit.cancel.cancelled() => return Err(GuestError::Cancelled),
            () = tokio::time::sleep(COMPILING) => return Err(LoadError::StillCompiling.into()),
        };
        let core = self.engine().core().map_err(LoadError::from)?;
        let (phase, cancel) = (visit.phase, visit.cancel.clone());
        let limits = *visit.grant.limits();
        let limit = if phase == Phase::Call { limits.time } else { limits.introspection_time };
        let storage = (self.engine().options().storage.as_ref())
            .filter(|_| visit.grant.storage())
            .map(|root| Storage::new(root.clone(), &visit.plugin, limits.storage_bytes));

        let deadline = Instant::now() + limit;
        let waiting = Waiting::default();
        let state_waiting = waiting.clone();
        let work = async {
            let _permit = core.instances.acquire_many(ready.share).await;
            let mut store =
                Store::new(&core.engine, State::new(visit, core.client.clone(), storage, deadline));
            store.data_mut().waiting = state_waiting;
            store.limiter(|state| &mut state.meter);
            store.set_hostcall_fuel(match phase {
                Phase::Call => usize::try_from(limits.memory).unwrap_or(usize::MAX),
                _ => ANSWER,
            });
            // A guest that computes looks up at each tick and lets others run; whoever drops this future
            // then stops it.
            store.set_epoch_deadline(1);
            store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Yield(1)));
            let answered = async {
                let instance = ready.instance.instantiate_async(&mut store).await?;
                let function =
                    instance.get_typed_func::<Params, Results>(&mut store, function(&ready.toolset))?;
                function.call_async(&mut store, params).await
            };
            match answered.await {
                Ok(answer) => {
                    let files = &mut store.data_mut().files;
                    let (seen, mut refusals) = (files.take_seen(), files.denials().to_vec());
                    refusals.extend(store.data().refusals.list().into_iter().map(Refusal));
                    let left_in = store.data_mut().left_in.take();
                    Ok(Finished { answer, seen, refusals, left_in })
                }
                Err(error) => Err(GuestError::from_trap(phase, &error, store.data())),
            }
        };
        let cancelled = async {
            cancel.cancelled().await;
            if phase == Phase::Call {
                tokio::time::sleep(GRACE).await;
            }
        };
        tokio::select! {
            biased;
            done = work => done,
            () = waiting.deadline(deadline) => Err(GuestError::TimedOut { phase, limit }),
            () = cancelled => Err(GuestError::Cancelled),
        }
    }
}

impl GuestError {
    fn from_trap(phase: Phase, error: &wasmtime::Error, state: &State) -> Self {
        if let Some(wanted) = state.meter.refused() {
            return Self::OutOfMemory { phase, wanted, cap: state.meter.cap() };
        }
        // The first lines say what happened; the guest's own backtrace goes to the operator's log.
        tracing::debug!(target: "mortise::guest", error = ?error, "a guest trapped");
        let why = match error.downcast_ref::<Trap>() {
            Some(trap) => trap.to_string(),
            None => error.root_cause().to_string(),
        };
        Self::Trapped { phase, why }
    }

    /// Whether it is the plugin's own fault, not the caller's or the machine's.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        !matches!(self, Self::Cancelled | Self::Load(LoadError::Engine(EngineError::Start(_))))
    }
}

impl Nonsense {
    fn in_phase(self, phase: Phase) -> GuestError {
        GuestError::Nonsense { phase, why: self.0 }
    }
}
