//! Finding the one place that is meant.

/// Where a text stands in another, none overlapping the one before.
pub(crate) fn places(text: &str, wanted: &str) -> Vec<usize> {
    text.match_indices(wanted).map(|(at, _)| at).collect()
}

/// Whether there is a second place, also one that overlaps the first: `aa` in `aaa` does not say which is meant.
pub(crate) fn is_ambiguous(text: &str, wanted: &str, first: usize) -> bool {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    text[first + step..].contains(wanted)
}

/// The number of the line at this place, from 1.
pub(crate) fn line_of(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

/// Line numbers for people: the first few, and how many more.
pub(crate) fn listed(text: &str, places: &[usize]) -> String {
    let mut lines: Vec<usize> = places.iter().take(10).map(|place| line_of(text, *place)).collect();
    lines.dedup();
    let numbers = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    match places.len() {
        0..=10 => numbers,
        count => format!("{numbers} and {} more", count - 10),
    }
}

/// Lines of a text with their numbers as Read shows them, from line `first` (from 1), at most `count`.
pub(crate) fn numbered(text: &str, first: usize, count: usize) -> String {
    let lines = text.lines().enumerate().skip(first - 1).take(count);
    let lines = lines.map(|(index, line)| {
        let cut = line.char_indices().nth(300).map_or(line.len(), |(at, _)| at);
        let rest = if cut < line.len() { " […]" } else { "" };
        format!("{:>6}\t{}{rest}", index + 1, &line[..cut])
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A number of lines in words.
pub(crate) fn lines_of(text: &str) -> String {
    match text.lines().count() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    }
}
