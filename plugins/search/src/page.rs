//! The part of all entries (lines, paths, counts) that is shown: some left out first, then so many.

/// Bytes of entries that are kept, whatever the limit.
const MOST: usize = 8 << 20;

/// Takes entries in order and keeps those of its part.
pub(crate) struct Page {
    offset: usize,
    limit: Option<usize>,
    seen: usize,
    size: usize,
    kept: Vec<String>,
    cut: bool,
}

impl Page {
    /// Leaves out `offset` entries, then keeps `limit`, or all.
    pub(crate) fn new(offset: usize, limit: Option<usize>) -> Self {
        Self { offset, limit, seen: 0, size: 0, kept: Vec::new(), cut: false }
    }

    /// Takes one entry.
    pub(crate) fn add(&mut self, entry: String) {
        self.seen += 1;
        if self.seen <= self.offset {
            return;
        }
        if self.limit.is_some_and(|limit| self.kept.len() >= limit) || self.size + entry.len() > MOST {
            self.cut = true;
            return;
        }
        self.size += entry.len();
        self.kept.push(entry);
    }

    /// How many entries it still takes to know whether some follow.
    pub(crate) fn room(&self) -> usize {
        let end = self.limit.map_or(usize::MAX, |limit| self.offset.saturating_add(limit).saturating_add(1));
        if self.cut { 0 } else { end.saturating_sub(self.seen) }
    }

    /// The entries shown.
    pub(crate) fn kept(&self) -> &[String] {
        &self.kept
    }

    /// How many entries came by, shown or not.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// Says how to see what follows, if something does.
    pub(crate) fn note_if(&self, more: bool) -> Option<String> {
        more.then(|| {
            format!(
                "[{} entries are shown and more follow: go on with offset {}, or make the search narrower]",
                self.kept.len(),
                self.offset + self.kept.len()
            )
        })
    }
}
