//! How a decision is put into words, for people and models. A guest's text is only ever quoted, with nothing
//! invisible left in it.
//!
//! Leaves to others: deciding (`decide`).

use super::decision::{Decision, Effect};
use super::protected::is_protected;
use super::request::Request;
use super::rule::Rule;
use super::subject::Resolved;
use crate::config::RuleEffect;
use crate::contract::Access;

pub(super) fn plain(effect: Effect, reason: String) -> Decision {
    Decision { effect, rule: None, reason, suggestions: Vec::new(), trail: Vec::new() }
}

pub(super) fn by_rule(rule: &Rule, request: &Request<'_>) -> Decision {
    let word = if rule.effect == RuleEffect::Deny { "denied" } else { "to be asked" };
    let reason = format!("`{}` is {word} here by the rule `{}` ({})", request.name(), rule.text, rule.source);
    Decision { rule: Some(rule.reference()), ..plain(rule.outcome(), reason) }
}

pub(super) fn is_opaque(subject: &Resolved) -> bool {
    matches!(subject, Resolved::Opaque { .. })
}

pub(super) fn writes_protected(subject: &Resolved) -> bool {
    if let Resolved::Command { line, .. } = subject {
        return line.parts().any(super::shell::Part::writes_protected);
    }
    subject.as_path().is_some_and(|(forms, access, _)| {
        access == Access::Write && (is_protected(&forms.named) || is_protected(&forms.real))
    })
}

/// A guest's words on one line, with nothing invisible in them.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(300).collect();
    format!("\"{}\"", short.escape_debug())
}

pub(super) fn shown(subject: &Resolved) -> String {
    match subject {
        Resolved::Path { forms, access, extent: _ } => {
            let verb = if *access == Access::Write { "writing" } else { "reading" };
            let real = if forms.named == forms.real {
                String::new()
            } else {
                format!(" (really `{}`)", forms.real.display())
            };
            format!("{verb} `{}`{real}", forms.named.display())
        }
        Resolved::Url { url, method } => format!("{method} `{url}`"),
        Resolved::Command { command, .. } => format!("the command {}", quoted(command)),
        Resolved::Text { text } | Resolved::Opaque { text, .. } => quoted(text),
    }
}
