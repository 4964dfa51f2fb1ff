//! The host: where all layers meet, and the front door for programs that embed it. The only file that sees
//! every layer.

use std::sync::{Arc, PoisonError, RwLock};

use crate::config::Config;
use crate::contract::View;
use crate::execution::{Attendance, Call, CallResult, Explanation, Pipeline, SessionMemory, Spill};
use crate::hooks::{
    CLASSIFIER_TIMEOUT, Classifier, HOOK_TIMEOUT, Hooks, NoClassifier, NoHooks, guarded, guarded_classifier,
};
use crate::orchestration::run_in_order;
use crate::permission::{Authorizer, Nobody, Policy};
use crate::registry::{NativeTool, Pool, Registry};
use crate::sandbox::{Engine, EngineError, Processes};

/// A session's host: a pool of tools, and the one path that every call takes.
///
/// Cheap to share behind an [`Arc`]; calls may run at the same time.
pub struct Host {
    registry: Registry,
    pipeline: Pipeline,
    pool: RwLock<Arc<Pool>>,
}

/// Puts a [`Host`] together.
pub struct HostBuilder {
    config: Config,
    authorizer: Arc<dyn Authorizer>,
    hooks: Arc<dyn Hooks>,
    classifier: Arc<dyn Classifier>,
    native: Vec<Arc<dyn NativeTool>>,
}

/// Why there is no host. For the operator.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Rules that cannot be what was meant; each with its place and its cure.
    #[error("{}", .0.join("\n"))]
    Rules(Vec<String>),
    /// The engine does not run on this machine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The record of accepted plugins cannot be written.
    #[error("the acceptance of `{tool}` cannot be recorded: {why}")]
    Acceptance {
        /// Which tool.
        tool: String,
        /// What the system said.
        why: String,
    },
    /// There is no such tool to accept.
    #[error("no tool of that name can be accepted; hint: `mortise list` names them; tool `{0}`")]
    NoSuchTool(String),
}

impl Host {
    /// Starts putting one together: embedded tools, no folders, nobody to ask, no hooks.
    #[must_use]
    pub fn builder() -> HostBuilder {
        HostBuilder {
            config: Config::default(),
            authorizer: Arc::new(Nobody),
            hooks: Arc::new(NoHooks),
            classifier: Arc::new(NoClassifier),
            native: Vec::new(),
        }
    }

    /// The pool as it is now. A reload makes another; this one stays what it is.
    #[must_use]
    pub fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.pool.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Scans every source again. Calls under way finish with the tools they have.
    pub async fn reload(&self) -> Arc<Pool> {
        let pool = Arc::new(self.registry.assemble(&self.pipeline.policy).await);
        *self.pool.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&pool);
        pool
    }

    /// One call, alone.
    pub async fn call(&self, call: Call) -> CallResult {
        self.call_attended(call, Attendance::default()).await
    }

    /// One call whose progress is wanted, or that may be cancelled.
    pub async fn call_attended(&self, call: Call, attendance: Attendance) -> CallResult {
        self.pipeline.run(&self.pool(), call, attendance).await
    }

    /// The calls of one turn. Exactly one result for each, in the same order.
    pub async fn run(&self, calls: Vec<Call>) -> Vec<CallResult> {
        self.run_attended(calls, &Attendance::default(), |_| {}).await
    }

    /// The calls of one turn; each result is shown to `delivered` as soon as it is there.
    pub async fn run_attended(
        &self,
        calls: Vec<Call>,
        attendance: &Attendance,
        delivered: impl FnMut(&CallResult),
    ) -> Vec<CallResult> {
        run_in_order(&self.pipeline, &self.pool(), calls, attendance, delivered).await
    }

    /// Lets the running command of a call go on in the background: the call ends with an id, and nothing is started
    /// anew. Says whether there is such a command.
    pub fn background(&self, call: &str) -> bool {
        self.pipeline.processes.background(call)
    }

    /// What would become of a call: every step's answer, the rule that decides, the grant. Runs nothing.
    pub async fn explain(&self, call: Call) -> Explanation {
        self.pipeline.explain(&self.pool(), call).await
    }

    /// A call in the tool's own words for people, as Markdown; `None` where it has none, and whenever asking it
    /// fails: the plain content is what there is then.
    pub async fn render(&self, view: &View) -> Option<String> {
        let pool = self.pool();
        let tool = pool.find(view.tool()?)?;
        self.pipeline.render(tool, view).await
    }

    /// Accepts a new or changed plugin as it is now, for good: `tool` and every other tool in the same bytes. The
    /// pool after it has them as accepted.
    ///
    /// # Errors
    /// There is no such tool, or the acceptance cannot be recorded.
    pub async fn accept(&self, tool: &str) -> Result<(), HostError> {
        let tools = self.pool().plugin_of(tool);
        if tools.is_empty() {
            return Err(HostError::NoSuchTool(tool.to_owned()));
        }
        self.registry
            .accept(&tools)
            .map_err(|error| HostError::Acceptance { tool: tool.to_owned(), why: error.to_string() })?;
        self.reload().await;
        Ok(())
    }
}

impl HostBuilder {
    /// What the operator configured; see [`crate::config::load`] for reading it from files.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Who is asked. Default: nobody, and then every question is a denial.
    #[must_use]
    pub fn authorizer(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = authorizer;
        self
    }

    /// The operator's own logic before and after calls. Default: none.
    #[must_use]
    pub fn hooks(mut self, hooks: Arc<dyn Hooks>) -> Self {
        self.hooks = Arc::new(guarded(hooks, HOOK_TIMEOUT));
        self
    }

    /// Who decides in mode `auto`. Default: nobody, and then it asks.
    #[must_use]
    pub fn classifier(mut self, classifier: Arc<dyn Classifier>) -> Self {
        self.classifier = Arc::new(guarded_classifier(classifier, CLASSIFIER_TIMEOUT));
        self
    }

    /// Adds a tool of the embedding program's own, beside the plugins. May be called several times.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn NativeTool>) -> Self {
        self.native.push(tool);
        self
    }

    /// Reads the rules, scans the sources and makes the pool.
    ///
    /// # Errors
    /// A rule cannot be what was meant. A broken plugin is no error: it is listed in the pool with its reason.
    pub async fn build(self) -> Result<Host, HostError> {
        let Self { config, authorizer, hooks, classifier, native } = self;
        let (policy, problems) = Policy::new(&config.permission, &config.working_directory);
        let (fatal, passed_over): (Vec<_>, Vec<_>) = problems.into_iter().partition(|problem| problem.fatal);
        if !fatal.is_empty() {
            return Err(HostError::Rules(fatal.iter().map(ToString::to_string).collect()));
        }
        for problem in passed_over {
            tracing::warn!("{problem}");
        }
        let engine = Engine::new(config.sandbox.clone());
        let registry = Registry::new(engine, config.registry.clone(), native);
        let pool = registry.assemble(&policy).await;
        for problem in policy.unknown_tools(&pool.names()) {
            tracing::warn!("{problem}");
        }
        let pipeline = Pipeline {
            session: session_id(),
            policy: Arc::new(policy),
            authorizer,
            hooks,
            classifier,
            memory: SessionMemory::default(),
            spill: Spill::new(config.execution.spill.clone()),
            processes: Arc::new(Processes::new(config.sandbox.process.clone())),
            config,
        };
        Ok(Host { registry, pipeline, pool: RwLock::new(Arc::new(pool)) })
    }
}

/// Unlike any other session's, also after a restart.
fn session_id() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_nanos(), std::process::id())
}
