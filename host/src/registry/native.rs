//! Native tools: an embedding program's own Rust code in the pool, beside the plugins. Same questionnaire,
//! same pipeline; only the sandbox is missing, and the pool says so.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::contract::{Answers, Content, Descriptor, Failure, Invocation, Outcome, Rejection, View};
use crate::permission::Grant;
use crate::sandbox::{ProgressSink, Session};

/// A tool in Rust. Everything but `describe` and `call` has the fail-closed default.
#[async_trait]
pub trait NativeTool: Send + Sync {
    /// What the tool is. Asked once per assembly.
    fn describe(&self) -> Descriptor;

    /// Fills in the questionnaire for one input. Must touch nothing.
    fn inspect(&self, call: &Invocation, session: &Session) -> Answers {
        let _ = (call, session);
        Answers::default()
    }

    /// What would happen, before the operator is asked. `grant` holds only reads that are allowed unasked.
    ///
    /// # Errors
    /// The input makes no sense; nobody is asked then.
    async fn preview(&self, call: &Invocation, grant: &Grant) -> Result<Vec<Content>, Rejection> {
        let _ = (call, grant);
        Ok(Vec::new())
    }

    /// A call in words for people, as Markdown; `None`: the host's plain rendering. Must touch nothing.
    fn render(&self, view: &View) -> Option<String> {
        let _ = view;
        None
    }

    /// The one ability. A native tool is not held to its grant by a sandbox: it must ask the grant
    /// ([`Grant::judge_path`], [`Grant::judge_request`]) before it reaches for anything.
    ///
    /// # Errors
    /// Each [`Failure`].
    async fn call(&self, call: &Invocation, context: &NativeCall) -> Result<Outcome, Failure>;
}

/// What a native tool gets beside the call.
pub struct NativeCall {
    /// What this call may reach.
    pub grant: Arc<Grant>,
    /// What it may know of the session.
    pub session: Arc<Session>,
    /// Where progress goes.
    pub progress: Option<ProgressSink>,
    /// Set when the caller gives up.
    pub cancel: CancellationToken,
}
