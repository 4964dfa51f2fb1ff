//! Lines that the grammar does not understand: everything in them that could be run, found by separators alone.
//! Deliberately too much: what is found here only ever denies or asks.
//!
//! Leaves to others: lines that are understood (`walk`).

use super::super::text::Wildcard;

/// What a shell takes as more than one plain command.
const SEPARATORS: [char; 12] = [';', '&', '|', '\n', '\r', '`', '<', '>', '(', ')', '{', '}'];
/// Longer lines are no command that a system runs.
const LONGEST: usize = 65_536;
/// As many words as are looked at one by one.
const WORDS: usize = 1_000;

/// Why a line is too much to be looked at, if it is. Such a line is never run, not after a yes either.
pub(super) fn too_much(line: &str, understood: bool) -> Option<String> {
    if line.contains('\0') {
        Some("the command holds a zero byte".to_owned())
    } else if line.len() > LONGEST {
        Some(format!("the command is longer than {LONGEST} bytes"))
    } else if !understood && line.split_whitespace().count() > WORDS {
        Some(format!("the command cannot be parsed, and has more than {WORDS} words"))
    } else {
        None
    }
}

/// Whether a rule matches anything in the line that could be run: the parts between separators, each of them
/// also without its leading words (assignments, wrappers such as `sudo`), unquoted, and by the command's bare
/// name.
pub(super) fn hits(line: &str, rule: &Wildcard) -> bool {
    if rule.matches(line.trim()) {
        return true;
    }
    let plain = line.replace("${IFS}", " ").replace("$IFS", " ");
    let joined = plain.replace("\\\n", "");
    let unquoted: String = joined.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    // Braces part words at commas.
    let braced = if unquoted.contains('{') { unquoted.replace(',', " ") } else { String::new() };
    [plain, joined, unquoted, braced]
        .iter()
        .any(|text| text.split(SEPARATORS).any(|part| hits_part(part, rule)))
}

fn hits_part(part: &str, rule: &Wildcard) -> bool {
    let words: Vec<&str> = part.split_whitespace().take(WORDS).collect();
    (0..words.len()).any(|at| {
        let tail = words[at..].join(" ");
        let base = tail
            .split(' ')
            .next()
            .and_then(|first| first.rsplit_once('/'))
            .map(|(folder, _)| folder.len() + 1);
        rule.matches(&tail) || base.is_some_and(|base| rule.matches(&tail[base..]))
    })
}
