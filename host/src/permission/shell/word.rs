//! Words: quotes, escapes, ANSI-C quotes and braces resolved as far as the text alone allows; what a shell
//! would fill in is marked.
//!
//! Leaves to others: what the commands inside a word do (`walk`), what a word means to a command (`touch`).

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::grammar::children;

/// Values that variables are given in the line itself.
pub(super) type Variables = BTreeMap<String, Vec<String>>;

/// As many words as one word with braces is taken to mean.
const BRACED: usize = 64;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text, and whether it was quoted.
    Text(String, bool),
    /// A variable, what stands for it if it is empty, and whether it was quoted.
    Variable(String, Option<String>, bool),
    /// What a command puts out, or a sum comes to.
    Output,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    /// As it was written.
    pub(super) source: String,
    pub(super) pieces: Vec<Piece>,
}

/// What a word is as a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathText {
    /// One path; `~` at its start stands for the home folder.
    Known(String),
    /// Several below this folder, by wildcards.
    Below(String),
    /// Not told by the text.
    Unknown,
}

impl Word {
    /// A word that is what it says.
    pub(super) fn plain(text: &str) -> Self {
        Self { source: text.to_owned(), pieces: vec![Piece::Text(text.to_owned(), true)] }
    }

    /// Reads a word from the tree.
    pub(super) fn read(node: Node<'_>, text: &str) -> Self {
        let source = text[node.byte_range()].replace("\\\n", "");
        let mut word = Self { source, pieces: Vec::new() };
        word.add(node, text, false);
        word
    }

    fn add(&mut self, node: Node<'_>, text: &str, quoted: bool) {
        let said = &text[node.byte_range()];
        match node.kind() {
            "command_name" | "concatenation" => {
                for child in children(node) {
                    self.add(child, text, quoted);
                }
            }
            "translated_string" => {
                let inner = children(node).into_iter().filter(|child| child.kind() == "string");
                inner.for_each(|child| self.add(child, text, quoted));
            }
            "raw_string" => {
                let inner = said.strip_prefix('\'').and_then(|said| said.strip_suffix('\''));
                self.pieces.push(Piece::Text(inner.unwrap_or(said).to_owned(), true));
            }
            "ansi_c_string" => {
                let inner = said.strip_prefix("$'").and_then(|said| said.strip_suffix('\''));
                self.pieces.push(Piece::Text(ansi_c(inner.unwrap_or(said)), true));
            }
            "string" => self.add_string(node, text),
            "simple_expansion" => {
                let name = said.trim_start_matches('$').to_owned();
                self.pieces.push(Piece::Variable(name, None, quoted));
            }
            "expansion" => self.pieces.push(expansion(said, quoted)),
            "command_substitution" | "process_substitution" | "arithmetic_expansion" => {
                self.pieces.push(Piece::Output);
            }
            _ => self.add_plain(said),
        }
    }

    /// Text outside quotes, where a backslash quotes what follows it.
    fn add_plain(&mut self, said: &str) {
        let mut chars = said.chars();
        let mut run = String::new();
        while let Some(c) = chars.next() {
            if c != '\\' {
                run.push(c);
                continue;
            }
            if !run.is_empty() {
                self.pieces.push(Piece::Text(std::mem::take(&mut run), false));
            }
            match chars.next() {
                Some('\n') => {}
                Some(c) => self.pieces.push(Piece::Text(c.to_string(), true)),
                None => self.pieces.push(Piece::Text("\\".to_owned(), true)),
            }
        }
        if !run.is_empty() {
            self.pieces.push(Piece::Text(run, false));
        }
    }

    /// Text in double quotes. What lies between two children is text as well.
    fn add_string(&mut self, node: Node<'_>, text: &str) {
        let range = node.byte_range();
        let mut at = range.start + 1;
        let end = if range.end > at { range.end - 1 } else { range.end };
        let expansions = ["simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"];
        self.pieces.push(Piece::Text(String::new(), true));
        for child in children(node).into_iter().filter(|child| expansions.contains(&child.kind())) {
            self.pieces
                .push(Piece::Text(double_quoted(text.get(at..child.start_byte()).unwrap_or("")), true));
            self.add(child, text, true);
            at = child.end_byte();
        }
        self.pieces.push(Piece::Text(double_quoted(text.get(at..end).unwrap_or("")), true));
    }

    /// The text, where it is what it says: no expansion, no wildcard, no brace, no tilde.
    pub(super) fn literal(&self) -> Option<String> {
        if self.has_wildcard() || self.has_tilde() || self.pieces.contains(&Piece::Output) {
            return None;
        }
        let mut whole = String::new();
        for piece in &self.pieces {
            let Piece::Text(text, _) = piece else { return None };
            whole.push_str(text);
        }
        Some(whole)
    }

    /// Whether a shell would fill something in.
    pub(super) fn is_dynamic(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece, Piece::Text(..)))
    }

    /// Whether an unquoted wildcard or brace is in it.
    pub(super) fn has_wildcard(&self) -> bool {
        self.pieces.iter().any(|piece| {
            matches!(piece, Piece::Text(text, false) if text.contains(['*', '?', '[', '{']) || text.contains("+(") || text.contains("@("))
        })
    }

    /// Whether what is filled in could be several words, or none.
    pub(super) fn may_split(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Text(..) => false,
            Piece::Variable(name, _, quoted) => !quoted || name.starts_with(['@', '*']) || name.contains('['),
            Piece::Output => !self.source.starts_with('"'),
        })
    }

    fn has_tilde(&self) -> bool {
        matches!(self.pieces.first(), Some(Piece::Text(text, false)) if text.starts_with('~'))
    }

    /// The words that this could come to, so that what is denied is found: variables by the values that the
    /// line gives them, else empty.
    pub(super) fn could_be(&self, variables: &Variables) -> Vec<String> {
        let mut chars: Vec<(char, bool)> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text, quoted) => chars.extend(text.chars().map(|c| (c, *quoted))),
                Piece::Variable(name, default, quoted) => {
                    let value = match (name.as_str(), variables.get(name)) {
                        ("IFS", None) => " ".to_owned(),
                        (_, Some(values)) => values.join(" "),
                        (_, None) => default.clone().unwrap_or_default(),
                    };
                    chars.extend(value.chars().map(|c| (if c == ' ' && !quoted { '\0' } else { c }, true)));
                }
                Piece::Output => {}
            }
        }
        let mut words = Vec::new();
        for braced in braces(&chars) {
            let text: String = braced.iter().map(|(c, _)| *c).collect();
            words.extend(text.split('\0').map(str::to_owned));
        }
        words
    }

    /// What it is as a path, with the values that the line itself gives to variables if there is one each.
    pub(super) fn path(&self, home_known: bool) -> PathText {
        let mut whole = String::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text, quoted) => {
                    let tilde = !quoted && whole.is_empty() && text.starts_with('~');
                    if tilde && (!home_known || !(text == "~" || text.starts_with("~/"))) {
                        return PathText::Unknown;
                    }
                    // Only an unquoted tilde stands for the home folder.
                    if !tilde && whole.is_empty() && text.starts_with('~') {
                        whole.push_str("./");
                    }
                    if let Some(found) = (!quoted).then(|| text.find(['*', '?', '[', '{'])).flatten() {
                        whole.push_str(&text[..found]);
                        let folder = whole.rfind('/').map_or("", |slash| &whole[..=slash]);
                        return PathText::Below(if folder.is_empty() {
                            ".".to_owned()
                        } else {
                            folder.to_owned()
                        });
                    }
                    whole.push_str(text);
                }
                Piece::Variable(name, None, _)
                    if matches!(name.as_str(), "HOME" | "PWD") && whole.is_empty() && home_known =>
                {
                    let folder = if name == "HOME" { '~' } else { '.' };
                    let follows = self.pieces[at + 1..]
                        .iter()
                        .find(|piece| !matches!(piece, Piece::Text(text, _) if text.is_empty()));
                    match follows {
                        None => whole.push(folder),
                        Some(Piece::Text(text, _)) if text.starts_with('/') => whole.push(folder),
                        _ => return PathText::Unknown,
                    }
                }
                _ => return PathText::Unknown,
            }
        }
        PathText::Known(whole)
    }
}

fn expansion(said: &str, quoted: bool) -> Piece {
    let inner = said.strip_prefix("${").and_then(|said| said.strip_suffix('}')).unwrap_or(said);
    let name: String = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let rest = &inner[name.len()..];
    if rest.is_empty() {
        return Piece::Variable(name, None, quoted);
    }
    // `${x:-word}`, `${x:=word}`, `${x:+word}`: it may come to the word.
    let word = rest.trim_start_matches(':').strip_prefix(['-', '=', '+']).unwrap_or_default();
    let plain: String = word.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let name = if name.is_empty() { inner.to_owned() } else { name };
    Piece::Variable(name, Some(plain), quoted)
}

fn double_quoted(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => out.push(c),
            Some(c) => out.extend(['\\', c]),
            None => out.push('\\'),
        }
    }
    out
}

/// What stands in `$'…'`.
fn ansi_c(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(c) = chars.next() else { break };
        let mut digits = |radix: u32, most: usize, first: Option<char>| -> Option<char> {
            let mut number = first.and_then(|first| first.to_digit(radix));
            let mut left = most - usize::from(first.is_some());
            while left > 0
                && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
            {
                number = Some(number.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
                chars.next();
                left -= 1;
            }
            number.and_then(char::from_u32)
        };
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'e' | 'E' => out.push('\u{1b}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            'x' => out.extend(digits(16, 2, None)),
            'u' => out.extend(digits(16, 4, None)),
            'U' => out.extend(digits(16, 8, None)),
            'c' => {
                let control = chars.next().and_then(|c| char::from_u32(u32::from(c) & 0x1f));
                out.extend(control);
            }
            '0'..='7' => out.extend(digits(8, 3, Some(c))),
            '\\' | '\'' | '"' | '?' => out.push(c),
            other => out.extend(['\\', other]),
        }
    }
    // A zero byte ends the text.
    out.split('\0').next().unwrap_or_default().to_owned()
}

/// What braces expand to: `a{b,c}` and `{a..c}`.
fn braces(chars: &[(char, bool)]) -> Vec<Vec<(char, bool)>> {
    let mut done = Vec::new();
    let mut ahead = vec![chars.to_vec()];
    while let Some(word) = ahead.pop() {
        let choices = if done.len() + ahead.len() < BRACED { first_brace(&word) } else { None };
        match choices {
            None => done.push(word),
            // The first choice is looked at first.
            Some(choices) => ahead.extend(choices.into_iter().rev()),
        }
    }
    done
}

fn first_brace(word: &[(char, bool)]) -> Option<Vec<Vec<(char, bool)>>> {
    let open = |at: usize, c: char| word.get(at) == Some(&(c, false));
    for start in (0..word.len()).filter(|at| open(*at, '{')) {
        let (mut depth, mut commas, mut end) = (0, vec![start], None);
        for at in start..word.len() {
            if open(at, '{') {
                depth += 1;
            } else if open(at, '}') {
                depth -= 1;
                if depth == 0 {
                    end = Some(at);
                    break;
                }
            } else if open(at, ',') && depth == 1 {
                commas.push(at);
            }
        }
        let Some(end) = end else { continue };
        let whole = |middle: &[(char, bool)]| [&word[..start], middle, &word[end + 1..]].concat();
        if commas.len() > 1 {
            commas.push(end);
            return Some(commas.windows(2).map(|pair| whole(&word[pair[0] + 1..pair[1]])).collect());
        }
        if let [(from, _), ('.', false), ('.', false), (to, _)] = &word[start + 1..end]
            && from.is_ascii()
            && to.is_ascii()
        {
            let (low, high) = (*from.min(to), *from.max(to));
            return Some((low..=high).map(|c| whole(&[(c, false)])).collect());
        }
    }
    None
}
