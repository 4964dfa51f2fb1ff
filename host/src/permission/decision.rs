//! What was decided about one call, and why.

use serde::Serialize;

use crate::config::RuleEffect;

/// What should happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It runs.
    Allow,
    /// The operator is asked.
    Ask,
    /// It is refused.
    Deny,
}

impl From<RuleEffect> for Effect {
    fn from(effect: RuleEffect) -> Self {
        match effect {
            RuleEffect::Allow => Self::Allow,
            RuleEffect::Ask => Self::Ask,
            RuleEffect::Deny => Self::Deny,
        }
    }
}

/// The rule that decided, by its text and place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleRef {
    /// As it was written.
    pub text: String,
    /// File, `command line` or `session`.
    pub source: String,
    /// From 1, where there is a file.
    pub line: Option<u32>,
}

/// What was decided about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What should happen.
    pub effect: Effect,
    /// The rule that decided, where one did.
    pub rule: Option<RuleRef>,
    /// One sentence, for people and models.
    pub reason: String,
    /// For an ask or a deny: the lines that would allow this call, such as `Read(//etc/passwd)`; empty where
    /// none could.
    pub suggestions: Vec<String>,
    /// Rules that were looked at on the way, in that order.
    pub trail: Vec<Consulted>,
}

/// A rule that was looked at on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consulted {
    /// The rule.
    pub rule: RuleRef,
    /// What it says should happen.
    pub effect: Effect,
    /// Whether it matched.
    pub matched: bool,
    /// Why it was looked at.
    pub why: String,
}

impl std::fmt::Display for Consulted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = match self.rule.line {
            Some(line) => format!("{}:{line}", self.rule.source),
            None => self.rule.source.clone(),
        };
        let effect = format!("{:?}", self.effect).to_lowercase();
        write!(f, "{effect} `{}` ({place}): {}", self.rule.text, self.why)
    }
}
