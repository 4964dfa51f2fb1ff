//! Many path patterns matched in one pass, and which rule each is of. Built once per policy; every decision and
//! every path operation of a guest goes through one.
//!
//! Leaves to others: what a pattern means (`pattern`), what follows from a match (`decide`, `fence`).

use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::pattern::{PathPattern, fold};
use crate::config::RuleEffect;
use crate::contract::Extent;

/// Many patterns of one effect, matched in one pass. A set that could not be built matches everything if it
/// denies or asks, nothing if it allows.
#[derive(Debug, Default)]
pub(super) struct PathSet {
    files: Globs,
    trees: Globs,
    guards: Globs,
    lenient: bool,
}

#[derive(Debug, Default)]
struct Globs {
    /// `None`: it could not be built.
    set: Option<GlobSet>,
    /// The rule that each glob is of.
    owners: Vec<usize>,
}

impl PathSet {
    /// Builds one from patterns, each with its rule's number.
    pub(super) fn build<'p>(
        effect: RuleEffect,
        patterns: impl Iterator<Item = (usize, &'p PathPattern)> + Clone,
    ) -> Self {
        Self {
            files: Globs::build(patterns.clone().map(|(rule, pattern)| (rule, &pattern.files))),
            trees: Globs::build(patterns.clone().map(|(rule, pattern)| (rule, &pattern.trees))),
            guards: Globs::build(patterns.map(|(rule, pattern)| (rule, &pattern.guards))),
            lenient: effect != RuleEffect::Allow,
        }
    }

    /// Whether there is no pattern in it.
    pub(super) fn is_empty(&self) -> bool {
        self.files.owners.is_empty()
    }

    /// The first rule that matches a path; for a tree in an allow set, one that covers all of it.
    pub(super) fn find(&self, path: &Path, extent: Extent) -> Option<usize> {
        let globs = if extent == Extent::Tree && !self.lenient { &self.trees } else { &self.files };
        globs.matching(path, self.lenient).into_iter().min()
    }

    /// Every rule that matches a path.
    pub(super) fn all(&self, path: &Path) -> Vec<usize> {
        self.files.matching(path, self.lenient)
    }

    /// Whether renaming or removing a folder would carry something out of a pattern's sight.
    pub(super) fn guards(&self, folder: &Path) -> bool {
        !self.guards.matching(folder, self.lenient).is_empty()
    }
}

impl Globs {
    fn build<'p>(globs: impl Iterator<Item = (usize, &'p Vec<Glob>)>) -> Self {
        let mut builder = GlobSetBuilder::new();
        let mut owners = Vec::new();
        for (rule, glob) in globs.flat_map(|(rule, globs)| globs.iter().map(move |glob| (rule, glob))) {
            builder.add(glob.clone());
            owners.push(rule);
        }
        Self { set: builder.build().ok(), owners }
    }

    fn matching(&self, path: &Path, lenient: bool) -> Vec<usize> {
        if self.owners.is_empty() {
            return Vec::new();
        }
        let Some(set) = &self.set else {
            return if lenient { self.owners.clone() } else { Vec::new() };
        };
        // The engine folds ASCII case only; rules that deny are compiled in lower case beyond it.
        let text = path.to_string_lossy();
        let found = if lenient && !text.is_ascii() { set.matches(fold(&text)) } else { set.matches(path) };
        found.into_iter().filter_map(|glob| self.owners.get(glob).copied()).collect()
    }
}
