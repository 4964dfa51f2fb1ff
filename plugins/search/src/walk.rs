//! Going through folders, one after the other, in the order of their names.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};
use mortise_sdk::{Failure, Progress, progress, session};

use crate::place::named;

/// What version control keeps for itself.
const VERSION_CONTROL: &[&str] = &[".git", ".svn", ".hg", ".bzr", ".jj", ".sl", "CVS"];

/// What could not be looked at, for the note under a partial result.
#[derive(Default)]
pub(crate) struct Unseen {
    examples: Vec<String>,
    count: usize,
}

impl Unseen {
    /// Takes one thing that could not be looked at, in words.
    pub(crate) fn add(&mut self, what: String) {
        self.count += 1;
        if self.examples.len() < 3 {
            self.examples.push(what);
        }
    }

    /// Takes all that another holds.
    pub(crate) fn append(&mut self, other: &mut Self) {
        let other = std::mem::take(other);
        let count = self.count + other.count;
        other.examples.into_iter().for_each(|what| self.add(what));
        self.count = count;
    }

    /// Whether everything was looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One line for the model, if there is something to say.
    pub(crate) fn note(&self) -> Option<String> {
        let more = match self.count.checked_sub(self.examples.len())? {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        (self.count > 0).then(|| {
            format!(
                "[The result is partial, since this could not be read: {}{more}]",
                self.examples.join("; ")
            )
        })
    }
}

/// A walk that skips what version control keeps for itself, and nothing else.
pub(crate) fn all(root: &Path, pattern: &str) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false);
    let spared = VERSION_CONTROL.iter().filter(|name| !pattern.contains(**name)).copied().collect::<Vec<_>>();
    walk.filter_entry(move |entry| entry.depth() == 0 || !is_one_of(entry, &spared));
    walk
}

/// A walk that also skips what `.gitignore` and `.ignore` name, whether or not the folder is under version control:
/// the sandbox may not show what tells. Hidden files are not skipped.
pub(crate) fn respectful(root: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    // Folders above the root are read here and not by the crate, which needs `canonicalize`.
    walk.hidden(false).parents(false).git_global(false).require_git(false);
    let above = above(root);
    walk.filter_entry(move |entry| {
        entry.depth() == 0 || !(is_one_of(entry, VERSION_CONTROL) || is_ignored(entry, &above))
    });
    walk.sort_by_file_name(|a, b| a.cmp(b));
    walk
}

/// Goes through a walk's files. Folders that cannot be read are added to `unseen`.
///
/// # Errors
/// [`Failure::Interrupted`] once the caller has given up, and what `visit` returns.
pub(crate) fn files(
    walk: &WalkBuilder,
    unseen: &mut Unseen,
    mut visit: impl FnMut(&DirEntry, &mut Unseen) -> Result<Going, Failure>,
) -> Result<(), Failure> {
    let mut seen = 0_u32;
    for entry in walk.build() {
        seen += 1;
        if seen.is_multiple_of(64) {
            progress::checkpoint()?;
        }
        if seen.is_multiple_of(5_000) {
            progress::report(Progress::message(format!("{seen} files and folders seen")));
        }
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
            Ok(entry) => {
                if visit(&entry, unseen)? == Going::Stop {
                    break;
                }
            }
            Err(error) => unseen.add(told(&error)),
        }
    }
    Ok(())
}

/// Whether a walk goes on.
#[derive(PartialEq)]
pub(crate) enum Going {
    On,
    Stop,
}

/// The error with its path as the model knows it.
fn told(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { path, err } => format!("{}: {}", named(path), told(err)),
        ignore::Error::WithDepth { err, .. } => told(err),
        ignore::Error::Io(error) => {
            error.get_ref().map_or_else(|| error.to_string(), |inner| inner.to_string())
        }
        other => other.to_string(),
    }
}

fn is_one_of(entry: &DirEntry, names: &[&str]) -> bool {
    names.iter().any(|name| entry.file_name() == *name)
}

/// The ignore files of the folders from the root's parent up to the working directory, the nearest first. None if the
/// root is not below that.
fn above(root: &Path) -> Vec<Gitignore> {
    let top = PathBuf::from(session::working_directory());
    if root == top || !root.starts_with(&top) {
        return Vec::new();
    }
    let folders = root.ancestors().skip(1).take_while(|folder| folder.starts_with(&top));
    let files = folders.flat_map(|folder| [".ignore", ".gitignore"].map(|name| (folder, name)));
    let read = files.filter_map(|(folder, name)| {
        let mut builder = GitignoreBuilder::new(folder);
        // A file that is not there, or not granted, ignores nothing; a bad line is no reason to drop the good ones.
        let _ = builder.add(folder.join(name));
        builder.build().ok().filter(|rules| !rules.is_empty())
    });
    read.collect()
}

fn is_ignored(entry: &DirEntry, above: &[Gitignore]) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    above
        .iter()
        .map(|rules| rules.matched(entry.path(), is_folder))
        .find(|matched| !matched.is_none())
        .is_some_and(|matched| matched.is_ignore())
}
