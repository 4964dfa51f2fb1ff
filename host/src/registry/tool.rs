//! One tool of the pool: a plugin's or a native one, behind the same four questions.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;

use super::acceptance::Standing;
use super::native::{NativeCall, NativeTool};
use crate::config::ToolOptions;
use crate::contract::{Answers, Content, Descriptor, Failure, Invocation, Outcome, Rejection, Schema, View};
use crate::sandbox::{Component, Finished, GuestError, Phase, Visit};

/// One tool, ready to be called.
#[derive(Debug)]
pub struct Tool {
    /// What it says of itself.
    pub descriptor: Descriptor,
    /// Its input schema, compiled at the first call.
    pub schema: Schema,
    /// Its output schema, if it has one.
    pub output_schema: Option<Schema>,
    /// Where it comes from.
    pub origin: Origin,
    /// The same in words.
    pub source: String,
    /// `sha256:…` of the component; `native` for a native tool.
    pub digest: String,
    /// Whether the operator has accepted it.
    pub standing: Standing,
    /// `[tools.NAME]`.
    pub options: ToolOptions,
    pub(super) body: Body,
}

/// Where a tool comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The core set, by plugin name.
    Embedded(&'static str),
    /// The embedding program.
    Native,
    /// A file in a plugin folder.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded(plugin) => write!(f, "embedded:{plugin}"),
            Self::Native => f.write_str("native"),
            Self::File(file) => write!(f, "{}", file.display()),
        }
    }
}

pub(super) enum Body {
    Plugin(Component),
    Native(Arc<dyn NativeTool>),
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plugin(_) => "Plugin",
            Self::Native(_) => "Native",
        })
    }
}

impl Tool {
    /// Whether it runs outside the sandbox.
    #[must_use]
    pub fn is_native(&self) -> bool {
        matches!(self.body, Body::Native(_))
    }

    /// Has the questionnaire filled in for one input; powerless.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn inspect(&self, visit: Visit, call: &Invocation) -> Result<Answers, GuestError> {
        match &self.body {
            Body::Plugin(component) => component.inspect(visit, call).await,
            Body::Native(tool) => {
                let inspected = async { tool.inspect(call, &visit.session) };
                caught(Phase::Inspect, inspected).await
            }
        }
    }

    /// Asks what would happen, under the reads that `visit` holds.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn preview(
        &self,
        visit: Visit,
        call: &Invocation,
    ) -> Result<Result<Vec<Content>, Rejection>, GuestError> {
        match &self.body {
            Body::Plugin(component) => component.preview(visit, call).await,
            Body::Native(tool) => caught(Phase::Preview, tool.preview(call, &visit.grant)).await,
        }
    }

    /// Asks for a call in words for people; `None`: the host's plain rendering. Powerless.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn render(&self, visit: Visit, view: &View) -> Result<Option<String>, GuestError> {
        match &self.body {
            Body::Plugin(component) => component.render(visit, view).await,
            Body::Native(tool) => caught(Phase::Render, async { tool.render(view) }).await,
        }
    }

    /// Has the work done, under exactly the grant that `visit` holds.
    ///
    /// # Errors
    /// Each [`GuestError`].
    pub async fn call(
        &self,
        visit: Visit,
        call: &Invocation,
    ) -> Result<Finished<Result<Outcome, Failure>>, GuestError> {
        let tool = match &self.body {
            Body::Plugin(component) => return component.call(visit, call).await,
            Body::Native(tool) => tool,
        };
        let limit = visit.grant.limits().time;
        let context = NativeCall {
            grant: visit.grant,
            session: visit.session,
            progress: visit.progress,
            cancel: visit.cancel.clone(),
        };
        let work = tokio::time::timeout(limit, caught(Phase::Call, tool.call(call, &context)));
        let answer = tokio::select! {
            biased;
            done = work => done.unwrap_or(Err(GuestError::TimedOut { phase: Phase::Call, limit }))?,
            () = visit.cancel.cancelled() => return Err(GuestError::Cancelled),
        };
        Ok(Finished { answer, seen: Vec::new(), refusals: Vec::new(), left_in: None })
    }
}

/// A native tool that panics fails its own call and nothing else.
async fn caught<T>(phase: Phase, work: impl Future<Output = T>) -> Result<T, GuestError> {
    std::panic::AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| {
        let why = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "it panicked".to_owned());
        GuestError::Trapped { phase, why }
    })
}
