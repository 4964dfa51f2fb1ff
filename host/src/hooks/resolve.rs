//! Many verdicts become one resolution: two pure functions, in the order in which the hooks were declared.
//! Both match exhaustively, so that a new kind of verdict does not compile until it has a meaning here.
//!
//! Leaves to others: what the resolution is worth against the rules (`permission`, `execution`).

use serde_json::Value;

use super::verdict::{AfterVerdict, BeforeVerdict, Intent};

/// What all hooks together said before a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeResolution {
    /// The strongest wish on permission; `None`: no hook had one.
    pub permission: Option<Stance>,
    /// The input that should take the place of the present one; `None`: keep it.
    pub input: Option<Value>,
    /// Whether the call should not run at all.
    pub stop: bool,
    /// Whether the turn should not go on after this call's result.
    pub prevent_continuation: bool,
    /// Why the turn does not go on, for the person; the first that was given.
    pub stop_reason: Option<String>,
    /// For the model, in declared order.
    pub contexts: Vec<String>,
    /// For the person, in declared order.
    pub messages: Vec<String>,
    /// Rewrites that another took precedence over; for the operator.
    pub conflicts: Vec<Conflict>,
}

/// A wish on permission, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stance {
    /// The strongest wish: deny, then defer, then ask, then allow.
    pub intent: Intent,
    /// The reasons of the hooks that had it, in declared order.
    pub reasons: Vec<String>,
    /// The hooks that had it, in declared order; never empty.
    pub hooks: Vec<String>,
}

/// One rewrite gave way to another that says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Whose rewrite was passed over.
    pub passed_over: String,
    /// Whose rewrite was taken: the one declared last.
    pub taken: String,
}

/// What all hooks together said after a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterResolution {
    /// Hooks that were withdrawn before they had an answer.
    pub cancelled: Vec<String>,
    /// What the model must be told, in declared order.
    pub blocks: Vec<Block>,
    /// Whether the turn should not go on after this call.
    pub stopped: bool,
    /// Why, for the person; the first that was given.
    pub stop_reason: Option<String>,
    /// For the model, in declared order.
    pub contexts: Vec<String>,
    /// The result that should take the place of the tool's own; `None`: keep it.
    pub output: Option<Value>,
    /// Replacements that another took precedence over; for the operator.
    pub conflicts: Vec<Conflict>,
}

/// Something that a hook insists the model be told after the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which hook.
    pub hook: String,
    /// For the model.
    pub reason: String,
}

/// Folds what hooks said before a call, in declared order.
///
/// Of several wishes the strongest counts; of several rewrites the one declared last, and those that said
/// something else are reported; everything else is kept.
#[must_use]
pub fn resolve_before(verdicts: Vec<BeforeVerdict>) -> BeforeResolution {
    let mut resolution = BeforeResolution::default();
    let mut rewrites = Rewrites::default();
    for verdict in verdicts {
        match verdict {
            BeforeVerdict::Message(text) => resolution.messages.push(text),
            BeforeVerdict::PermissionIntent { intent, reason, hook } => {
                weigh(&mut resolution.permission, intent, reason, hook);
            }
            BeforeVerdict::UpdatedInput { input, hook } => rewrites.push(hook, input),
            BeforeVerdict::PreventContinuation => resolution.prevent_continuation = true,
            BeforeVerdict::StopReason(reason) => {
                resolution.stop_reason.get_or_insert(reason);
            }
            BeforeVerdict::AdditionalContext(text) => resolution.contexts.push(text),
            BeforeVerdict::Stop => resolution.stop = true,
        }
    }
    (resolution.input, resolution.conflicts) = rewrites.settle();
    resolution
}

/// Folds what hooks said after a call, in declared order; rewrites as in [`resolve_before`].
#[must_use]
pub fn resolve_after(verdicts: Vec<AfterVerdict>) -> AfterResolution {
    let mut resolution = AfterResolution::default();
    let mut rewrites = Rewrites::default();
    for verdict in verdicts {
        match verdict {
            AfterVerdict::Cancelled { hook } => resolution.cancelled.push(hook),
            AfterVerdict::BlockingError { reason, hook } => resolution.blocks.push(Block { hook, reason }),
            AfterVerdict::StoppedContinuation { reason } => {
                resolution.stopped = true;
                resolution.stop_reason = resolution.stop_reason.or(reason);
            }
            AfterVerdict::AdditionalContext(text) => resolution.contexts.push(text),
            AfterVerdict::UpdatedOutput { output, hook } => rewrites.push(hook, output),
        }
    }
    (resolution.output, resolution.conflicts) = rewrites.settle();
    resolution
}

fn weigh(stance: &mut Option<Stance>, intent: Intent, reason: Option<String>, hook: String) {
    match stance {
        Some(present) if present.intent > intent => {}
        Some(present) if present.intent == intent => {
            present.reasons.extend(reason);
            present.hooks.push(hook);
        }
        _ => *stance = Some(Stance { intent, reasons: reason.into_iter().collect(), hooks: vec![hook] }),
    }
}

/// Rewrites in declared order.
#[derive(Default)]
struct Rewrites(Vec<(String, Value)>);

impl Rewrites {
    fn push(&mut self, hook: String, value: Value) {
        self.0.push((hook, value));
    }

    fn settle(mut self) -> (Option<Value>, Vec<Conflict>) {
        let Some((taken, value)) = self.0.pop() else { return (None, Vec::new()) };
        let conflicts = self
            .0
            .into_iter()
            .filter(|(_, other)| *other != value)
            .map(|(passed_over, _)| Conflict { passed_over, taken: taken.clone() })
            .collect();
        (Some(value), conflicts)
    }
}
