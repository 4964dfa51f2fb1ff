//! A rule: which tools it speaks of, what of their calls, and what should happen.
//!
//! Leaves to others: reading one (`parse`), finding those that matter (`shelf`), the order among them
//! (`decide`).

use super::decision::{Effect, RuleRef};
use super::domain::DomainPattern;
use super::path_set::PathSet;
use super::pattern::PathPattern;
use super::subject::Resolved;
use super::text::Wildcard;
use crate::config::{RuleEffect, RuleSource};
use crate::contract::{Access, Extent};

/// A rule as it was understood.
#[derive(Debug)]
pub struct Rule {
    pub(super) effect: RuleEffect,
    pub(super) text: String,
    pub(super) source: RuleSource,
    pub(super) tool: ToolPattern,
    pub(super) content: Option<Content>,
}

/// Which tools a rule speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolPattern {
    /// One tool, by a present or former name.
    Exact(String),
    /// Every tool of an MCP server; holds `mcp__server__`.
    Server(String),
    /// Every tool whose name fits.
    Glob(Wildcard),
}

/// What of a call a rule speaks of: one text, read once for each kind of subject that it could mean.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) path: Option<(PathPattern, PathSet)>,
    pub(super) domain: Option<DomainPattern>,
    pub(super) text: Option<Wildcard>,
}

impl Rule {
    /// What it says should happen.
    #[must_use]
    pub fn effect(&self) -> RuleEffect {
        self.effect
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it was written.
    #[must_use]
    pub fn source(&self) -> &RuleSource {
        &self.source
    }

    /// Whether it speaks of every call of its tools.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.content.is_none()
    }

    pub(super) fn reference(&self) -> RuleRef {
        let source = match &self.source.file {
            Some(file) => file.display().to_string(),
            None => self.source.level.to_string(),
        };
        RuleRef { text: self.text.clone(), source, line: self.source.line }
    }

    pub(super) fn outcome(&self) -> Effect {
        self.effect.into()
    }
}

impl ToolPattern {
    /// Whether a tool of this name is meant.
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(own) => own == name || (own == "Task" && name == "Agent"),
            Self::Server(prefix) => name.starts_with(prefix.as_str()),
            Self::Glob(glob) => glob.matches(name),
        }
    }
}

impl Content {
    /// Whether a subject of a tool that the rule names is matched: for deny and ask by either spelling and
    /// any part, for allow only as a whole.
    pub(super) fn matches(&self, subject: &Resolved, allow: bool) -> bool {
        match subject {
            Resolved::Path { forms, extent, .. } => self.path.as_ref().is_some_and(|(_, set)| {
                let hit = |path| set.find(path, *extent).is_some();
                if allow {
                    hit(&forms.named) && hit(&forms.real)
                } else {
                    hit(&forms.named) || hit(&forms.real)
                }
            }),
            Resolved::Url { url, .. } => {
                let host = url.host_str().unwrap_or_default();
                self.domain.as_ref().is_some_and(|domain| domain.matches(host, allow))
                    || (!allow && self.text.as_ref().is_some_and(|text| text.matches(url.as_str())))
            }
            Resolved::Command { line, .. } => {
                self.text.as_ref().is_some_and(|text| if allow { line.every(text) } else { line.any(text) })
            }
            Resolved::Text { text: said } => self.text.as_ref().is_some_and(|text| text.matches(said)),
            Resolved::Opaque { text: said, .. } => {
                !allow && self.text.as_ref().is_some_and(|text| text.matches(said))
            }
        }
    }
}

impl Resolved {
    /// The path subject's parts, if it is one.
    pub(super) fn as_path(&self) -> Option<(&super::PathForms, Access, Extent)> {
        match self {
            Self::Path { forms, access, extent } => Some((forms, *access, *extent)),
            _ => None,
        }
    }
}
