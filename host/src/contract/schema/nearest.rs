//! The nearest right spelling of a wrong name: for tools, fields and enumerated values in messages to models.

/// Names longer than this are nobody's slip, and comparing them is not free.
const MAX_NAME: usize = 64;
/// Candidates looked at; more than that is not a list of names.
const MAX_CANDIDATES: usize = 4_096;

/// Those of `candidates` that `name` was most likely meant to be, best first, at most three.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.is_empty() || name.len() > MAX_NAME {
        return Vec::new();
    }
    let folded = fold(name);
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= MAX_NAME)
        .map(|candidate| (likeness(&folded, &fold(candidate)), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .collect();
    scored.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.cmp(right)));
    scored.dedup_by(|(_, a), (_, b)| a == b);
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// From 0 to 1. A name that contains the other whole (`path` for `file_path`) is near, too.
fn likeness(name: &str, candidate: &str) -> f64 {
    let contained =
        name.len().min(candidate.len()) >= 4 && (candidate.contains(name) || name.contains(candidate));
    let typed = strsim::normalized_damerau_levenshtein(name, candidate);
    let begun = strsim::jaro_winkler(name, candidate) - 0.05;
    typed.max(begun).max(if contained { 0.85 } else { 0.0 })
}

/// Case and separators are not what a slip is about: `filePath` is `file_path`.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}
