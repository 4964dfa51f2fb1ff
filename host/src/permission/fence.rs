//! Rules that hold inside a granted tree: what is denied, what would have had to be asked, and the host's
//! own files. Every path operation of a guest is judged by it, listings included.
//!
//! Leaves to others: resolving what a guest spelled (`sandbox`), what the grant covers ([`super::Grant`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::grant::{FileGrant, Refusal};
use super::path_set::PathSet;
use super::protected::{is_protected, lies_in};
use super::rule::Rule;
use super::shelf::Rules;
use crate::config::RuleEffect;
use crate::contract::{Access, Extent};

/// The rules on paths, ready to be applied to each path a guest comes near.
#[derive(Debug)]
pub struct Fence {
    /// `None`: nothing gets through.
    rules: Option<Arc<Rules>>,
    own_files: Arc<[PathBuf]>,
    /// Rules on this call's tool by name that have path content, by number.
    deny: Vec<usize>,
    ask: Vec<usize>,
    protects: bool,
}

impl Fence {
    /// The fence that lets nothing through: for grants that hold no file.
    #[must_use]
    pub fn closed() -> Self {
        Self { rules: None, own_files: Arc::new([]), deny: Vec::new(), ask: Vec::new(), protects: true }
    }

    pub(super) fn new(rules: Arc<Rules>, own_files: Arc<[PathBuf]>, names: &[&str], protects: bool) -> Self {
        let with_paths = |effect| {
            let mut numbers = rules.naming_numbers(effect, names);
            numbers.retain(|number| rules.get(*number).is_some_and(|rule| path_set(rule).is_some()));
            numbers
        };
        let (deny, ask) = (with_paths(RuleEffect::Deny), with_paths(RuleEffect::Ask));
        Self { rules: Some(rules), own_files, deny, ask, protects }
    }

    /// Judges one path within `granted`.
    ///
    /// # Errors
    /// A deny rule matches; or an ask rule matches that did not match what was approved; or it is one of the
    /// host's own files, or one that rules do not open for writing, and would be written.
    pub fn judge(&self, path: &Path, access: Access, granted: &FileGrant) -> Result<(), Refusal> {
        self.judge_where(path, access, granted, self.protects)
    }

    /// Judges one path that a command could come near. What decides what runs next is not kept from it: its line
    /// was approved as a whole, and `git commit` writes below `.git`.
    ///
    /// # Errors
    /// As [`Self::judge`], without what is only protected.
    pub fn judge_for_command(&self, path: &Path, access: Access, granted: &FileGrant) -> Result<(), Refusal> {
        self.judge_where(path, access, granted, false)
    }

    fn judge_where(
        &self,
        path: &Path,
        access: Access,
        granted: &FileGrant,
        protects: bool,
    ) -> Result<(), Refusal> {
        let Some(rules) = &self.rules else {
            return Err(Refusal(format!("this phase holds no files: `{}`", path.display())));
        };
        let write = access == Access::Write;
        if write && self.is_own(path) {
            let why = "it is one of the host's own files, which no call may write";
            return Err(Refusal(format!("{why}: `{}`", path.display())));
        }
        if let Some(rule) = self.matching(rules, RuleEffect::Deny, path, write).into_iter().next() {
            return Err(refused(rules, rule, "denied", path));
        }
        let exact = path == granted.path || path == granted.named;
        if exact {
            return Ok(());
        }
        let asked = self.matching(rules, RuleEffect::Ask, path, write);
        if !asked.is_empty() {
            // What was approved was approved in the face of every ask rule that matched it.
            let mut faced = self.matching(rules, RuleEffect::Ask, &granted.path, write);
            faced.extend(self.matching(rules, RuleEffect::Ask, &granted.named, write));
            if let Some(rule) = asked.into_iter().find(|rule| !faced.contains(rule)) {
                return Err(refused(rules, rule, "to be asked for by name", path));
            }
        }
        if write && protects && is_protected(path) && !is_protected(&granted.path) {
            let why = "it decides what runs next, so writing it must be asked for by name";
            return Err(Refusal(format!("{why}: `{}`", path.display())));
        }
        Ok(())
    }

    /// Whether there is any rule that denies paths: if not, a second name of a file (a hard link) hides none.
    #[must_use]
    pub fn may_contain_denied(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| {
            let (read, edit) = rules.paths(RuleEffect::Deny);
            !read.is_empty() || !edit.is_empty() || !self.deny.is_empty()
        })
    }

    /// Whether a deny or ask rule could speak of anything in a folder.
    #[must_use]
    pub fn speaks_in(&self, folder: &Path) -> bool {
        [RuleEffect::Deny, RuleEffect::Ask].into_iter().any(|effect| {
            self.path_rules(effect).any(|(_, pattern)| {
                pattern.bases().iter().any(|base| lies_in(base, folder) || lies_in(folder, base))
            })
        })
    }

    /// The host's own files and folders, whether or not they exist.
    #[must_use]
    pub fn own_files(&self) -> &[PathBuf] {
        &self.own_files
    }

    /// The leading parts without wildcards of every path pattern that denies: where files lie that a hard link
    /// could lead to.
    #[must_use]
    pub fn literal_roots(&self) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> =
            self.path_rules(RuleEffect::Deny).flat_map(|(_, pattern)| pattern.bases().to_vec()).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Whether removing or renaming a folder would touch or carry off something in it that is kept: one of
    /// the host's own files, or what an anchored deny or ask rule speaks of.
    #[must_use]
    pub fn guards_below(&self, folder: &Path) -> bool {
        let Some(rules) = &self.rules else { return true };
        if self.own_files.iter().any(|own| lies_in(own, folder) || lies_in(folder, own)) {
            return true;
        }
        [RuleEffect::Deny, RuleEffect::Ask].into_iter().any(|effect| {
            let (read, edit) = rules.paths(effect);
            read.guards(folder)
                || edit.guards(folder)
                || self.own_sets(rules, effect).any(|(_, set)| set.guards(folder))
                || self
                    .path_rules(effect)
                    .any(|(_, pattern)| pattern.bases().iter().any(|base| lies_in(base, folder)))
        })
    }

    /// Whether a move would carry something out of sight of a rule: [`Self::guards_below`], or a rule that
    /// speaks of names at any depth below one folder, from below which the move leads away.
    #[must_use]
    pub fn guards_move(&self, from: &Path, to: &Path) -> bool {
        self.guards_below(from)
            || [RuleEffect::Deny, RuleEffect::Ask].into_iter().any(|effect| {
                self.path_rules(effect).filter(|(_, pattern)| pattern.floating()).any(|(_, pattern)| {
                    pattern.bases().iter().any(|base| lies_in(from, base) && !lies_in(to, base))
                })
            })
    }

    /// Whether a path is one of the host's own files or lies in one of its folders.
    pub(super) fn is_own(&self, path: &Path) -> bool {
        self.own_files.iter().any(|own| lies_in(path, own))
    }

    fn matching(&self, rules: &Rules, effect: RuleEffect, path: &Path, write: bool) -> Vec<usize> {
        let (read, edit) = rules.paths(effect);
        let mut found = if read.is_empty() { Vec::new() } else { read.all(path) };
        if write && !edit.is_empty() {
            found.extend(edit.all(path));
        }
        let own = self.own_sets(rules, effect).filter(|(_, set)| set.find(path, Extent::File).is_some());
        found.extend(own.map(|(number, _)| number));
        found
    }

    fn own_sets<'r>(
        &'r self,
        rules: &'r Rules,
        effect: RuleEffect,
    ) -> impl Iterator<Item = (usize, &'r PathSet)> {
        let numbers = if effect == RuleEffect::Deny { &self.deny } else { &self.ask };
        numbers.iter().filter_map(|number| Some((*number, path_set(rules.get(*number)?)?)))
    }

    fn path_rules(&self, effect: RuleEffect) -> impl Iterator<Item = (&Rule, &super::pattern::PathPattern)> {
        let rules = self.rules.iter().flat_map(|rules| rules.all());
        rules.filter(move |rule| rule.effect == effect).filter_map(|rule| {
            let (pattern, _) = rule.content.as_ref()?.path.as_ref()?;
            Some((rule, pattern))
        })
    }
}

fn path_set(rule: &Rule) -> Option<&PathSet> {
    rule.content.as_ref()?.path.as_ref().map(|(_, set)| set)
}

fn refused(rules: &Rules, number: usize, what: &str, path: &Path) -> Refusal {
    let rule = rules.get(number).map(|rule| format!("`{}` ({})", rule.text, rule.source));
    Refusal(format!("it is {what} by the rule {}: `{}`", rule.unwrap_or_default(), path.display()))
}
