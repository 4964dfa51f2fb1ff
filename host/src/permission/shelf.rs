//! The rules of one moment, arranged so that a call meets only those that could speak of it: by effect, by
//! tool name, and by kind of subject, paths in one pass over all patterns.
//!
//! Leaves to others: what follows from a match (`decide`), keeping a policy up to date (`policy`).

use std::collections::HashMap;
use std::path::Path;

use super::path_set::PathSet;
use super::rule::{Rule, ToolPattern};
use super::subject::Resolved;
use crate::config::RuleEffect;
use crate::contract::{Access, Extent};

/// The rules of one moment, in the order they were given.
#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    deny: Shelf,
    ask: Shelf,
    allow: Shelf,
}

/// The rules of one effect, by number.
#[derive(Debug, Default)]
struct Shelf {
    names: HashMap<String, Vec<usize>>,
    globs: Vec<usize>,
    read: PathSet,
    edit: PathSet,
    web: Vec<usize>,
    /// `Bash(…)`: what denies or asks for a command does so whatever tool would run it.
    bash: Vec<usize>,
}

impl Rules {
    pub(super) fn new(rules: Vec<Rule>) -> Self {
        let [deny, ask, allow] =
            [RuleEffect::Deny, RuleEffect::Ask, RuleEffect::Allow].map(|effect| Shelf::build(effect, &rules));
        Self { rules, deny, ask, allow }
    }

    pub(super) fn all(&self) -> &[Rule] {
        &self.rules
    }

    pub(super) fn get(&self, number: usize) -> Option<&Rule> {
        self.rules.get(number)
    }

    fn shelf(&self, effect: RuleEffect) -> &Shelf {
        match effect {
            RuleEffect::Deny => &self.deny,
            RuleEffect::Ask => &self.ask,
            RuleEffect::Allow => &self.allow,
        }
    }

    /// Rules of one effect that name a tool, by any of its names; in their order.
    pub(super) fn naming(&self, effect: RuleEffect, names: &[&str]) -> Vec<&Rule> {
        self.naming_numbers(effect, names).into_iter().filter_map(|number| self.get(number)).collect()
    }

    pub(super) fn naming_numbers(&self, effect: RuleEffect, names: &[&str]) -> Vec<usize> {
        let shelf = self.shelf(effect);
        let mut found: Vec<usize> = names
            .iter()
            .flat_map(|name| {
                let by_name = shelf.names.get(*name).into_iter().flatten().copied();
                let by_glob = shelf.globs.iter().copied();
                by_name.chain(
                    by_glob.filter(|number| self.get(*number).is_some_and(|rule| rule.tool.matches(name))),
                )
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The path rules of one effect: for reading, for writing.
    pub(super) fn paths(&self, effect: RuleEffect) -> (&PathSet, &PathSet) {
        let shelf = self.shelf(effect);
        (&shelf.read, &shelf.edit)
    }

    /// The first deny or ask rule on a path or a host that holds for every tool: by either spelling.
    pub(super) fn against(&self, effect: RuleEffect, subject: &Resolved) -> Option<&Rule> {
        let shelf = self.shelf(effect);
        match subject {
            Resolved::Path { forms, access, extent } => [&forms.named, &forms.real]
                .into_iter()
                .find_map(|path| self.against_path(effect, path, *access, *extent)),
            Resolved::Url { url, .. } => {
                let host = url.host_str().unwrap_or_default();
                self.on_host(shelf, host, false)
            }
            Resolved::Command { .. } => shelf
                .bash
                .iter()
                .filter_map(|number| self.get(*number))
                .find(|rule| rule.content.as_ref().is_some_and(|content| content.matches(subject, false))),
            _ => None,
        }
    }

    fn against_path(&self, effect: RuleEffect, path: &Path, access: Access, extent: Extent) -> Option<&Rule> {
        let shelf = self.shelf(effect);
        let read = shelf.read.find(path, extent);
        let edit = (access == Access::Write).then(|| shelf.edit.find(path, extent)).flatten();
        self.get(read.or(edit)?)
    }

    /// The allow rule that lets a subject through for every tool: by both spellings, and for a tree, all of it.
    pub(super) fn letting(&self, subject: &Resolved) -> Option<&Rule> {
        let shelf = &self.allow;
        match subject {
            Resolved::Path { forms, access, extent } => {
                let one = |path: &Path| {
                    let edit = || shelf.edit.find(path, *extent);
                    match access {
                        Access::Read => shelf.read.find(path, *extent).or_else(edit),
                        Access::Write => edit(),
                    }
                };
                one(&forms.real).and_then(|_| self.get(one(&forms.named)?))
            }
            Resolved::Url { url, .. } => self.on_host(shelf, url.host_str().unwrap_or_default(), true),
            _ => None,
        }
    }

    /// The deny or ask rule on a host.
    pub(super) fn against_host(&self, effect: RuleEffect, host: &str) -> Option<&Rule> {
        self.on_host(self.shelf(effect), host, false)
    }

    fn on_host(&self, shelf: &Shelf, host: &str, strict: bool) -> Option<&Rule> {
        shelf.web.iter().filter_map(|number| self.get(*number)).find(|rule| {
            let domain = rule.content.as_ref().and_then(|content| content.domain.as_ref());
            domain.is_some_and(|domain| domain.matches(host, strict))
        })
    }
}

impl Shelf {
    fn build(effect: RuleEffect, rules: &[Rule]) -> Self {
        let mut shelf = Self::default();
        let own = rules.iter().enumerate().filter(|(_, rule)| rule.effect == effect);
        for (number, rule) in own.clone() {
            if rule.is_named("Bash") && !rule.is_whole() {
                shelf.bash.push(number);
            }
            // Content of these speaks of subjects, whatever the tool.
            let general = ["Read", "Edit", "WebFetch"].into_iter().find(|name| rule.is_named(name));
            match (general, &rule.tool) {
                (Some("WebFetch"), _) if !rule.is_whole() => shelf.web.push(number),
                (Some(_), _) if !rule.is_whole() => {}
                (_, ToolPattern::Exact(name)) => {
                    shelf.names.entry(name.clone()).or_default().push(number);
                    if name == "Task" {
                        shelf.names.entry("Agent".to_owned()).or_default().push(number);
                    }
                }
                _ => shelf.globs.push(number),
            }
        }
        let paths = |name: &'static str| {
            let named = own.clone().filter(move |(_, rule)| rule.is_named(name));
            named.filter_map(|(number, rule)| {
                rule.content.as_ref()?.path.as_ref().map(|(pattern, _)| (number, pattern))
            })
        };
        shelf.read = PathSet::build(effect, paths("Read"));
        shelf.edit = PathSet::build(effect, paths("Edit"));
        shelf
    }
}

impl Rule {
    fn is_named(&self, name: &str) -> bool {
        matches!(&self.tool, ToolPattern::Exact(own) if own == name)
    }
}
