//! What a call was refused on the network, in the host's own words. A guest may swallow an error or put it
//! badly; the call's result says it all the same.

use std::sync::{Arc, Mutex, PoisonError};

/// More than these say nothing new; a guest that keeps trying must not fill the host's memory.
const KEPT: usize = 16;

/// The refusals of one call, oldest first. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Refusals(Arc<Mutex<Vec<String>>>);

impl Refusals {
    /// Starts an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one, unless it is there already or the list is full.
    pub fn note(&self, text: impl Into<String>) {
        let text = text.into();
        // The list is whole between any two statements, so a poisoned lock guards nothing broken.
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() < KEPT && !list.contains(&text) {
            list.push(text);
        }
    }

    /// What was refused so far: at most 16 different texts.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
