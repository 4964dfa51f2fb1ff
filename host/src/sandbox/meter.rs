//! Counts what one instance uses: all its memories and tables against one cap, whatever their number.

use wasmtime::ResourceLimiter;

/// Bytes that one table element is taken to cost.
const TABLE_ELEMENT: usize = 8;

/// The meter of one instance.
#[derive(Debug)]
pub(super) struct Meter {
    cap: usize,
    used: usize,
    /// What was wanted when the cap was hit; explains the trap that usually follows.
    refused: Option<usize>,
}

impl Meter {
    pub(super) fn new(cap: u64) -> Self {
        Self { cap: usize::try_from(cap).unwrap_or(usize::MAX), used: 0, refused: None }
    }

    /// Bytes in use when more were refused.
    pub(super) fn refused(&self) -> Option<usize> {
        self.refused
    }

    /// Bytes that may be used.
    pub(super) fn cap(&self) -> usize {
        self.cap
    }

    fn grow(&mut self, by: usize) -> bool {
        match self.used.checked_add(by).filter(|wanted| *wanted <= self.cap) {
            Some(wanted) => {
                self.used = wanted;
                true
            }
            None => {
                self.refused = Some(self.used.saturating_add(by));
                false
            }
        }
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // What the memory's own maximum forbids fails without our help, and costs nothing.
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.grow(desired.saturating_sub(current)))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.grow(desired.saturating_sub(current).saturating_mul(TABLE_ELEMENT)))
    }
}
