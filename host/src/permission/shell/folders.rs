//! Where the commands of a line could run: `cd` and the like, followed as far as the text tells.
//!
//! Leaves to others: the order of commands (`walk`).

use std::path::{Path, PathBuf};

use super::walk::Simple;
use super::word::{PathText, Variables, Word};

/// More folders than these that a command could run in count as any.
const MOST: usize = 8;

/// Folders that a command could run in; `None`: one that the text does not tell.
pub(super) type Folders = Vec<Option<PathBuf>>;

/// Where what follows runs: if this succeeded, and in any case.
pub(super) struct Flow {
    pub(super) well: Folders,
    pub(super) any: Folders,
}

/// Where a simple command leads. `home`: the home folder, where the line does not give it another value.
pub(super) fn after(simple: &Simple, start: &Folders, home: Option<&Path>, variables: &Variables) -> Flow {
    let names = ["command", "builtin", "--"];
    let named = |word: &&Word| word.literal().is_some_and(|text| names.contains(&text.as_str()));
    let mut words = simple.words.iter().skip_while(named);
    let name = match words.next() {
        None => return stay(start),
        Some(name) if name.is_dynamic() => return anywhere(start),
        Some(name) => name.could_be(variables).join(" "),
    };
    match name.as_str() {
        "cd" | "pushd" => {}
        "popd" | "eval" | "source" | "." | "trap" | "" => return anywhere(start),
        // Braces: `{cd,..}`.
        name if name.starts_with("cd ") || name.starts_with("pushd ") => return anywhere(start),
        _ => return stay(start),
    }
    let mut to = words.skip_while(|word| word.source.starts_with('-') && word.source.len() > 1);
    let (target, more) = (to.next(), to.next());
    let text = match target {
        None => PathText::Known("~".to_owned()),
        Some(_) if more.is_some() => PathText::Unknown,
        Some(word) => word.path(home.is_some()),
    };
    let (PathText::Known(text), Some(home)) = (text, home) else { return anywhere(start) };
    if text.is_empty() || text == "-" || name == "pushd" && text.starts_with(['+', '~']) {
        return anywhere(start);
    }
    let step = |from: &Option<PathBuf>| match text.strip_prefix('~') {
        Some(rest) => Some(home.join(rest.trim_start_matches('/'))),
        None if text.starts_with('/') => Some(PathBuf::from(&text)),
        None => from.as_ref().map(|from| from.join(&text)),
    };
    let mut well: Folders = start.iter().map(step).collect();
    well.dedup();
    let mut any = start.clone();
    join(&mut any, &well);
    Flow { well, any }
}

/// To a folder that the text does not tell, or nowhere.
pub(super) fn anywhere(start: &Folders) -> Flow {
    Flow { well: vec![None], any: start.iter().cloned().chain([None]).collect() }
}

/// Nowhere else.
pub(super) fn stay(start: &Folders) -> Flow {
    Flow { well: start.clone(), any: start.clone() }
}

/// Adds folders to others.
pub(super) fn join(into: &mut Folders, more: &Folders) {
    for folder in more {
        if !into.contains(folder) {
            into.push(folder.clone());
        }
    }
    if into.len() > MOST {
        *into = vec![None];
    }
}

/// Whether there is anything in it that changes folders.
pub(super) fn goes(text: &str) -> bool {
    let names = ["cd", "pushd", "popd", "eval", "source", "."];
    text.split(|c: char| c.is_whitespace() || ";&|(){}\"'\\`".contains(c)).any(|word| names.contains(&word))
}

/// Whether the line gives another value to what `cd` and `~` go by.
pub(super) fn moves_home(text: &str) -> bool {
    text.contains("CDPATH")
        || text.contains("PWD=")
        || text
            .match_indices("HOME")
            .any(|(at, _)| !(text[..at].ends_with('$') || text[..at].ends_with("${")))
}
