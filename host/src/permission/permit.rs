//! The only maker of grants: resolves, decides, shows a preview, asks, and decides again. Step 8 of the path.
//!
//! Leaves to others: who is asked and how (`surfaces`), running the preview (`execution`).

use serde_json::json;
use sha2::{Digest, Sha256};

use super::authorizer::{Answer, Authorizer, Question};
use super::compose;
use super::decide::{allow_line, decide};
use super::decision::{Decision, Effect};
use super::grant::{Grant, GrantSummary};
use super::policy::{Policy, Snapshot};
use super::request::Request;
use super::subject::Resolved;
use crate::config::RuleEffect;
use crate::contract::Rejection;

/// Proof that a call was allowed, and what it may reach. Only [`permit`] makes one.
#[derive(Debug)]
pub struct Permit {
    decision: Decision,
    grant: Grant,
    subjects: Vec<Resolved>,
}

impl Permit {
    /// What was decided; after a question, with the operator's yes.
    #[must_use]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What the call may reach.
    #[must_use]
    pub fn grant(&self) -> &Grant {
        &self.grant
    }

    /// What it names, resolved.
    #[must_use]
    pub fn subjects(&self) -> &[Resolved] {
        &self.subjects
    }

    /// Takes it apart, for the call.
    #[must_use]
    pub fn into_parts(self) -> (Decision, Grant, Vec<Resolved>) {
        (self.decision, self.grant, self.subjects)
    }
}

/// Why a call was not allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{operator}")]
pub struct Refused {
    /// What happened.
    pub kind: RefusedKind,
    /// What was decided.
    pub decision: Box<Decision>,
    /// For the model.
    pub model: String,
    /// For the operator, with the line that would allow it where there is one.
    pub operator: String,
}

/// What happened to a call that was not allowed.
#[derive(Debug, Clone, PartialEq)]
pub enum RefusedKind {
    /// By a rule, a mode, the operator, or because nobody was there.
    Denied,
    /// By the tool's own preview.
    Rejected(Rejection),
    /// What was approved was no longer what would run.
    Stale,
}

/// Decides about one call and, if it is allowed, makes its grant.
///
/// `preview` is run before a question, under a grant that holds only what may be read unasked.
///
/// # Errors
/// The call is denied, by rule or by the operator, or nobody was there; the preview rejected the input; or
/// something changed between the question and the answer.
pub async fn permit(
    policy: &Policy,
    request: &Request<'_>,
    authorizer: &dyn Authorizer,
    preview: impl AsyncFnOnce(Grant) -> Result<Vec<String>, Rejection>,
) -> Result<Permit, Refused> {
    let asked = Case::open(policy, request);
    match asked.decision.effect {
        Effect::Allow => return Ok(asked.permit(request)),
        Effect::Deny => return Err(asked.denied(None)),
        Effect::Ask => {}
    }
    let shown = if request.descriptor.previews {
        let grant = compose::preview(&asked.now, request, &asked.subjects);
        preview(grant).await.map_err(|rejection| asked.rejected(rejection))?
    } else {
        Vec::new()
    };
    let answer = authorizer.authorize(&asked.question(request, shown)).await;
    let reason = match answer {
        Answer::Once | Answer::Session => None,
        Answer::Deny { reason } => return Err(asked.denied(Some(reason))),
        Answer::Nobody => return Err(asked.unheard()),
    };
    // Everything is looked at again: what was approved is this, and nothing that it may have become since.
    let again = Case::open(policy, request);
    if again.decision.effect == Effect::Deny {
        return Err(again.denied(reason));
    }
    if again.binding(request) != asked.binding(request) {
        return Err(asked.stale());
    }
    // Where no rule could allow it, a yes is for this once, whatever was said.
    let for_session = answer == Answer::Session && !asked.decision.suggestions.is_empty();
    if for_session {
        policy.add_session_rules(RuleEffect::Allow, &asked.decision.suggestions);
    }
    let word = if for_session { "for this session" } else { "once" };
    let mut decision = asked.decision.clone();
    decision.effect = Effect::Allow;
    decision.reason = format!("approved by the operator, {word}; it was asked because {}", decision.reason);
    Ok(Case { decision, ..again }.permit(request))
}

/// What would be decided and granted, without asking anybody or making a grant: for `explain`. Of a call that
/// is asked, what it would get if the operator said yes.
#[must_use]
pub fn prospect(policy: &Policy, request: &Request<'_>) -> (Decision, GrantSummary) {
    let case = Case::open(policy, request);
    let grant = match case.decision.effect {
        Effect::Deny => Grant::none(request.limits).summary(),
        Effect::Allow | Effect::Ask => case.grant(request).summary(),
    };
    (case.decision, grant)
}

/// One call at one moment.
struct Case {
    now: std::sync::Arc<Snapshot>,
    subjects: Vec<Resolved>,
    decision: Decision,
}

impl Case {
    fn open(policy: &Policy, request: &Request<'_>) -> Self {
        let now = policy.snapshot();
        let subjects = now.resolve(request.subjects);
        let decision = decide(&now, request, &subjects);
        Self { now, subjects, decision }
    }

    fn grant(&self, request: &Request<'_>) -> Grant {
        compose::grant(&self.now, request, &self.subjects)
    }

    fn permit(self, request: &Request<'_>) -> Permit {
        let grant = self.grant(request);
        Permit { decision: self.decision, grant, subjects: self.subjects }
    }

    /// One text for all that an approval is bound to.
    fn binding(&self, request: &Request<'_>) -> String {
        let bound = json!({
            "digest": request.digest,
            "descriptor": request.descriptor,
            "input": request.input,
            "subjects": self.subjects,
            "grant": self.grant(request).summary(),
            "working_directory": self.now.places.working_directory,
            "policy": self.now.tightened,
        });
        format!("sha256:{:x}", Sha256::digest(bound.to_string()))
    }

    fn question(&self, request: &Request<'_>, preview: Vec<String>) -> Question {
        Question {
            tool: request.name().to_owned(),
            digest: request.digest.to_owned(),
            origin: request.origin.to_owned(),
            call: request.call.to_owned(),
            input: request.twin.clone(),
            subjects: self.subjects.clone(),
            grant: self.grant(request).summary(),
            decision: self.decision.clone(),
            binding: self.binding(request),
            preview,
        }
    }

    /// `by_operator`: the operator said no, perhaps with a reason.
    fn denied(&self, by_operator: Option<Option<String>>) -> Refused {
        let text = match by_operator {
            None => format!("permission denied: {}", self.decision.reason),
            Some(None) => "permission denied: the operator said no".to_owned(),
            Some(Some(reason)) => format!("permission denied: the operator said no: {reason}"),
        };
        self.refused(RefusedKind::Denied, text.clone(), text)
    }

    fn unheard(&self) -> Refused {
        let reason = &self.decision.reason;
        let model =
            format!("permission denied: it must be asked, and nobody was there to be asked: {reason}");
        let operator = match self.decision.suggestions.as_slice() {
            [] => model.clone(),
            lines => format!("{model}; hint: {}", allow_line(lines)),
        };
        self.refused(RefusedKind::Denied, operator.clone(), operator)
    }

    fn rejected(&self, rejection: Rejection) -> Refused {
        let text = rejection.message.clone();
        self.refused(RefusedKind::Rejected(rejection), text.clone(), text)
    }

    fn stale(&self) -> Refused {
        let text = "permission denied: what was approved is no longer what would run, since something changed \
                    in between; hint: make the call again";
        self.refused(RefusedKind::Stale, text.to_owned(), text.to_owned())
    }

    fn refused(&self, kind: RefusedKind, model: String, operator: String) -> Refused {
        let mut decision = self.decision.clone();
        decision.effect = Effect::Deny;
        Refused { kind, decision: Box::new(decision), model, operator }
    }
}
