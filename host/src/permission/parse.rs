//! Reads rules: `Tool`, `Tool(*)`, `Tool(content)`, `mcp__server`, `mcp__server__*`, globs over tool names.
//! Says of a rule that can never match why, and what to write instead.
//!
//! Leaves to others: which file a rule is in (`config`), what happens to a problem (the caller).

use std::fmt;

use super::domain::DomainPattern;
use super::path_set::PathSet;
use super::pattern::{PathPattern, Wrong};
use super::resolve::{Resolver, exists};
use super::rule::{Content, Rule, ToolPattern};
use super::text::Wildcard;
use crate::config::{RawRule, RuleEffect, RuleSource};

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where the rule was written.
    pub source: RuleSource,
    /// As it was written.
    pub text: String,
    /// What is wrong.
    pub why: String,
    /// What to write instead.
    pub hint: String,
    /// Whether the rule can never do what it says; otherwise it only may not do what was meant.
    pub fatal: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, text, why, hint, .. } = self;
        write!(f, "{source}: {why}: `{}`; hint: {hint}", text.escape_debug())
    }
}

impl std::error::Error for Problem {}

/// What may be in a tool's parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `Read`, `Edit`: paths, of whatever tool.
    Path,
    /// `WebFetch`: hosts, of whatever tool.
    Domain,
    /// Text only.
    Text,
    /// Nothing.
    Nothing,
    /// Consulted through `Edit` or `Read` alone.
    Through(&'static str),
    /// A tool whose subjects are not known: whatever they are.
    Any,
}

fn kind(tool: &str) -> Kind {
    match tool {
        "Read" | "Edit" => Kind::Path,
        "WebFetch" => Kind::Domain,
        "Bash" | "PowerShell" | "Monitor" | "Agent" | "Task" | "Skill" => Kind::Text,
        "WebSearch" => Kind::Nothing,
        "Write" | "NotebookEdit" | "MultiEdit" => Kind::Through("Edit"),
        "Glob" => Kind::Through("Read"),
        _ => Kind::Any,
    }
}

/// Reads one rule. A problem beside a rule leaves it in force.
pub(super) fn parse(raw: &RawRule, places: &Resolver) -> (Option<Rule>, Option<Problem>) {
    let problem = |(why, hint): Wrong, fatal| Problem {
        source: raw.source.clone(),
        text: raw.text.clone(),
        why,
        hint,
        fatal,
    };
    match read(raw, places) {
        Ok(rule) => {
            let doubt = doubt(raw);
            let problem = doubt.map(|(wrong, fatal)| problem(wrong, fatal));
            (Some(rule), problem)
        }
        Err(wrong) => (None, Some(problem(wrong, true))),
    }
}

fn read(raw: &RawRule, places: &Resolver) -> Result<Rule, Wrong> {
    let (name, inner) = split(&raw.text)?;
    let tool = tool_pattern(name, raw.effect)?;
    let content = match inner {
        None | Some("*") => None,
        Some(inner) => Some(content(name, inner, raw, places)?),
    };
    Ok(Rule { effect: raw.effect, text: raw.text.clone(), source: raw.source.clone(), tool, content })
}

/// The tool's name, and what is in the parentheses if there are any.
fn split(text: &str) -> Result<(&str, Option<&str>), Wrong> {
    let text = text.trim();
    let unbalanced = || {
        let why = "the parentheses do not pair up".to_owned();
        Err((why, "a rule is `Tool` or `Tool(content)`".to_owned()))
    };
    let (name, inner) = match text.split_once('(') {
        None if text.contains(')') => return unbalanced(),
        None => (text, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            None => return unbalanced(),
            Some(inner) => (name.trim_end(), Some(inner)),
        },
    };
    if name.is_empty() {
        return Err(("a rule names a tool".to_owned(), "a rule is `Tool` or `Tool(content)`".to_owned()));
    }
    if inner.is_some_and(|inner| inner.trim().is_empty()) {
        return Err(("empty parentheses match nothing".to_owned(), format!("`{name}` is every call of it")));
    }
    Ok((name, inner))
}

fn tool_pattern(name: &str, effect: RuleEffect) -> Result<ToolPattern, Wrong> {
    let odd = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':'));
    if let Some(odd) = name.chars().find(|c| odd(*c)) {
        let why = format!("no tool's name holds `{}`", odd.escape_debug());
        return Err((why, "one rule names one tool, such as `Read` or `mcp__server__tool`".to_owned()));
    }
    let server = name.strip_prefix("mcp__").unwrap_or_default();
    let server = server.strip_suffix("__*").unwrap_or(server);
    if !server.is_empty() && !server.contains("__") && !server.contains('*') {
        return Ok(ToolPattern::Server(format!("mcp__{server}__")));
    }
    if !name.contains('*') {
        return Ok(ToolPattern::Exact(name.to_owned()));
    }
    let literal = name.split('*').next().unwrap_or_default();
    let of_one_server = literal
        .strip_prefix("mcp__")
        .is_some_and(|rest| rest.split_once("__").is_some_and(|(server, _)| !server.is_empty()));
    if effect == RuleEffect::Allow && !of_one_server {
        let why = "an allow rule takes a wildcard only after one server's name".to_owned();
        return Err((why, "name each tool, or write `mcp__server__*`".to_owned()));
    }
    Ok(ToolPattern::Glob(Wildcard::plain(name)))
}

fn content(name: &str, inner: &str, raw: &RawRule, places: &Resolver) -> Result<Content, Wrong> {
    let path = || -> Result<_, Wrong> {
        let pattern = PathPattern::parse(inner, raw.effect, &raw.source.root, places)?;
        let set = PathSet::build(raw.effect, std::iter::once((0, &pattern)));
        Ok(Some((pattern, set)))
    };
    let domain = inner.strip_prefix("domain:").map(DomainPattern::parse);
    match kind(name) {
        Kind::Path => Ok(Content { path: path()?, ..Content::default() }),
        Kind::Domain => match domain {
            Some(domain) => Ok(Content { domain: Some(domain?), ..Content::default() }),
            None => Err((
                "only `domain:` rules are matched against requests".to_owned(),
                format!("write `{name}(domain:docs.rs)`"),
            )),
        },
        Kind::Text => Ok(Content { text: Some(text(inner)?), ..Content::default() }),
        Kind::Nothing => {
            Err((format!("calls of `{name}` have nothing to match"), format!("`{name}` is every call of it")))
        }
        Kind::Through(through) => Err((
            format!(
                "`{name}` path rules are never consulted: only Edit(…) and Read(…) path rules are, whatever the tool"
            ),
            format!("write `{through}({inner})`"),
        )),
        Kind::Any => match domain {
            Some(domain) => {
                let text = Some(text(inner)?);
                Ok(Content { domain: Some(domain?), text, ..Content::default() })
            }
            // It may still mean a text, where it can be no path.
            None => match (path(), text(inner)?) {
                (Err(wrong), _) if inner.starts_with('!') => Err(wrong),
                (path, text) => Ok(Content { path: path.ok().flatten(), text: Some(text), domain: None }),
            },
        },
    }
}

fn text(inner: &str) -> Result<Wildcard, Wrong> {
    if matches!(inner.trim(), ":*") {
        let why = "the prefix before `:*` is empty".to_owned();
        return Err((why, "leave out the parentheses to match every call".to_owned()));
    }
    Ok(Wildcard::command(inner))
}

/// What may not be what was meant, in a rule that can be read; the second: whether it can never match.
fn doubt(raw: &RawRule) -> Option<(Wrong, bool)> {
    let (name, inner) = split(&raw.text).ok()?;
    let inner = inner?;
    if kind(name) != Kind::Path {
        return None;
    }
    if let Some(rest) = inner.strip_prefix('/').filter(|rest| !rest.starts_with('/')) {
        let first =
            rest.split('/').next().filter(|first| !first.is_empty() && !first.contains(['*', '?', '[']))?;
        let at_root = std::path::Path::new("/").join(first);
        if exists(&at_root) && !exists(&raw.source.root.join(first)) {
            let why = format!(
                "a single `/` starts at `{}`, where there is no `{first}`",
                raw.source.root.display()
            );
            return Some(((why, format!("did you mean `{name}(/{inner})`?")), true));
        }
    }
    if raw.effect == RuleEffect::Allow && inner.contains('{') && !inner.contains("\\{") {
        let why = "braces are no alternatives in an allow rule, they stand for themselves".to_owned();
        return Some(((why, "write one rule for each".to_owned()), false));
    }
    None
}

/// The nearest of `known` to a name that is not among them.
pub(super) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    known
        .map(|known| (strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= name.len() / 3 + 1)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}
