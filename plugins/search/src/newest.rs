//! Files by time of modification, the newest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::SystemTime;

/// Keeps the newest of the files it is given, and counts all.
pub(crate) struct Newest {
    most: usize,
    kept: BinaryHeap<Reverse<(SystemTime, Reverse<String>)>>,
    total: usize,
}

impl Newest {
    /// Keeps at most so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new(), total: 0 }
    }

    /// Takes one file.
    pub(crate) fn add(&mut self, modified: Option<SystemTime>, name: String) {
        self.total += 1;
        self.kept.push(Reverse((modified.unwrap_or(SystemTime::UNIX_EPOCH), Reverse(name))));
        if self.kept.len() > self.most {
            self.kept.pop();
        }
    }

    /// How many there were.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// Those kept: the newest first, those of the same time by name.
    pub(crate) fn names(self) -> Vec<String> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(name)))| name).collect()
    }
}
