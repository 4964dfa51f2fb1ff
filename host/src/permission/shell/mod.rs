//! One analysis of a command line: its parts, what each calls, reads and writes. Made once for a decision;
//! every rule is matched against it.
//!
//! Allow rules see what the text says and no more; deny and ask rules see all that it could come to. Leaves to
//! others: what follows for the call (`decide`, `command`), running it (`sandbox`).

mod call;
mod critical;
mod crude;
mod git;
mod grammar;
mod inert;
mod part;
mod readonly;
mod touch;
mod walk;
mod word;

use std::path::PathBuf;
use std::sync::Arc;

pub(super) use part::{Part, Touch};

use super::resolve::Resolver;
use super::subject::Resolved;
use super::text::Wildcard;
use walk::{Folders, Walk};

/// More parts than these are never run unasked.
const PARTS: usize = 50;
/// As many commands as are looked for within words, and how deep.
const INNER: (usize, usize) = (200, 4);

/// A command line, as far as it is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    text: String,
    parts: Vec<Part>,
    /// Texts within it that are not understood.
    crude: Vec<String>,
    doubt: Option<String>,
    unsure: Option<String>,
    critical: Option<String>,
}

/// Where a line would run.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) places: &'a Resolver,
    /// The working directory and those that count as it does.
    pub(super) folders: &'a [PathBuf],
    pub(super) home_known: bool,
}

/// Analyses the command of a subject.
pub(super) fn resolve(command: &str, places: &Resolver, folders: &[PathBuf]) -> Resolved {
    let opaque = |why| Resolved::Opaque { text: command.to_owned(), why };
    if let Some(why) = crude::too_much(command, true) {
        return opaque(why);
    }
    let around = Surroundings { places, folders, home_known: places.home.is_some() };
    let line = analyse(command, around);
    match crude::too_much(command, line.doubt.is_none()) {
        Some(why) => opaque(why),
        None => Resolved::Command { command: command.to_owned(), line: Arc::new(line) },
    }
}

fn analyse(text: &str, around: Surroundings<'_>) -> Line {
    let mut line = Line {
        text: text.trim().to_owned(),
        parts: Vec::new(),
        crude: Vec::new(),
        doubt: None,
        unsure: None,
        critical: None,
    };
    let start: Folders = vec![Some(around.places.working_directory.clone())];
    let mut inner = line.add(text, around, &start, false);
    // What stands in words is a command to what runs it.
    for _ in 0..INNER.1 {
        if inner.is_empty() || line.parts.len() > INNER.0 {
            break;
        }
        let texts = std::mem::take(&mut inner);
        for text in texts {
            if line.parts.len() > INNER.0 {
                inner.push(text);
                break;
            }
            inner.extend(line.add(&text, around, &start, true));
        }
    }
    if !inner.is_empty() {
        line.crude.extend(inner);
        line.doubt
            .get_or_insert_with(|| "it holds more commands within commands than are looked at".to_owned());
    }
    if line.parts().count() > PARTS {
        line.doubt.get_or_insert_with(|| format!("the command has more than {PARTS} parts"));
    }
    if line.parts().next().is_none() {
        line.doubt.get_or_insert_with(|| "there is no command in it".to_owned());
    }
    line
}

impl Line {
    /// Adds what is in a text; `hidden`: a text within a word. Returns further texts within words.
    fn add(&mut self, text: &str, around: Surroundings<'_>, start: &Folders, hidden: bool) -> Vec<String> {
        let parsed = grammar::parse(text);
        if let Some(why) = parsed.doubt {
            self.crude.push(text.to_owned());
            if !hidden {
                self.doubt.get_or_insert(why);
            }
        }
        let Some(tree) = parsed.tree else { return Vec::new() };
        let mut walk = Walk::new(text, around.places.home.as_deref());
        walk.run(tree.root_node(), start);
        let around = Surroundings { home_known: walk.home_known(), ..around };
        if let (Some(why), false) = (walk.unsure.take(), hidden) {
            self.unsure.get_or_insert(why);
        }
        let mut inner = Vec::new();
        let mut shell = false;
        let at = self.parts.len();
        for simple in &walk.simples {
            let (part, found) = Part::of(simple, &walk.variables, around, hidden, start);
            if part.critical.is_some() {
                self.critical.clone_from(&part.critical);
            }
            shell |= found.shell;
            inner.extend(found.texts);
            self.parts.push(part);
        }
        if shell {
            // Whatever a command is fed may be run by the shell among them.
            inner.append(&mut walk.fed);
            inner.extend(walk.simples.iter().flat_map(|simple| {
                let words = simple.words.iter().skip(1).flat_map(|word| word.could_be(&walk.variables));
                words.collect::<Vec<_>>()
            }));
        }
        part::elsewhere(&mut self.parts[at..]);
        inner
    }

    /// The parts that the line itself consists of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| !part.hidden)
    }

    /// The texts of its parts, as they were written; for people.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        self.parts().map(|part| part.said.as_str()).filter(|said| !said.is_empty())
    }

    /// Why it is asked for in every mode, if it is: what cannot be told cannot be ruled on.
    pub(super) fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref()
    }

    /// What it would remove that no mode lets it remove unasked.
    pub(super) fn critical(&self) -> Option<&str> {
        self.critical.as_deref()
    }

    /// Whether its words tell what runs, so that a rule on content may let it through.
    pub(super) fn is_plain(&self) -> bool {
        self.doubt.is_none() && self.unsure.is_none()
    }

    /// Whether it changes nothing, by its commands alone.
    pub(super) fn reads_only(&self) -> bool {
        self.is_plain() && self.parts().all(|part| part.reads && !part.writes_by_redirect())
    }

    /// Whether a rule that denies or asks is meant by anything in it.
    pub(super) fn any(&self, rule: &Wildcard) -> bool {
        rule.matches(&self.text)
            || self.parts.iter().any(|part| part.hit(rule))
            || self.crude.iter().any(|text| crude::hits(text, rule))
    }

    /// Whether an allow rule lets all of its parts through.
    pub(super) fn every(&self, rule: &Wildcard) -> bool {
        self.is_plain() && self.parts().all(|part| part.allowed(rule))
    }

    /// Every file that it names or could name.
    pub(super) fn touches(&self) -> impl Iterator<Item = &Touch> {
        self.parts.iter().flat_map(|part| &part.touches)
    }
}
