//! What calls of one session share: which files were read and how they looked, and each plugin's part of the
//! shared context.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::contract::bytes;
use crate::sandbox::{KnownFile, Seen};

/// Bytes of JSON that one plugin's part of the shared context may come to.
const MAX_CONTEXT: usize = 1 << 20;

/// One session's memory. Recorded from what sandboxes really read, never from what tools say.
#[derive(Debug, Default)]
pub struct SessionMemory {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    files: HashMap<PathBuf, KnownFile>,
    contexts: HashMap<String, Value>,
}

impl SessionMemory {
    /// Remembers what a call read and wrote.
    pub fn saw(&self, seen: Vec<Seen>) {
        let mut inner = self.lock();
        for file in seen {
            let known = KnownFile {
                modified: file.modified_ns,
                digest: file.digest.unwrap_or_default(),
                whole: file.whole,
            };
            inner.files.insert(file.path, known);
        }
    }

    /// What is known of these files, by the spelling they are asked for with.
    #[must_use]
    pub fn known(
        &self,
        spellings: impl IntoIterator<Item = (String, PathBuf)>,
    ) -> BTreeMap<String, KnownFile> {
        let inner = self.lock();
        let known = spellings.into_iter().filter_map(|(spelling, real)| {
            let known = inner.files.get(&real)?;
            Some((spelling, known.clone()))
        });
        known.collect()
    }

    /// Whether any file was seen at all; the common first call need not look any up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().files.is_empty()
    }

    /// A plugin's part of the shared context.
    #[must_use]
    pub fn context(&self, plugin: &str) -> Value {
        self.lock().contexts.get(plugin).cloned().unwrap_or_default()
    }

    /// Applies a merge patch (RFC 7396) to a plugin's part.
    ///
    /// # Errors
    /// The part would be larger than the host keeps; it stays what it was.
    pub fn patch(&self, plugin: &str, patch: &Value) -> Result<(), String> {
        let mut inner = self.lock();
        let mut merged = inner.contexts.get(plugin).cloned().unwrap_or_default();
        merge(&mut merged, patch);
        let size = merged.to_string().len();
        if size > MAX_CONTEXT {
            let (size, most) = (bytes(size as u64), bytes(MAX_CONTEXT as u64));
            return Err(format!(
                "the shared context of this plugin was left as it was: it would have {size}, and {most} is the most"
            ));
        }
        inner.contexts.insert(plugin.to_owned(), merged);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// RFC 7396, section 2.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Value::Object(target) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            target.remove(name);
        } else {
            merge(target.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}
