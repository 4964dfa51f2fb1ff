//! One form of `sed -i`, done by the tool itself: `sed -i 's/text/text/g' FILE`, with a text and no pattern. What it
//! would do can then be shown before anyone is asked, and what is written is what was shown. Whatever is more than
//! that is left to sed.

use std::fmt::Write as _;

/// Letters that mean something in a pattern, in one of sed's two languages.
const SPECIAL: &[char] = &['[', ']', '*', '.', '^', '$', '+', '?', '(', ')', '{', '}', '|'];
/// Unchanged lines shown around a change.
const AROUND: usize = 2;
/// Lines of a difference that are shown.
const SHOWN: usize = 400;

/// A replacement in each line of one file.
#[derive(Debug, PartialEq)]
pub(crate) struct Edit {
    /// As the line has it.
    pub(crate) file: String,
    find: String,
    replace: String,
    at_start: bool,
    at_end: bool,
    all: bool,
}

impl Edit {
    /// The edit that a line is, if it is of the one form.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words = words(line)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (script, file) = match words.as_slice() {
            ["sed" | "/bin/sed" | "/usr/bin/sed", "-i", script, file]
            | ["sed" | "/bin/sed" | "/usr/bin/sed", "-i", "-e", script, file] => (*script, *file),
            _ => return None,
        };
        if file.is_empty() || file.starts_with('-') || script.contains('\n') {
            return None;
        }
        let mut letters = script.strip_prefix('s')?.chars();
        let end = letters.next().filter(|end| !end.is_alphanumeric() && !"\\& ".contains(*end))?;
        // Escaped, such a delimiter could mean two things.
        if SPECIAL.contains(&end) && (end != '|' || script.contains('\\')) {
            return None;
        }
        let (find, at_start, at_end) = pattern(&part(&mut letters, end)?)?;
        let replace = replacement(&part(&mut letters, end)?, &find, end)?;
        let all = match letters.as_str() {
            "" => false,
            "g" => true,
            _ => return None,
        };
        Some(Self { file: file.to_owned(), find, replace, at_start, at_end, all })
    }

    /// The content as it becomes.
    pub(crate) fn apply(&self, content: &[u8]) -> Vec<u8> {
        let mut after = Vec::with_capacity(content.len());
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            let (body, newline) = match line.split_last() {
                Some((b'\n', body)) => (body, true),
                _ => (line, false),
            };
            self.line(body, &mut after);
            after.extend(newline.then_some(b'\n'));
        }
        after
    }

    fn line(&self, body: &[u8], after: &mut Vec<u8>) {
        let (find, mut from) = (self.find.as_bytes(), 0);
        loop {
            let rest = &body[from..];
            let found = match (self.at_start, self.at_end) {
                (true, true) => (from == 0 && rest == find).then_some(0),
                (true, false) => (from == 0 && rest.starts_with(find)).then_some(0),
                (false, true) => rest.ends_with(find).then(|| rest.len() - find.len()),
                (false, false) => rest.windows(find.len()).position(|window| window == find),
            };
            let Some(at) = found else { break };
            after.extend_from_slice(&rest[..at]);
            after.extend_from_slice(self.replace.as_bytes());
            from += at + find.len();
            if !self.all || self.at_start || self.at_end {
                break;
            }
        }
        after.extend_from_slice(&body[from..]);
    }
}

/// The lines that differ between two contents with the same number of lines, with some around them; and how many.
pub(crate) fn difference(shown: &str, before: &[u8], after: &[u8]) -> (String, usize) {
    let lines = |content: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(content).into_owned();
        text.lines().map(str::to_owned).collect()
    };
    let (old, new) = (lines(before), lines(after));
    let changed: Vec<usize> = (0..old.len().min(new.len())).filter(|at| old[*at] != new[*at]).collect();
    let mut text = format!("--- {shown}\n+++ {shown}\n");
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        let near = rest.windows(2).take_while(|pair| pair[1] - pair[0] <= 2 * AROUND).count();
        let (group, later) = rest.split_at(near + 1);
        rest = later;
        let start = first.saturating_sub(AROUND);
        let end = (group.last().unwrap_or(first) + AROUND + 1).min(old.len());
        let _ = writeln!(text, "@@ -{0},{1} +{0},{1} @@", start + 1, end - start);
        for at in start..end {
            let _ = if group.contains(&at) {
                writeln!(text, "-{}\n+{}", old[at], new[at])
            } else {
                writeln!(text, " {}", old[at])
            };
        }
        if text.lines().count() > SHOWN {
            let _ = writeln!(text, "[{} more changed lines are not shown]", rest.len());
            break;
        }
    }
    (text, changed.len())
}

/// Up to the next delimiter that is not escaped; escapes stay.
fn part(letters: &mut std::str::Chars<'_>, end: char) -> Option<String> {
    let mut part = String::new();
    loop {
        match letters.next()? {
            letter if letter == end => return Some(part),
            '\\' => {
                let escaped = letters.next()?;
                if escaped != end {
                    part.push('\\');
                }
                part.push(escaped);
            }
            letter => part.push(letter),
        }
    }
}

/// The text of a pattern that is only that, and whether it is bound to the beginning or the end of the line.
fn pattern(pattern: &str) -> Option<(String, bool, bool)> {
    let (rest, at_start) = pattern.strip_prefix('^').map_or((pattern, false), |rest| (rest, true));
    let bound = rest.ends_with('$') && !rest.ends_with("\\$");
    let rest = if bound { &rest[..rest.len() - 1] } else { rest };
    let mut text = String::new();
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // Escaped, these are themselves; others become something else.
            '\\' => text.push(letters.next().filter(|letter| "\\.*[]^$".contains(*letter))?),
            letter if SPECIAL.contains(&letter) => return None,
            letter => text.push(letter),
        }
    }
    (at_start || bound || !text.is_empty()).then_some((text, at_start, bound))
}

/// What a match becomes.
fn replacement(replacement: &str, matched: &str, end: char) -> Option<String> {
    // An escaped delimiter that means something itself has lost its escape.
    if end == '&' {
        return None;
    }
    let mut text = String::new();
    let mut letters = replacement.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '&' => text.push_str(matched),
            '\\' => text.push(letters.next().filter(|letter| "\\&".contains(*letter))?),
            letter => text.push(letter),
        }
    }
    Some(text)
}

/// The words of a line in which the shell changes nothing but quotes; `None` for any other.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '$' | '`' | '\\' | '!' if letter == '"' => return None,
                        inside => word.push(inside),
                    }
                }
            }
            plain if plain.is_alphanumeric() || "_-./,:+@%=".contains(plain) => {
                word.get_or_insert_default().push(plain);
            }
            _ => return None,
        }
    }
    words.extend(word);
    Some(words)
}
