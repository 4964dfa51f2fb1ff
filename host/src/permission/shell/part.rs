//! One part of a line: the texts that rules are matched against, what it reads and writes, and what it is
//! known to be.
//!
//! Leaves to others: finding the parts (`walk`), what follows from them (`command`).

use super::super::protected::is_protected;
use super::super::subject::Resolved;
use super::super::text::Wildcard;
use super::call::{self, Call, Item, base};
use super::inert::{is_inert, is_own_variable, is_shell};
use super::walk::{Folders, Simple};
use super::word::{PathText, Variables, Word};
use super::{Surroundings, critical, readonly, touch};
use crate::contract::{Access, Extent};

/// One part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct Part {
    /// As it was written, without redirects.
    pub(in super::super) said: String,
    /// What an allow rule may match.
    allow: Vec<String>,
    /// Whether only a rule without wildcards may.
    exact: bool,
    calls: Vec<Call>,
    pub(in super::super) touches: Vec<Touch>,
    /// It reads or writes what the text does not tell.
    pub(in super::super) unknown: Unknown,
    /// It only reads, by the table.
    pub(in super::super) reads: bool,
    /// Mode `acceptEdits` lets it write within reach.
    pub(in super::super) edits: bool,
    /// It stands within a word: it counts for deny and ask rules only.
    pub(super) hidden: bool,
    pub(super) critical: Option<String>,
    name: String,
    moved: bool,
}

/// What of a part's files the text does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Unknown {
    pub(in super::super) arguments: bool,
    pub(in super::super) redirects: bool,
}

/// One file that a part names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Touch {
    /// Always a path.
    pub(in super::super) subject: Resolved,
    pub(in super::super) redirect: bool,
    /// Not what the text says, but what it could come to.
    pub(in super::super) guess: bool,
}

/// What a part says of others.
pub(super) struct Found {
    /// Texts that it may run as commands.
    pub(super) texts: Vec<String>,
    /// Whether it may run what it is fed.
    pub(super) shell: bool,
}

impl Part {
    pub(super) fn of(
        simple: &Simple,
        variables: &Variables,
        around: Surroundings<'_>,
        hidden: bool,
        start: &Folders,
    ) -> (Self, Found) {
        let mut part = Self { hidden, moved: simple.folders != *start, ..Self::default() };
        let items = call::items(&simple.words, variables);
        let dynamic = simple.words.first().is_some_and(Word::is_dynamic);
        let starts: Vec<usize> =
            if dynamic { (0..items.len().min(call::WORDS)).collect() } else { call::starts(&items) };
        part.calls = starts.iter().filter_map(|at| Call::of(&items[*at..])).collect();
        for named in part.plain(simple) {
            let known = part.touch(&named, &simple.folders, around, (false, hidden));
            part.unknown.arguments |= !known;
        }
        for at in &starts {
            part.guess(&items[*at..], simple, around);
        }
        for redirect in &simple.redirects {
            let access = if redirect.writes { Access::Write } else { Access::Read };
            let named = touch::Named { word: redirect.target.clone(), access, extent: Extent::File };
            let known = part.touch(&named, &simple.folders, around, (true, hidden));
            let source = &named.word.source;
            let network = source.contains("/dev/tcp/") || source.contains("/dev/udp/");
            let elsewhere = redirect.writes && part.moved && !is_device(source);
            part.unknown.redirects |= !known || network || elsewhere;
        }
        let runs = dynamic || items.first().is_some_and(|first| !is_inert(base(&first.text), &items));
        let shell = runs && items.iter().any(|item| is_shell(base(&item.text)));
        let texts =
            if runs { items.iter().flat_map(|item| lines_in(&item.text)).collect() } else { Vec::new() };
        (part, Found { texts, shell })
    }

    /// What the text says, for allow rules. Returns the files that it names.
    fn plain(&mut self, simple: &Simple) -> Vec<touch::Named> {
        if simple.nameless {
            self.reads = simple.assignments.iter().all(|(name, _)| is_own_variable(name));
            let texts: Vec<String> =
                simple.assignments.iter().map(|(name, value)| format!("{name}={}", value.source)).collect();
            self.said = texts.join(" ");
            self.allow = if self.said.is_empty() { Vec::new() } else { vec![self.said.clone()] };
            return Vec::new();
        }
        let plain = call::plain(simple);
        let inner = simple.words.get(plain.inner..).unwrap_or_default();
        self.name =
            inner.first().and_then(Word::literal).map(|name| base(&name).to_owned()).unwrap_or_default();
        let said: Vec<&str> = simple.words.iter().map(|word| word.source.as_str()).collect();
        self.said = plain.texts.first().cloned().unwrap_or_else(|| said.join(" "));
        self.exact = match self.name.as_str() {
            "watch" | "setsid" | "ionice" | "flock" => true,
            "find" => inner.iter().any(|word| {
                let runs = ["-exec", "-ok", "-delete", "-fprint", "-fls"];
                word.is_dynamic()
                    || word.literal().is_some_and(|text| runs.iter().any(|run| text.starts_with(run)))
            }),
            _ => false,
        };
        let known = plain.clean && !plain.texts.is_empty();
        self.reads = known && readonly::reads(inner);
        self.edits = known && readonly::edits(inner);
        self.allow = plain.texts;
        touch::named(inner)
    }

    /// What a command that begins at any of its words would reach.
    fn guess(&mut self, items: &[Item], simple: &Simple, around: Surroundings<'_>) {
        let word =
            |item: &Item| if item.word.is_dynamic() { Word::plain(&item.text) } else { item.word.clone() };
        let words: Vec<Word> = items.iter().map(word).collect();
        for named in touch::named(&words) {
            self.touch(&named, &simple.folders, around, (false, true));
        }
        if self.critical.is_none() {
            let pairs: Vec<(String, Word)> =
                items.iter().map(|item| (item.text.clone(), item.word.clone())).collect();
            self.critical = critical::target(&pairs, &simple.folders, &around);
        }
    }

    /// Notes a file; says whether the text tells which it is. `how`: by a redirect; a guess.
    fn touch(
        &mut self,
        named: &touch::Named,
        folders: &Folders,
        around: Surroundings<'_>,
        how: (bool, bool),
    ) -> bool {
        if is_device(&named.word.source) {
            return true;
        }
        let (text, extent, known) = match named.word.path(around.home_known) {
            PathText::Known(text) => (text, named.extent, true),
            PathText::Below(folder) => (folder, Extent::Tree, named.access == Access::Read),
            PathText::Unknown => return false,
        };
        if text.is_empty() {
            return true;
        }
        let mut all_known = known;
        for folder in folders {
            let (path, sure) = match folder {
                _ if text.starts_with('/') || text == "~" || text.starts_with("~/") => (text.clone(), true),
                Some(folder) => (format!("{}/{text}", folder.display()), true),
                None => (format!("{}/{text}", around.places.working_directory.display()), false),
            };
            all_known &= sure;
            let Ok(forms) = around.places.path(&path) else {
                all_known = false;
                continue;
            };
            let subject = Resolved::Path { forms, access: named.access, extent };
            let touch = Touch { subject, redirect: how.0, guess: how.1 || !sure };
            if !self.touches.iter().any(|known| {
                known.subject == touch.subject
                    && (known.redirect || !touch.redirect)
                    && (!known.guess || touch.guess)
            }) {
                self.touches.push(touch);
            }
        }
        all_known
    }

    /// Whether an allow rule lets the part through, as far as its words go.
    pub(in super::super) fn allowed(&self, rule: &Wildcard) -> bool {
        (!self.exact || rule.is_exact()) && self.allow.iter().any(|text| rule.matches(text))
    }

    /// Whether a rule that denies or asks is meant.
    pub(super) fn hit(&self, rule: &Wildcard) -> bool {
        self.calls.iter().any(|call| call.hit(rule))
    }

    /// Whether there is a text that a rule could be written of.
    pub(in super::super) fn is_nameable(&self) -> bool {
        !self.allow.is_empty()
    }

    pub(super) fn writes_by_redirect(&self) -> bool {
        self.unknown.redirects || self.touches.iter().any(|touch| touch.redirect && touch.subject.may_write())
    }

    /// Whether it would write what an allow rule does not open.
    pub(in super::super) fn writes_protected(&self) -> bool {
        self.touches.iter().filter(|touch| !touch.guess && touch.subject.may_write()).any(|touch| {
            touch
                .subject
                .as_path()
                .is_some_and(|(forms, ..)| is_protected(&forms.named) || is_protected(&forms.real))
        })
    }
}

/// `git` goes by what lies where it runs: once a line has gone elsewhere, neither counts as reading.
pub(super) fn elsewhere(parts: &mut [Part]) {
    if parts.iter().any(|part| part.name == "git" && part.moved) {
        for part in parts.iter_mut().filter(|part| matches!(part.name.as_str(), "git" | "cd" | "pushd")) {
            part.reads = false;
        }
    }
}

/// What is written to or read from and is no file.
fn is_device(path: &str) -> bool {
    let device =
        matches!(path, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "-");
    device || path.strip_prefix("/dev/fd/").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

/// A word as a command line of its own, and what it gives a name to.
fn lines_in(text: &str) -> Vec<String> {
    let is_line = |text: &&str| text.contains(|c: char| c.is_whitespace() || ";&|`$(){}<>".contains(c));
    let given = text.split_once('=').map(|(_, value)| value.trim_start_matches('!'));
    [Some(text), given].into_iter().flatten().filter(is_line).map(str::to_owned).collect()
}
