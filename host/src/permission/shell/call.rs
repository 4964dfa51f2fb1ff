//! What a simple command calls: for allow rules, what is left once the few wrappers that everybody knows are
//! taken off; for deny and ask rules, everything behind any wrapper, in any spelling.
//!
//! Leaves to others: the simple commands (`walk`), the rules themselves (`rule`).

use super::super::text::Wildcard;
use super::inert::{is_inert, is_safe_variable};
use super::walk::Simple;
use super::word::{Variables, Word};

/// As many words as are tried one by one for what they could run.
pub(super) const WORDS: usize = 200;

/// One word as it could come out.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) text: String,
    pub(super) word: Word,
}

/// One command that could be called, in the spellings that deny and ask rules are matched against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Call {
    texts: Vec<String>,
    /// The command's bare name, and what is no flag; with and without what may be a flag's value.
    bare: Vec<String>,
    flags: Vec<String>,
    /// A name with wildcards, which a shell would fill in, and what follows it.
    globbed: Option<(String, String)>,
}

/// Texts of a command that an allow rule may match, and where in its words the innermost command begins.
pub(super) struct Plain {
    pub(super) texts: Vec<String>,
    pub(super) inner: usize,
    /// Whether only variables are set that change nothing.
    pub(super) clean: bool,
}

/// The words as they could come out: a variable may be several, or none.
pub(super) fn items(words: &[Word], variables: &Variables) -> Vec<Item> {
    let mut items = Vec::new();
    for word in words {
        match word.could_be(variables).as_slice() {
            [text] => items.push(Item { text: text.clone(), word: word.clone() }),
            texts => {
                items.extend(texts.iter().map(|text| Item { text: text.clone(), word: Word::plain(text) }))
            }
        }
    }
    items
}

/// The last part of a command's path.
pub(super) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// What an allow rule sees.
pub(super) fn plain(simple: &Simple) -> Plain {
    let words = &simple.words;
    let clean = simple.assignments.iter().all(|(name, _)| is_safe_variable(name));
    let mut plain = Plain { texts: Vec::new(), inner: 0, clean };
    let given: String =
        simple.assignments.iter().map(|(name, value)| format!("{name}={} ", value.source)).collect();
    let mut at = 0;
    loop {
        // What is called must stand in the text, and be one word.
        let named = words.get(at).and_then(Word::literal);
        let Some(name) = named.filter(|name| !name.is_empty() && !name.chars().any(char::is_whitespace))
        else {
            break;
        };
        plain.inner = at;
        let said: Vec<&str> = words[at..].iter().map(|word| word.source.as_str()).collect();
        let said = said.join(" ");
        if at == 0 && !given.is_empty() {
            plain.texts.push(format!("{given}{said}"));
        }
        if clean {
            plain.texts.push(said);
            plain.texts.extend(simply(&words[at..]));
        }
        match wrapper(&name, &words[at + 1..]) {
            Some(next) if clean => at += 1 + next,
            _ => break,
        }
    }
    plain.texts.dedup();
    plain
}

/// Words joined, if what joins them also parts them.
fn simply(words: &[Word]) -> Option<String> {
    let odd = |c: char| c.is_whitespace() || "'\"\\$`;&|<>(){}*?[]#!~".contains(c);
    let texts: Option<Vec<String>> = words
        .iter()
        .map(|word| word.literal().filter(|text| !text.is_empty() && !text.contains(odd)))
        .collect();
    texts.map(|texts| texts.join(" "))
}

/// How many words after a wrapper's name belong to it, where it only runs the rest as it stands.
fn wrapper(name: &str, rest: &[Word]) -> Option<usize> {
    let word = |at: usize| rest.get(at).and_then(Word::literal);
    let mut at = 0;
    let mut flags = |valued: &[&str], bare: &[&str]| -> Option<()> {
        while let Some(flag) = word(at).filter(|flag| flag.starts_with('-')) {
            if valued.contains(&flag.as_str()) {
                word(at + 1)?;
                at += 2;
            } else if bare.contains(&flag.as_str())
                || valued.iter().any(|known| {
                    known.len() == 2 && flag.starts_with(known) || flag.starts_with(&format!("{known}="))
                })
            {
                at += 1;
            } else {
                return None;
            }
        }
        Some(())
    };
    match name {
        "timeout" => {
            flags(
                &["-k", "-s", "--kill-after", "--signal"],
                &["--foreground", "--preserve-status", "-v", "--verbose", "-f", "-p"],
            )?;
            let duration = word(at)?;
            let number = duration.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(&duration);
            if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
                return None;
            }
            at += 1;
        }
        "nice" => {
            flags(&["-n", "--adjustment"], &[])?;
            if let Some(flag) = word(at) {
                at += usize::from(flag.starts_with('-') && flag[1..].bytes().all(|b| b.is_ascii_digit()));
            }
        }
        "stdbuf" => flags(&["-i", "-o", "-e", "--input", "--output", "--error"], &[])?,
        "time" | "command" => flags(&[], &["-p"])?,
        "nohup" | "builtin" | "noglob" | "xargs" => {}
        _ => return None,
    }
    let next = word(at)?;
    (!next.starts_with('-')).then_some(at)
}

/// Where in the words a command could begin.
pub(super) fn starts(items: &[Item]) -> Vec<usize> {
    let inert = items.first().is_some_and(|first| is_inert(base(&first.text), items));
    if inert || items.is_empty() {
        (0..items.len().min(1)).collect()
    } else {
        (0..items.len().min(WORDS)).collect()
    }
}

impl Call {
    /// The call that begins with the first of `items`.
    pub(super) fn of(items: &[Item]) -> Option<Self> {
        let first = items.first()?;
        let name = base(&first.text).to_owned();
        let rest: Vec<&str> = items[1..].iter().map(|item| item.text.as_str()).collect();
        let joined = |name: &str, rest: &[&str]| {
            let mut text = name.to_owned();
            for word in rest {
                text.push(' ');
                text.push_str(word);
            }
            text
        };
        let mut texts = vec![joined(&first.text, &rest), joined(&name, &rest)];
        let sources: Vec<&str> = items[1..].iter().map(|item| item.word.source.as_str()).collect();
        texts.push(joined(&first.word.source, &sources));
        texts.push(joined(&name, &sources));
        let mut bare = vec![joined(&name, &operands(&rest))];
        // Options before what a rule names next, with and without a value.
        let mut after_flag = false;
        for (at, word) in rest.iter().enumerate().take(8) {
            let flag = word.starts_with('-') && word.len() > 1;
            if !flag && !after_flag {
                break;
            }
            after_flag = flag;
            texts.push(joined(&name, &rest[at + 1..]));
            bare.push(joined(&name, &operands(&rest[at + 1..])));
        }
        let given = rest.iter().take_while(|word| **word != "--").filter(|word| is_flag(word));
        let flags = given.map(|flag| (*flag).to_owned()).collect();
        texts.extend(bare.iter().cloned());
        texts.sort_unstable();
        texts.dedup();
        let globbed = first.word.has_wildcard().then(|| (name, joined("", &rest)));
        Some(Self { texts, bare, flags, globbed })
    }

    /// Whether a rule that denies or asks is meant by this call.
    pub(super) fn hit(&self, rule: &Wildcard) -> bool {
        if self.texts.iter().any(|text| rule.matches(text)) {
            return true;
        }
        if let Some((flags, rest)) = rule.flags()
            && self.bare.iter().any(|bare| rest.matches(bare))
            && flags.iter().all(|flag| self.has(flag))
        {
            return true;
        }
        // `/bin/r?`: a shell may find what the rule names.
        self.globbed.as_ref().is_some_and(|(glob, rest)| {
            let name = rule.first_word();
            let fits = globset::Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(name));
            fits && rule.matches(&format!("{name}{rest}"))
        })
    }

    /// Whether a flag is given, in a cluster, abbreviated or in its other length.
    fn has(&self, wanted: &str) -> bool {
        if self.flags.iter().any(|flag| flag == wanted) {
            return true;
        }
        if let Some(long) = wanted.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            return self.has_long(name, value)
                || value.is_none() && letters_of(name).chars().any(|letter| self.has_letter(letter));
        }
        wanted[1..].chars().all(|letter| {
            self.has_letter(letter)
                || LONG.iter().any(|(name, letters)| letters.contains(letter) && self.has_long(name, None))
        })
    }

    fn has_letter(&self, letter: char) -> bool {
        let other = match letter {
            'r' => 'R',
            'R' => 'r',
            letter => letter,
        };
        self.flags
            .iter()
            .filter(|flag| !flag.starts_with("--"))
            .any(|flag| flag[1..].contains([letter, other]))
    }

    fn has_long(&self, name: &str, value: Option<&str>) -> bool {
        self.flags.iter().filter_map(|flag| flag.strip_prefix("--")).any(|flag| {
            let (given, with) =
                flag.split_once('=').map_or((flag, None), |(given, with)| (given, Some(with)));
            // Long options may be cut short.
            let named = given == name || given.len() >= 2 && name.starts_with(given);
            named && (value.is_none() || value == with)
        })
    }
}

fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// What is no flag.
fn operands<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let ended = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let (before, after) = words.split_at(ended);
    let before = before.iter().filter(|word| !is_flag(word));
    before.chain(after.iter().skip(1)).copied().collect()
}

/// Long options and their letters, whatever the command.
const LONG: [(&str, &str); 20] = [
    ("recursive", "rR"),
    ("force", "f"),
    ("interactive", "i"),
    ("verbose", "v"),
    ("all", "a"),
    ("archive", "a"),
    ("in-place", "i"),
    ("output", "o"),
    ("parents", "p"),
    ("request", "X"),
    ("data", "d"),
    ("upload-file", "T"),
    ("yes", "y"),
    ("global", "g"),
    ("user", "u"),
    ("eval", "e"),
    ("command", "c"),
    ("message", "m"),
    ("set-upstream", "u"),
    ("delete", "dD"),
];

fn letters_of(name: &str) -> &'static str {
    LONG.iter().find(|(long, _)| *long == name).map_or("", |(_, letters)| letters)
}
