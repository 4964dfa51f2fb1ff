//! The ladder: deny → ask → mode → allow → the operator. Step 8 of the path, its judgement.
//!
//! Pure: policy and resolved call in, decision out. Leaves to others: asking the operator and making the
//! grant (`permit`, `compose`).

use super::decision::{Consulted, Decision, Effect};
use super::mode::Mode;
use super::policy::Snapshot;
use super::request::{ClassifierOpinion, HookIntent, Request};
use super::rule::Rule;
use super::subject::Resolved;
use super::words::{by_rule, is_opaque, plain, quoted, shown, writes_protected};
use super::{compose, suggest};
use crate::config::RuleEffect;
use crate::contract::{Access, Verdict};

/// Decides about one call.
pub(super) fn decide(now: &Snapshot, request: &Request<'_>, subjects: &[Resolved]) -> Decision {
    let mut ladder = Ladder { now, request, subjects, trail: Vec::new() };
    let decided = ladder.denied().or_else(|| ladder.planned()).or_else(|| ladder.asked());
    let mut decision = decided.unwrap_or_else(|| ladder.moded());
    if decision.effect == Effect::Ask && now.mode == Mode::DontAsk {
        decision.effect = Effect::Deny;
        let line = match decision.suggestions.as_slice() {
            [] => String::new(),
            lines => format!("; hint: {}", allow_line(lines)),
        };
        decision.reason = format!("mode `dontAsk` denies what would be asked: {}{line}", decision.reason);
    }
    decision.trail = ladder.trail;
    decision
}

/// What to add to `mortise.toml`.
pub(super) fn allow_line(lines: &[String]) -> String {
    let lines = serde_json::Value::from(lines.to_vec());
    format!(
        "to allow this, add to mortise.toml [permissions] allow = {lines} (a project's file counts once it is \
         named with `--config`)"
    )
}

/// Whether a call changes nothing: it says so, and nothing that it names says otherwise. A sandboxed tool that
/// wants nothing can change nothing.
pub(super) fn reads_only(request: &Request<'_>, subjects: &[Resolved]) -> bool {
    let runs = subjects.iter().any(|subject| matches!(subject, Resolved::Command { .. }));
    // What a command does is told by the host's own table, whatever the tool says.
    let claims = request.answers.read_only || runs;
    claims && !subjects.iter().any(Resolved::may_write) || powerless(request, subjects)
}

fn powerless(request: &Request<'_>, subjects: &[Resolved]) -> bool {
    let harmless = !request.native || request.answers.read_only;
    harmless && request.descriptor.needs.is_empty() && subjects.is_empty()
}

pub(super) struct Ladder<'a> {
    pub(super) now: &'a Snapshot,
    pub(super) request: &'a Request<'a>,
    subjects: &'a [Resolved],
    trail: Vec<Consulted>,
}

impl<'a> Ladder<'a> {
    fn denied(&mut self) -> Option<Decision> {
        if let Some(decision) = self.ruled(RuleEffect::Deny) {
            return Some(decision);
        }
        if let Some(Verdict::Deny(reason)) = &self.request.answers.verdict {
            return Some(plain(Effect::Deny, format!("the tool itself refuses: {}", quoted(reason))));
        }
        let fence = self.now.fence(&[]);
        let own = self.spoken_of().into_iter().find_map(|subject| {
            let (forms, access, _) = subject.as_path()?;
            let own = access == Access::Write && (fence.is_own(&forms.named) || fence.is_own(&forms.real));
            own.then(|| forms.named.display().to_string())
        })?;
        let why = format!("it is one of the host's own files, which no call may write: `{own}`");
        Some(plain(Effect::Deny, why))
    }

    fn asked(&mut self) -> Option<Decision> {
        if let Some(decision) = self.ruled(RuleEffect::Ask) {
            return Some(decision);
        }
        let request = self.request;
        let name = request.name();
        let reason = if let Some(Verdict::Ask(reason)) = &request.answers.verdict {
            format!("the tool itself wants it asked: {}", quoted(reason))
        } else if request.answers.needs_user {
            format!("only a person may approve a call of `{name}`")
        } else if let HookIntent::Ask(reason) = &request.hook {
            format!("a hook wants it asked: {}", quoted(reason))
        } else if !request.accepted {
            let hint = format!("hint: `mortise trust plugin {name}`");
            format!("the plugin of `{name}` is new or has changed, and is not accepted yet; {hint}")
        } else {
            return self.doubted();
        };
        Some(plain(Effect::Ask, reason))
    }

    /// What is asked for in every mode of a command.
    fn doubted(&self) -> Option<Decision> {
        let line = |subject: &'a Resolved| match subject {
            Resolved::Command { line, .. } => Some(line),
            _ => None,
        };
        self.subjects.iter().filter_map(line).find_map(|line| {
            let reason = match (line.doubt(), line.critical()) {
                (Some(why), _) => format!("the host cannot tell what the command does: {why}"),
                (None, Some(target)) => {
                    format!("it would remove {}, which no mode allows unasked", quoted(target))
                }
                (None, None) => return None,
            };
            Some(plain(Effect::Ask, reason))
        })
    }

    /// The first rule of an effect that matches: by name, then by subject.
    fn ruled(&mut self, effect: RuleEffect) -> Option<Decision> {
        let rules = &self.now.rules;
        let spoken_of = self.spoken_of();
        for rule in rules.naming(effect, &self.request.names) {
            let matched = match &rule.content {
                None => true,
                Some(content) => spoken_of.iter().any(|subject| content.matches(subject, false)),
            };
            let why = if rule.is_whole() { "names the tool" } else { "names the tool, with content" };
            self.note(rule, matched, why);
            if matched {
                return Some(by_rule(rule, self.request));
            }
        }
        for subject in spoken_of {
            if let Some(rule) = rules.against(effect, subject) {
                self.note(rule, true, &format!("matches {}", shown(subject)));
                return Some(by_rule(rule, self.request));
            }
        }
        None
    }

    /// The subjects, and the files that a command among them names or could name.
    fn spoken_of(&self) -> Vec<&'a Resolved> {
        let named = self.subjects.iter().filter_map(|subject| match subject {
            Resolved::Command { line, .. } => Some(line.touches().map(|touch| &touch.subject)),
            _ => None,
        });
        self.subjects.iter().chain(named.flatten()).collect()
    }

    /// In plan mode nothing but reading is even asked for.
    fn planned(&self) -> Option<Decision> {
        let planned = self.now.mode == Mode::Plan && !reads_only(self.request, self.subjects);
        planned.then(|| {
            let name = self.request.name();
            let why = format!("mode `plan` allows reading only, and this call of `{name}` may write");
            plain(Effect::Deny, why)
        })
    }

    fn moded(&mut self) -> Decision {
        if self.now.mode == Mode::BypassPermissions {
            let why = "mode `bypassPermissions`: no deny or ask rule matches".to_owned();
            return plain(Effect::Allow, why);
        }
        self.allowed(reads_only(self.request, self.subjects))
    }

    fn allowed(&mut self, reads_only: bool) -> Decision {
        let request = self.request;
        if powerless(request, self.subjects) {
            let why = format!("`{}` needs nothing and can reach nothing", request.name());
            return plain(Effect::Allow, why);
        }
        let mut open = Vec::new();
        let mut reasons = Vec::new();
        for subject in self.subjects {
            match self.lets(subject) {
                Some(reason) => reasons.push(reason),
                None => open.push(subject),
            }
        }
        let whole = self.whole_allow();
        if self.subjects.is_empty() {
            if let Some(reason) = whole {
                return reason.decision();
            }
        } else if open.is_empty() {
            // Reading at home runs unasked in a call that only reads; beside what a rule allows, in any.
            let ruled = reasons.iter().position(|reason| reason.rule.is_some() || reason.stands_alone);
            if let Some(at) = ruled {
                return reasons.swap_remove(at).decision();
            }
            if reads_only {
                let why = "it only reads, and only in the working directories".to_owned();
                return plain(Effect::Allow, why);
            }
        }
        self.unruled(&open)
    }

    /// No rule lets it through: a hook, the classifier, or the operator.
    fn unruled(&self, open: &[&Resolved]) -> Decision {
        let request = self.request;
        let unapprovable = open.iter().any(|subject| is_opaque(subject) || writes_protected(subject));
        if request.hook == HookIntent::Allow && !unapprovable {
            return plain(Effect::Allow, "a hook approved it, and no deny or ask rule matches".to_owned());
        }
        if self.now.mode == Mode::Auto && !unapprovable {
            match &request.classifier {
                Some(ClassifierOpinion::Allow) => {
                    return plain(Effect::Allow, "mode `auto`: the classifier found it harmless".to_owned());
                }
                Some(ClassifierOpinion::Deny(reason)) => {
                    let why = format!("mode `auto`: the classifier refused it: {}", quoted(reason));
                    return plain(Effect::Deny, why);
                }
                None => {}
            }
        }
        let reason = match open.first() {
            Some(Resolved::Opaque { why, .. }) => format!("the host cannot tell what it touches: {why}"),
            Some(subject) if writes_protected(subject) => {
                format!("no rule opens it for writing, since it decides what runs next: {}", shown(subject))
            }
            Some(subject) => format!("no rule allows {}", shown(subject)),
            None if self.subjects.is_empty() => {
                format!(
                    "no rule allows `{}`, and this call names nothing that it would touch",
                    request.name()
                )
            }
            None => format!("no rule allows `{}`, and this call may do more than read", request.name()),
        };
        let mut decision = plain(Effect::Ask, reason);
        decision.suggestions = suggest::lines(self.now, request, open);
        decision
    }

    /// What lets one subject through, if anything does.
    pub(super) fn lets(&mut self, subject: &Resolved) -> Option<Reason> {
        if is_opaque(subject) || writes_protected(subject) {
            return None;
        }
        if let Resolved::Command { line, .. } = subject {
            return self.lets_command(line);
        }
        if let Some(reason) = self.whole_allow() {
            return Some(reason);
        }
        let rules = &self.now.rules;
        for rule in rules.naming(RuleEffect::Allow, self.request.allowed_names()) {
            let matched = rule.content.as_ref().is_some_and(|content| content.matches(subject, true));
            self.note(rule, matched, "names the tool, with content");
            if matched {
                return Some(Reason::of(rule));
            }
        }
        if let Some(rule) = rules.letting(subject) {
            self.note(rule, true, &format!("matches {}", shown(subject)));
            return Some(Reason::of(rule));
        }
        if compose::stands(self.now, self.request, subject) {
            let text = format!("granted to `{}` in mortise.toml", self.request.name());
            return Some(Reason { rule: None, text, stands_alone: true });
        }
        let (forms, access, _) = subject.as_path()?;
        if access == Access::Read && self.now.lent.iter().any(|folder| forms.real.starts_with(folder)) {
            let text = "reads what an earlier call of this session returned".to_owned();
            return Some(Reason { rule: None, text, stands_alone: false });
        }
        if !self.now.inside(&forms.real) {
            return None;
        }
        match access {
            Access::Read => {
                let text = "reads in the working directories".to_owned();
                Some(Reason { rule: None, text, stands_alone: false })
            }
            Access::Write if self.now.mode == Mode::AcceptEdits => {
                let text = "mode `acceptEdits`: it writes in the working directories only".to_owned();
                Some(Reason { rule: None, text, stands_alone: true })
            }
            Access::Write => None,
        }
    }

    pub(super) fn whole_allow(&mut self) -> Option<Reason> {
        let naming = self.now.rules.naming(RuleEffect::Allow, self.request.allowed_names());
        let rule = naming.into_iter().find(|rule| rule.is_whole())?;
        self.note(rule, true, "names the tool");
        Some(Reason::of(rule))
    }

    pub(super) fn note(&mut self, rule: &Rule, matched: bool, why: &str) {
        let note = Consulted { rule: rule.reference(), effect: rule.outcome(), matched, why: why.to_owned() };
        if !self.trail.contains(&note) {
            self.trail.push(note);
        }
    }
}

/// Why one subject is let through.
pub(super) struct Reason {
    pub(super) rule: Option<super::RuleRef>,
    pub(super) text: String,
    /// Whether it lets a call through that does more than read.
    pub(super) stands_alone: bool,
}

impl Reason {
    pub(super) fn of(rule: &Rule) -> Self {
        let text = format!("allowed by the rule `{}` ({})", rule.text, rule.source);
        Self { rule: Some(rule.reference()), text, stands_alone: true }
    }

    fn decision(self) -> Decision {
        Decision { rule: self.rule, ..plain(Effect::Allow, self.text) }
    }
}

/// What the rules already allow to be read unasked: for the preview.
pub(super) fn readable_unasked(now: &Snapshot, request: &Request<'_>, subject: &Resolved) -> bool {
    let Resolved::Path { forms, extent, .. } = subject else { return false };
    let read = Resolved::Path { forms: forms.clone(), access: Access::Read, extent: *extent };
    let subjects = [read];
    let mut ladder = Ladder { now, request, subjects: &subjects, trail: Vec::new() };
    request.accepted
        && ladder.ruled(RuleEffect::Deny).is_none()
        && now.rules.against(RuleEffect::Ask, &subjects[0]).is_none()
        && !now
            .rules
            .naming(RuleEffect::Ask, &request.names)
            .into_iter()
            .any(|rule| rule.content.as_ref().is_some_and(|content| content.matches(&subjects[0], false)))
        && ladder.lets(&subjects[0]).is_some()
}
