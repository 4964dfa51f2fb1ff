//! The path of one call without the call: every step's answer, the decision, and the grant there would be.
//! Asks nobody, runs nothing but the powerless questionnaire, and goes on after a step that failed.

use std::sync::Arc;

use serde::Serialize;

use super::approach::{Asked, Running};
use super::call::{Call, StepReport};
use super::pipeline::{Attendance, Pipeline};
use super::trail::Trail;
use crate::contract::{Answers, Invocation};
use crate::permission::{Effect, Grant, GrantSummary, HookIntent, Resolved, RuleRef, prospect};
use crate::registry::{Pool, Tool};
use crate::sandbox::Session;

/// What would become of one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The tool's present name.
    pub tool: String,
    /// Each step's answer, in order.
    pub steps: Vec<StepReport>,
    /// What the call would touch, as the host resolved it.
    pub subjects: Vec<Resolved>,
    /// What would be decided.
    pub decision: Effect,
    /// The rule that would decide.
    pub rule: Option<RuleRef>,
    /// Why.
    pub reason: String,
    /// What the call would get; what an ask would get if the answer were yes.
    pub grant: GrantSummary,
}

impl Pipeline {
    /// Explains one call.
    pub async fn explain(&self, pool: &Pool, call: Call) -> Explanation {
        let mut trail = Trail::default();
        let attendance = Attendance::default();
        let tool = match trail.step("resolve", self.resolve(pool, &call.name)) {
            Ok(tool) => tool,
            Err(error) => return self.unresolved(call, trail, error.to_string()),
        };
        let (running, sound) = self.approach_dry(tool, &call, &mut trail, &attendance).await;
        trail.push("before-hooks", "skipped", "a dry run runs no hook".to_owned());
        let request = self.request(&running, HookIntent::None, None);
        let (foreseen, grant) = prospect(&self.policy, &request);
        let subjects = self.policy.resolve(&running.answers.subjects);
        let (decision, reason) = match sound {
            Ok(()) => (foreseen.effect, foreseen.reason.clone()),
            Err(why) => (Effect::Deny, why),
        };
        trail.push("permit", effect_word(foreseen.effect), foreseen.reason.clone());
        for consulted in &foreseen.trail {
            trail.push(
                "permit",
                if consulted.matched { "rule matched" } else { "rule passed over" },
                consulted.to_string(),
            );
        }
        trail.push("call", "skipped", "a dry run calls nothing".to_owned());
        trail.push("after-hooks", "skipped", "a dry run runs no hook".to_owned());
        Explanation {
            tool: tool.descriptor.name.clone(),
            steps: trail.into_steps(),
            subjects,
            decision,
            rule: foreseen.rule,
            reason,
            grant,
        }
    }

    /// Steps 2 to 6; a step that fails is reported, and the next one gets what there is. The second value says
    /// whether the call would have come this far.
    async fn approach_dry<'a>(
        &self,
        tool: &'a Arc<Tool>,
        call: &Call,
        trail: &mut Trail,
        attendance: &Attendance,
    ) -> (Running<'a>, Result<(), String>) {
        let mut sound = Ok(());
        let mut asked = None;
        match trail.step("validate", self.validate(tool, call.input.clone())) {
            Ok(valid) => match trail.step("inspect", self.inspect(tool, &call.id, valid, attendance).await) {
                Ok(answered) => asked = Some(answered),
                Err(error) => sound = Err(error.to_string()),
            },
            Err(error) => {
                trail.push("inspect", "skipped", "the input does not fit the schema".to_owned());
                sound = Err(error.to_string());
            }
        }
        let asked = asked.unwrap_or_else(|| Asked {
            tool,
            call: Invocation {
                tool: tool.descriptor.name.clone(),
                id: call.id.clone(),
                input: call.input.clone(),
            },
            answers: Answers::default(),
            session: Arc::<Session>::default(),
            notes: Vec::new(),
        });
        trail.push("speculate", "skipped", "a dry run asks no classifier".to_owned());
        let stripped = self.strip(asked);
        let outcome = if stripped.removed.is_empty() { "nothing to strip" } else { "stripped" };
        trail.push("strip", outcome, stripped.removed.join(", "));
        let running = self.observe(stripped);
        trail.push("observe", "twin", running.twin.to_string());
        (running, sound)
    }

    fn unresolved(&self, call: Call, mut trail: Trail, reason: String) -> Explanation {
        for step in [
            "validate",
            "inspect",
            "speculate",
            "strip",
            "observe",
            "before-hooks",
            "permit",
            "call",
            "after-hooks",
        ] {
            trail.push(step, "skipped", "there is no such tool to ask".to_owned());
        }
        Explanation {
            tool: call.name,
            steps: trail.into_steps(),
            subjects: Vec::new(),
            decision: Effect::Deny,
            rule: None,
            reason,
            grant: Grant::none(self.config.sandbox.limits).summary(),
        }
    }
}

fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}
