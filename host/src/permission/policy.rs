//! The policy of one session: its rules, mode and folders at this moment. Reading it takes a snapshot, so
//! that one decision is made on one state; every change makes a new one with a new revision.
//!
//! Leaves to others: where rules come from (`config`), what they come to for a call (`decide`).

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::decision::RuleRef;
use super::fence::Fence;
use super::grant::FileGrant;
use super::mode::Mode;
use super::parse::{self, Problem};
use super::protected;
use super::resolve::Resolver;
use super::shelf::Rules;
use super::shell;
use super::subject::{PathForms, Resolved};
use crate::config::{Level, PermissionOptions, RawRule, RuleEffect, RuleSource};
use crate::contract::{Access, Extent, PathSubject, Subject};

/// The policy of one session.
#[derive(Debug)]
pub struct Policy {
    now: RwLock<Arc<Snapshot>>,
}

/// A policy at one moment.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    /// Grows with every change.
    pub(super) revision: u64,
    /// Grows with every change that may make something less allowed.
    pub(super) tightened: u64,
    pub(super) mode: Mode,
    pub(super) raw: Vec<RawRule>,
    pub(super) rules: Arc<Rules>,
    pub(super) places: Resolver,
    /// Where commands start: one of the folders below, or in one.
    pub(super) shell_directory: PathBuf,
    /// The working directory and those that count as it does; symlinks followed.
    pub(super) folders: Vec<PathBuf>,
    /// Folders of the host's own that may be read unasked.
    pub(super) lent: Vec<PathBuf>,
    pub(super) own_files: Arc<[PathBuf]>,
    pub(super) private_origins: Vec<String>,
}

impl Policy {
    /// Makes a policy, with all that is wrong with its rules. A rule with a fatal problem may be in force all
    /// the same (where it can be); whether such a policy is used is for the caller to say.
    #[must_use]
    pub fn new(options: &PermissionOptions, working_directory: &Path) -> (Self, Vec<Problem>) {
        let places =
            Resolver { working_directory: working_directory.to_path_buf(), home: options.home.clone() };
        let mut problems = Vec::new();
        let mode = options.mode.as_deref().unwrap_or("default").parse().unwrap_or_else(|why: String| {
            let (why, hint) = why.split_once("; hint: ").unwrap_or((&why, ""));
            problems.push(Problem {
                source: session(&places),
                text: options.mode.clone().unwrap_or_default(),
                why: why.to_owned(),
                hint: hint.to_owned(),
                fatal: true,
            });
            Mode::Default
        });
        let rules = read(&options.rules, &places, &mut problems);
        let folders = std::iter::once(working_directory)
            .chain(options.additional_directories.iter().map(PathBuf::as_path))
            .map(|folder| super::resolve::real_path(folder).unwrap_or_else(|_| folder.to_path_buf()))
            .collect();
        let snapshot = Snapshot {
            revision: 0,
            tightened: 0,
            mode,
            raw: options.rules.clone(),
            rules: Arc::new(rules),
            shell_directory: working_directory.to_path_buf(),
            places,
            folders,
            lent: Vec::new(),
            own_files: protected::both_spellings(&options.own_files),
            private_origins: options.private_origins.clone(),
        };
        (Self { now: RwLock::new(Arc::new(snapshot)) }, problems)
    }

    /// Changes whenever rules or mode do.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.snapshot().revision
    }

    /// The permission mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.snapshot().mode
    }

    /// Changes the mode; questions that are open are void.
    pub fn set_mode(&self, mode: Mode) {
        self.change(|next| {
            next.mode = mode;
            next.tightened += 1;
        });
    }

    /// Adds rules until the session ends, and says what is wrong with them. Allow rules leave open questions
    /// standing; any other voids them.
    pub fn add_session_rules(&self, effect: RuleEffect, rules: &[String]) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.change(|next| {
            let source = session(&next.places);
            next.raw.extend(rules.iter().map(|text| RawRule {
                effect,
                text: text.clone(),
                source: source.clone(),
            }));
            let mut all = Vec::new();
            next.rules = Arc::new(read(&next.raw, &next.places, &mut all));
            problems = all.into_iter().filter(|problem| problem.source.level == Level::Session).collect();
            if effect != RuleEffect::Allow {
                next.tightened += 1;
            }
        });
        problems
    }

    /// Lets a folder of the host's own be read unasked until the session ends: what is in it was already the
    /// model's. Deny and ask rules hold in it as everywhere.
    pub fn lend(&self, folder: &Path) {
        if !self.snapshot().lent.iter().any(|lent| lent == folder) {
            self.change(|next| next.lent.push(folder.to_path_buf()));
        }
    }

    /// Makes later commands start where one ended, if that counts as the working directory does. If not, they start in
    /// the working directory again, and that is what is answered.
    #[must_use]
    pub fn enter(&self, folder: &Path) -> Option<PathBuf> {
        let now = self.snapshot();
        let real = super::resolve::real_path(folder).ok().filter(|real| now.inside(real));
        let next = real.clone().unwrap_or_else(|| now.places.working_directory.clone());
        if next != now.shell_directory {
            self.change(|snapshot| snapshot.shell_directory.clone_from(&next));
        }
        if real.is_some() { None } else { Some(next) }
    }

    /// Where commands start.
    #[must_use]
    pub fn shell_directory(&self) -> PathBuf {
        self.snapshot().shell_directory()
    }

    /// The deny rule that takes a tool out of the pool: one on every call of it, by any of its names.
    #[must_use]
    pub fn hides<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleRef> {
        let names: Vec<&str> = names.into_iter().collect();
        let now = self.snapshot();
        let naming = now.rules.naming(RuleEffect::Deny, &names);
        naming.into_iter().find(|rule| rule.is_whole()).map(|rule| rule.reference())
    }

    /// The rules that hold inside every granted tree, without those on one tool alone.
    #[must_use]
    pub fn fence(&self) -> Arc<Fence> {
        Arc::new(self.snapshot().fence(&[]))
    }

    /// Resolves subjects as a decision would, without deciding.
    #[must_use]
    pub fn resolve(&self, subjects: &[Subject]) -> Vec<Resolved> {
        self.snapshot().resolve(subjects)
    }

    /// Both spellings of a path that no deny rule keeps from being read; `None` for any other.
    #[must_use]
    pub fn readable(&self, path: &str) -> Option<PathForms> {
        let subject = PathSubject { path: path.to_owned(), access: Access::Read, extent: Extent::File };
        let Some(Resolved::Path { forms, .. }) = self.resolve(&[Subject::Path(subject)]).pop() else {
            return None;
        };
        let asked = FileGrant {
            path: forms.real.clone(),
            named: forms.named.clone(),
            access: Access::Read,
            extent: Extent::File,
        };
        let fence = self.fence();
        let open = |path| fence.judge(path, Access::Read, &asked).is_ok();
        (open(&forms.real) && open(&forms.named)).then_some(forms)
    }

    /// Says which rules name no tool of `known`, with the nearest name. Names with `_` or `*` may come later
    /// and are left alone.
    #[must_use]
    pub fn unknown_tools(&self, known: &[&str]) -> Vec<Problem> {
        let builtin = ["Read", "Edit", "WebFetch", "Bash", "Agent", "Task", "Skill"];
        let now = self.snapshot();
        let stray = now.rules.all().iter().filter_map(|rule| match &rule.tool {
            super::rule::ToolPattern::Exact(name) if !name.contains('_') => Some((rule, name.as_str())),
            _ => None,
        });
        stray
            .filter(|(_, name)| !known.contains(name) && !builtin.contains(name))
            .map(|(rule, name)| {
                let near = parse::nearest(name, known.iter().copied().chain(builtin));
                Problem {
                    source: rule.source().clone(),
                    text: rule.text().to_owned(),
                    why: format!("there is no tool `{name}`"),
                    hint: near.map_or_else(
                        || "`mortise list` shows the tools there are".to_owned(),
                        |near| format!("did you mean `{near}`?"),
                    ),
                    fatal: false,
                }
            })
            .collect()
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Snapshot::clone(&now);
        change(&mut next);
        next.revision += 1;
        *now = Arc::new(next);
    }
}

impl Snapshot {
    /// Where a command starts: where the last one ended, as long as that is there.
    #[expect(clippy::disallowed_methods, reason = "it asks whether a folder is still there")]
    pub(super) fn shell_directory(&self) -> PathBuf {
        let last = &self.shell_directory;
        if last.is_dir() { last.clone() } else { self.places.working_directory.clone() }
    }

    pub(super) fn resolve(&self, subjects: &[Subject]) -> Vec<Resolved> {
        // What a command names starts where the command does.
        let places = || Resolver { working_directory: self.shell_directory(), ..self.places.clone() };
        let resolve = |subject: &Subject| match subject {
            Subject::Command { command } => shell::resolve(command, &places(), &self.folders),
            subject => self.places.subject(subject),
        };
        subjects.iter().map(resolve).collect()
    }

    /// Whether a path that has been resolved lies in a folder that counts as the working directory.
    pub(super) fn inside(&self, real: &Path) -> bool {
        self.folders.iter().any(|folder| real.starts_with(folder))
    }

    /// The fence of one call, by the tool's names.
    pub(super) fn fence(&self, names: &[&str]) -> Fence {
        let protects = self.mode != Mode::BypassPermissions;
        Fence::new(Arc::clone(&self.rules), Arc::clone(&self.own_files), names, protects)
    }
}

fn session(places: &Resolver) -> RuleSource {
    RuleSource { level: Level::Session, file: None, line: None, root: places.working_directory.clone() }
}

fn read(raw: &[RawRule], places: &Resolver, problems: &mut Vec<Problem>) -> Rules {
    let mut rules = Vec::new();
    for raw in raw {
        let (rule, problem) = parse::parse(raw, places);
        rules.extend(rule);
        problems.extend(problem);
    }
    Rules::new(rules)
}
