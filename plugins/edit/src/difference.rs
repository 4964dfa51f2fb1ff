//! Differences between two rows of numbers, which stand for lines or for letters. Everything that is compared goes
//! through here as numbers, so that the component holds the algorithm once and not once for each kind of thing.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Replace, myers};
use similar::{DiffOp, diff_ratio};

/// After this a difference need not be the shortest; a longer one is right too.
const PATIENCE: Duration = Duration::from_millis(500);

/// What turns one row into the other.
pub(crate) fn ops(old: &[u32], new: &[u32]) -> Vec<DiffOp> {
    let mut hook = Replace::new(Capture::new());
    let deadline = Instant::now().checked_add(PATIENCE);
    // The hook only collects: it has no error to give.
    let _ = myers::diff_deadline_raw(&mut hook, old, 0..old.len(), new, 0..new.len(), deadline);
    hook.into_inner().into_ops()
}

/// How alike two texts are by their letters: 0 for not at all, 1 for the same.
pub(crate) fn likeness(a: &str, b: &str) -> f32 {
    let letters = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    diff_ratio(&ops(&a, &b), a.len(), b.len())
}

/// Numbers for the lines of two texts: equal lines have the same.
pub(crate) fn numbers<'a>(old: &[&'a str], new: &[&'a str]) -> (Vec<u32>, Vec<u32>) {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut number = |line: &&'a str| {
        let next = known.len() as u32;
        *known.entry(line).or_insert(next)
    };
    let old = old.iter().map(&mut number).collect();
    (old, new.iter().map(number).collect())
}
