//! Steps 9 and 10 of the path: the work under its grant, and what becomes of the result.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::approach::Running;
use super::call::Ending;
use super::decide::Heard;
use super::ending::Ended;
use super::error::CallError;
use super::pipeline::{Attendance, Pipeline};
use super::results::{cap, check_structured};
use super::trail::Telling;
use crate::config::ToolLimits;
use crate::contract::{Content, Failure, Outcome, ResultLimit};
use crate::hooks::{AfterEvent, Happening, resolve_after};
use crate::permission::Permit;
use crate::registry::Tool;
use crate::sandbox::Phase;

/// What came of the work.
pub(super) struct Worked {
    pub(super) outcome: Outcome,
    pub(super) failed: bool,
    pub(super) duration: Duration,
}

impl Pipeline {
    /// Step 9: a fresh instance that holds exactly the grant.
    pub(super) async fn call(
        &self,
        running: &mut Running<'_>,
        permit: Permit,
        attendance: &Attendance,
    ) -> Result<Worked, CallError> {
        let started = Instant::now();
        let tool = running.tool;
        let grant = Arc::new(permit.into_parts().1);
        let visit = self.visit(Phase::Call, tool, grant, &running.session, attendance);
        let finished =
            tool.call(visit, &running.call).await.map_err(|error| CallError::from_guest(tool, error))?;
        self.memory.saw(finished.seen);
        if let Some(folder) = self.processes.folder() {
            self.policy.lend(&folder);
        }
        let reset = finished.left_in.and_then(|folder| self.policy.enter(&folder));
        let refusals: Vec<String> = finished.refusals.iter().map(ToString::to_string).collect();
        let (mut outcome, failed) = match finished.answer {
            Ok(outcome) => (outcome, false),
            Err(Failure::Failed(outcome)) => (outcome, true),
            Err(Failure::Rejected(rejection)) => return Err(CallError::Rejected(rejection)),
            Err(Failure::Interrupted) if attendance.cancel.is_cancelled() => {
                return Err(CallError::Interrupted);
            }
            Err(Failure::Interrupted) => {
                let detail = "it says that it was interrupted, and nobody interrupted it".to_owned();
                return Err(CallError::Broken { tool: tool.descriptor.name.clone(), detail });
            }
        };
        if failed && !refusals.is_empty() {
            // A guest is told only an error number; the model can act on the reason.
            outcome.content.push(Content::text(format!("Refused by the host: {}", refusals.join("; "))));
        }
        outcome
            .content
            .extend(reset.map(|to| Content::text(format!("Shell cwd was reset to {}", to.display()))));
        running.notes.extend(refusals);
        if let (false, Some(schema)) = (failed, &tool.output_schema) {
            check_structured(&mut outcome, schema, &tool.descriptor.name)?;
        }
        if let (false, Some(patch)) = (failed, &outcome.context) {
            running.notes.extend(self.memory.patch(&tool.source, patch).err());
        }
        Ok(Worked { outcome, failed, duration: started.elapsed() })
    }

    /// Step 10: hooks see the result and may add to it or replace it; then it is held to its limit.
    pub(super) async fn after_hooks(
        &self,
        mut running: Running<'_>,
        heard: Heard,
        worked: Result<Worked, CallError>,
        attendance: &Attendance,
    ) -> Result<Ended, CallError> {
        let tool = running.tool;
        let resolution = if self.hooks.idle() {
            Default::default()
        } else {
            let event = self.after_event(&running, &worked);
            tokio::select! {
                biased;
                verdicts = self.hooks.after(&event) => resolve_after(verdicts),
                // What was done stays done: only the hooks are let go.
                () = attendance.cancel.cancelled() => Default::default(),
            }
        };
        let mut ended = match worked {
            Ok(mut worked) => {
                if let Some(output) = resolution.output {
                    replace_output(&mut running, &mut worked, output);
                }
                let capped = cap(
                    worked.outcome.content,
                    result_limit(tool.descriptor.result_limit, tool.options.limits),
                    &tool.descriptor.name,
                    &running.call.id,
                    &self.spill,
                );
                if let Some(folder) = capped.stored.and_then(|_| self.spill.folder()) {
                    self.policy.lend(&folder);
                }
                running.notes.extend(capped.failure);
                Ended {
                    ending: if worked.failed { Ending::Failed } else { Ending::Done },
                    content: capped.content,
                    structured: worked.outcome.structured,
                    ..Ended::default()
                }
            }
            Err(error) => Ended::from(error),
        };
        ended.context = heard.resolution.contexts;
        ended.context.extend(resolution.blocks.into_iter().map(|block| block.reason));
        ended.context.extend(resolution.contexts);
        ended.notes.splice(0..0, running.notes);
        ended.notes.extend(resolution.conflicts.iter().map(|conflict| {
            format!(
                "hooks disagree on the output: `{}` was taken, not `{}`",
                conflict.taken, conflict.passed_over
            )
        }));
        if heard.resolution.prevent_continuation || resolution.stopped {
            let why = heard.resolution.stop_reason.or(resolution.stop_reason);
            ended.stop = Some(why.unwrap_or_else(|| "a hook ended the turn".to_owned()));
        }
        Ok(ended)
    }

    fn after_event(&self, running: &Running<'_>, worked: &Result<Worked, CallError>) -> AfterEvent {
        let happening = match worked {
            Ok(worked) if worked.failed => {
                Happening::Failed { error: text_of(&worked.outcome.content), interrupted: false }
            }
            Ok(worked) => Happening::Succeeded {
                response: worked
                    .outcome
                    .structured
                    .clone()
                    .unwrap_or_else(|| Value::String(text_of(&worked.outcome.content))),
            },
            Err(error) => Happening::Failed {
                error: error.to_string(),
                interrupted: matches!(error, CallError::Interrupted),
            },
        };
        AfterEvent {
            session: self.session.clone(),
            call: running.call.id.clone(),
            tool: running.call.tool.clone(),
            input: running.twin.clone(),
            working_directory: self.config.working_directory.clone(),
            mode: self.policy.mode(),
            happening,
            duration: worked.as_ref().map_or(Duration::ZERO, |worked| worked.duration),
        }
    }
}

/// Puts a hook's output in the place of the tool's, if it has the shape that the tool promises.
fn replace_output(running: &mut Running<'_>, worked: &mut Worked, output: Value) {
    let mut replaced = Outcome::text(match &output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    replaced.structured = Some(output);
    let fits = match &running.tool.output_schema {
        Some(schema) => check_structured(&mut replaced, schema, &running.tool.descriptor.name).is_ok(),
        None => true,
    };
    if fits {
        worked.outcome = replaced;
    } else {
        running
            .notes
            .push("a hook's output does not have the tool's shape; the tool's own stands".to_owned());
    }
}

/// The tighter of what the tool says and what the operator says.
fn result_limit(said: ResultLimit, ceiling: ToolLimits) -> ResultLimit {
    match (said, ceiling.result) {
        (ResultLimit::Characters(said), Some(ceiling)) => ResultLimit::Characters(said.min(ceiling)),
        (said, _) => said,
    }
}

fn text_of(content: &[Content]) -> String {
    content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
}

impl CallError {
    /// What a guest's end means for the call.
    pub(super) fn from_guest(tool: &Tool, error: crate::sandbox::GuestError) -> Self {
        use crate::sandbox::GuestError;
        let name = || tool.descriptor.name.clone();
        match error {
            GuestError::Cancelled => Self::Interrupted,
            GuestError::TimedOut { limit, .. } => Self::TimedOut { tool: name(), limit },
            GuestError::OutOfMemory { cap, .. } => Self::OutOfMemory { tool: name(), limit: cap as u64 },
            GuestError::Trapped { .. } => Self::Trapped { tool: name(), detail: error.to_string() },
            GuestError::Load(_) | GuestError::Nonsense { .. } => {
                Self::Broken { tool: name(), detail: error.to_string() }
            }
        }
    }
}

impl Telling for Worked {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        let characters: usize = self.outcome.content.iter().filter_map(Content::as_text).map(str::len).sum();
        (
            if self.failed { "failed" } else { "done" },
            format!("{characters} bytes of text for the model").into(),
        )
    }
}
