//! The pool: every tool there is, in the stable order a model is shown them, and those that are there but
//! cannot be called, with the reason.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::tool::Tool;
use crate::permission::RuleRef;

/// The tools of one assembly. Never changes; a reload makes a new one.
#[derive(Debug, Default)]
pub struct Pool {
    pub(super) entries: Vec<Entry>,
    pub(super) tools: Vec<Arc<Tool>>,
    /// Present and former names to places in `tools`.
    pub(super) names: HashMap<String, usize>,
    /// The same of tools that bear their names and cannot be called, to places in `entries`.
    pub(super) out: HashMap<String, usize>,
}

/// One line of the pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The tool's name; for a broken plugin, its file's.
    pub name: String,
    /// For people.
    pub title: String,
    /// For the model.
    pub description: String,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// Where it comes from.
    pub source: String,
    /// `sha256:…`; empty where there was nothing to digest.
    pub digest: String,
    /// What it may ever want, in words; `native` and `read-only` among them.
    pub traits: Vec<String>,
    /// Whether it can be called, and if not, why.
    pub state: State,
}

/// Whether a tool can be called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "state", content = "detail")]
pub enum State {
    /// It can.
    Ready,
    /// It can, once it was found by search.
    Deferred,
    /// It can, and each call asks: never accepted yet.
    New,
    /// It can, and each call asks: not the bytes that were accepted. The difference in words.
    Changed(String),
    /// It cannot: why.
    Broken(String),
    /// It is switched off: by whom.
    Disabled(String),
    /// A rule takes it out of the pool.
    Denied(RuleRef),
}

impl State {
    /// Whether a model is shown it, or can find it.
    #[must_use]
    pub fn is_callable(&self) -> bool {
        matches!(self, Self::Ready | Self::Deferred | Self::New | Self::Changed(_))
    }
}

impl Pool {
    /// Every entry, callable or not: embedded first, then the rest, each by name.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The tool that bears this name, or bore it once.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Tool>> {
        self.names.get(name).map(|place| &self.tools[*place])
    }

    /// Tools that can be called, in order.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// Every name there is, present and former, callable or not; in no particular order.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let present = self.entries.iter().map(|entry| entry.name.as_str());
        present.chain(self.names.keys().map(String::as_str)).collect()
    }

    /// The tools of the plugin that holds the tool of this name, in order: they come in the same bytes.
    #[must_use]
    pub fn plugin_of(&self, name: &str) -> Vec<Arc<Tool>> {
        let Some(found) = self.find(name) else { return Vec::new() };
        let same = |tool: &&Arc<Tool>| (&tool.source, &tool.digest) == (&found.source, &found.digest);
        self.tools.iter().filter(same).map(Arc::clone).collect()
    }

    /// The entry of that name, present or former, that cannot be called, for an answer that says why.
    #[must_use]
    pub fn unavailable(&self, name: &str) -> Option<&Entry> {
        let bearer = self.out.get(name).map(|place| &self.entries[*place]);
        bearer.or_else(|| self.entries.iter().find(|entry| entry.name == name && !entry.state.is_callable()))
    }
}
