//! Steps 7 and 8 of the path: hooks have their say, then permission is decided on what came of it.

use std::borrow::Cow;
use std::sync::Arc;

use super::approach::{Guess, Running};
use super::error::CallError;
use super::observe::revert;
use super::pipeline::{Attendance, Pipeline};
use super::trail::Telling;
use crate::config::Limits;
use crate::contract::{Content, Rejection};
use crate::hooks::{BeforeEvent, BeforeResolution, Intent, Opinion, resolve_before};
use crate::permission::{
    ClassifierOpinion, Effect, Grant, HookIntent, Permit, RefusedKind, Request, permit, prospect,
};
use crate::registry::{Standing, Tool};
use crate::sandbox::Phase;

/// What the hooks said before the call.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) resolution: BeforeResolution,
    pub(super) rewrote: bool,
}

impl Pipeline {
    /// Step 7. A rewrite goes through steps 2, 3, 5 and 6 again, so that permission sees the final input.
    pub(super) async fn before_hooks(
        &self,
        running: &mut Running<'_>,
        attendance: &Attendance,
    ) -> Result<Heard, CallError> {
        if self.hooks.idle() {
            return Ok(Heard::default());
        }
        let event = BeforeEvent {
            session: self.session.clone(),
            call: running.call.id.clone(),
            tool: running.call.tool.clone(),
            input: running.twin.clone(),
            working_directory: self.config.working_directory.clone(),
            mode: self.policy.mode(),
        };
        let verdicts = tokio::select! {
            biased;
            () = attendance.cancel.cancelled() => return Err(CallError::Interrupted),
            verdicts = self.hooks.before(&event) => verdicts,
        };
        let mut resolution = resolve_before(verdicts);
        let refused = |reason| Err(CallError::HookDenied { tool: running.call.tool.clone(), reason });
        if resolution.stop {
            return refused(resolution.stop_reason);
        }
        match &resolution.permission {
            Some(stance) if stance.intent == Intent::Deny => return refused(joined(&stance.reasons)),
            Some(stance) if stance.intent == Intent::Defer => {
                return refused(Some("it was put off, and this surface cannot take it up again".to_owned()));
            }
            _ => {}
        }
        let conflicts = resolution.conflicts.iter().map(|conflict| {
            format!(
                "hooks disagree on the input: `{}` was taken, not `{}`",
                conflict.taken, conflict.passed_over
            )
        });
        running.notes.extend(conflicts);
        running.notes.append(&mut resolution.messages);
        let rewrote = match resolution.input.take() {
            Some(returned) => self.rewrite(running, returned, attendance).await?,
            None => false,
        };
        Ok(Heard { resolution, rewrote })
    }

    /// Takes a hook's input through the steps that the model's went through. Says whether it is another one.
    async fn rewrite(
        &self,
        running: &mut Running<'_>,
        returned: serde_json::Value,
        attendance: &Attendance,
    ) -> Result<bool, CallError> {
        let input = revert(&running.call.input, &running.twin, returned);
        if input == running.call.input {
            return Ok(false);
        }
        let tool = running.tool;
        let valid = self.validate(tool, input)?;
        let asked = self.inspect(tool, &running.call.id, valid, attendance).await?;
        let mut rewritten = self.observe(self.strip(asked));
        rewritten.notes.splice(0..0, std::mem::take(&mut running.notes));
        rewritten.notes.push("a hook rewrote the input".to_owned());
        *running = rewritten;
        Ok(true)
    }

    /// Step 8: rules, mode, and the operator; what comes of it is the grant.
    pub(super) async fn permit(
        &self,
        running: &Running<'_>,
        heard: &Heard,
        guess: Guess,
        attendance: &Attendance,
    ) -> Result<Permit, CallError> {
        let mut request = self.request(running, hook_intent(heard), None);
        let guess = guess.unless(heard.rewrote);
        // Where rules or the mode decide, nobody waits for the classifier: dropping the guess withdraws it.
        if guess.is_at_work() && prospect(&self.policy, &request).0.effect == Effect::Ask {
            request.classifier = tokio::select! {
                biased;
                () = attendance.cancel.cancelled() => return Err(CallError::Interrupted),
                opinion = guess.opinion() => opinion.and_then(counted),
            };
        }
        let preview = async |grant: Grant| {
            let visit =
                self.visit(Phase::Preview, running.tool, Arc::new(grant), &running.session, attendance);
            match running.tool.preview(visit, &running.call).await {
                Ok(Ok(content)) => {
                    Ok(content.iter().filter_map(Content::as_text).map(str::to_owned).collect())
                }
                Ok(Err(rejection)) => Err(rejection),
                Err(error) => Ok(vec![format!("no preview: {error}")]),
            }
        };
        let permitted = permit(&self.policy, &request, self.authorizer.as_ref(), preview);
        let permitted = tokio::select! {
            biased;
            () = attendance.cancel.cancelled() => return Err(CallError::Interrupted),
            permitted = permitted => permitted,
        };
        permitted.map_err(|refused| match refused.kind {
            RefusedKind::Rejected(rejection) => CallError::Rejected(rejection),
            RefusedKind::Denied | RefusedKind::Stale => {
                CallError::Denied { why: refused.model, hint: refused.operator }
            }
        })
    }

    /// What permission is asked about one call.
    pub(super) fn request<'a>(
        &self,
        running: &'a Running<'_>,
        hook: HookIntent,
        classifier: Option<ClassifierOpinion>,
    ) -> Request<'a> {
        let tool: &Tool = running.tool;
        Request {
            accepted: tool.standing == Standing::Accepted,
            native: tool.is_native(),
            twin: &running.twin,
            options: Some(&tool.options),
            limits: self.policy_limits(tool),
            hook,
            classifier,
            digest: &tool.digest,
            origin: &tool.source,
            ..Request::new(&tool.descriptor, &running.answers, &running.call.input, &running.call.id)
        }
    }

    /// The operator's ceiling for one tool.
    pub(super) fn policy_limits(&self, tool: &Tool) -> Limits {
        let mut limits = self.config.sandbox.limits;
        limits.time = tool.options.limits.time.unwrap_or(limits.time);
        limits.memory = tool.options.limits.memory.unwrap_or(limits.memory);
        limits
    }
}

fn counted(opinion: Opinion) -> Option<ClassifierOpinion> {
    match opinion {
        Opinion::Harmless => Some(ClassifierOpinion::Allow),
        Opinion::Doubtful(why) => Some(ClassifierOpinion::Deny(why)),
        Opinion::Unknown => None,
    }
}

fn hook_intent(heard: &Heard) -> HookIntent {
    match &heard.resolution.permission {
        Some(stance) if stance.intent == Intent::Allow => HookIntent::Allow,
        Some(stance) => HookIntent::Ask(joined(&stance.reasons).unwrap_or_else(|| "a hook asks".to_owned())),
        None => HookIntent::None,
    }
}

fn joined(reasons: &[String]) -> Option<String> {
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

impl Telling for Heard {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        if self.rewrote {
            return ("rewrote", "a hook's input was validated, inspected and goes on to be decided".into());
        }
        match &self.resolution.permission {
            Some(stance) => ("spoke", format!("{} by {}", stance.intent, stance.hooks.join(", ")).into()),
            None => ("passed", "no hook had an opinion".into()),
        }
    }
}

impl Telling for Permit {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        ("allowed", self.decision().reason.clone().into())
    }
}

impl From<Rejection> for CallError {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}
