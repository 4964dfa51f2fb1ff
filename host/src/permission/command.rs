//! How a command line is let through: part by part, each by a rule, by the table of commands that only read, or
//! by mode `acceptEdits`; and every file that it is redirected to.
//!
//! Leaves to others: what the parts are (`shell`), the order of rules and modes (`decide`).

use super::decide::{Ladder, Reason};
use super::mode::Mode;
use super::shell::{Line, Part};
use crate::config::RuleEffect;

impl Ladder<'_> {
    /// What lets a command line through, if every part of it is let through.
    pub(super) fn lets_command(&mut self, line: &Line) -> Option<Reason> {
        if line.doubt().is_some() {
            return None;
        }
        if let Some(reason) = self.whole_allow() {
            return Some(reason);
        }
        if !line.is_plain() {
            return None;
        }
        let mut found: Option<Reason> = None;
        for part in line.parts() {
            let reason = self.lets_part(part)?;
            // A rule is more worth telling than a table.
            if found.as_ref().is_none_or(|found| found.rule.is_none()) {
                found = Some(reason);
            }
        }
        found
    }

    fn lets_part(&mut self, part: &Part) -> Option<Reason> {
        let ruled = self.rule_on(part);
        let known = !part.unknown.arguments;
        let reason = match ruled {
            Some(reason) => reason,
            None if part.reads && known => self.reaches(part, "it only reads")?,
            None if part.edits && known && self.now.mode == Mode::AcceptEdits => {
                self.reaches(part, "mode `acceptEdits`: it edits in the working directories only")?
            }
            None => return None,
        };
        if part.unknown.redirects {
            return None;
        }
        let written =
            part.touches.iter().filter(|touch| touch.redirect && !touch.guess && touch.subject.may_write());
        for touch in written {
            self.lets(&touch.subject)?;
        }
        Some(reason)
    }

    /// The allow rule on a part's words.
    fn rule_on(&mut self, part: &Part) -> Option<Reason> {
        let rules = &self.now.rules;
        for rule in rules.naming(RuleEffect::Allow, &self.request.names) {
            let text = rule.content.as_ref().and_then(|content| content.text.as_ref());
            let matched = text.is_some_and(|text| part.allowed(text));
            self.note(rule, matched, "names the tool, with content");
            if matched {
                return Some(Reason::of(rule));
            }
        }
        None
    }

    /// Without a rule, every file that a part names must be let through by itself.
    fn reaches(&mut self, part: &Part, why: &str) -> Option<Reason> {
        for touch in part.touches.iter().filter(|touch| !touch.guess) {
            self.lets(&touch.subject)?;
        }
        Some(Reason { rule: None, text: why.to_owned(), stands_alone: true })
    }
}
