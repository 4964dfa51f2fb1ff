//! Command lines without a shell grammar: an allow rule is matched against a line that can only be one plain
//! command; deny and ask rules against everything that could be a command in it.
//!
//! Leaves to others: understanding the shell (a grammar replaces [`parts`]; the callers stay).

/// What a shell takes as more than one plain command.
const SEPARATORS: [char; 12] = [';', '&', '|', '\n', '\r', '`', '<', '>', '(', ')', '{', '}'];
/// Longer lines are asked for, unseen: bytes, words, parts between separators.
const LONGEST: (usize, usize, usize) = (10_000, 1_000, 50);

/// Whether a shell could see more in the line than one plain command.
pub(super) fn is_compound(line: &str) -> bool {
    line.contains(SEPARATORS)
}

/// Why a line is too much to be ruled on, if it is. Such a line is never run by a rule, nor after a yes.
pub(super) fn too_much(line: &str) -> Option<String> {
    let (bytes, words, parts) = LONGEST;
    if line.contains('\0') {
        Some("the command holds a zero byte".to_owned())
    } else if line.len() > bytes {
        Some(format!("the command is longer than {bytes} bytes"))
    } else if line.split_whitespace().count() > words {
        Some(format!("the command has more than {words} words"))
    } else if line.split(SEPARATORS).filter(|part| !part.trim().is_empty()).count() > parts {
        Some(format!("the command has more than {parts} parts"))
    } else {
        None
    }
}

/// Everything in the line that could be run: the parts between separators, each of them also without its
/// leading words (assignments, wrappers such as `sudo`), unquoted, and by the command's bare name.
/// Deliberately too much: what is made of these only ever denies or asks.
pub(super) fn parts(line: &str) -> Vec<String> {
    let mut found = vec![line.trim().to_owned()];
    let plain = line.replace("${IFS}", " ").replace("$IFS", " ");
    let unquoted: String =
        plain.replace("\\\n", "").chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    for text in [plain.as_str(), unquoted.as_str()] {
        for part in text.split(SEPARATORS) {
            let words: Vec<&str> = part.split_whitespace().collect();
            for at in 0..words.len() {
                let Some(first) = words.get(at) else { continue };
                let tail = words[at..].join(" ");
                if let Some((_, name)) = first.rsplit_once('/').filter(|(_, name)| !name.is_empty()) {
                    let rest = &tail[first.len()..];
                    found.push(format!("{name}{rest}"));
                }
                found.push(tail);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
