//! The place of a file most like a text that is not in it.

use crate::difference::likeness;

/// Lines that are compared letter by letter; the rest are ruled out by counting letters.
const CLOSER_LOOK: usize = 40;

/// Letters of a line that are compared.
const LETTERS: usize = 300;

/// The number of the first line of that place, if it is like the text at all.
pub(crate) fn line(text: &str, old: &str) -> Option<usize> {
    // The longest line of the text says most about where it belongs.
    let (above, longest) = old.lines().map(str::trim).enumerate().max_by_key(|(_, line)| line.len())?;
    let longest = start(longest);
    if longest.len() < 4 {
        return None;
    }
    let letters = count(longest);
    let mut candidates: Vec<(usize, usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index, start(line.trim())))
        .map(|(index, line)| {
            (in_common(&letters, &count(line)) * 2_000 / (longest.len() + line.len()), index, line)
        })
        .filter(|(likeness, ..)| *likeness >= 600)
        .collect();
    candidates.sort_by_key(|(likeness, index, _)| (std::cmp::Reverse(*likeness), *index));
    candidates.truncate(CLOSER_LOOK);
    let compared = candidates.into_iter().map(|(_, index, line)| (likeness(longest, line), index));
    let best =
        compared.filter(|(ratio, _)| *ratio >= 0.6).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    Some(best.1.saturating_sub(above) + 1)
}

fn start(line: &str) -> &str {
    line.char_indices().nth(LETTERS).map_or(line, |(at, _)| &line[..at])
}

fn count(line: &str) -> [u16; 256] {
    let mut letters = [0; 256];
    for byte in line.bytes() {
        letters[usize::from(byte)] += 1;
    }
    letters
}

fn in_common(a: &[u16; 256], b: &[u16; 256]) -> usize {
    a.iter().zip(b).map(|(a, b)| usize::from(*a.min(b))).sum()
}
