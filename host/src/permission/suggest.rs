//! The exact lines that would allow a call: shown with every question and refusal, and what "for this
//! session" comes to.

use super::pattern::glob_of_path;
use super::policy::Snapshot;
use super::protected::is_protected;
use super::request::Request;
use super::shell::Line;
use super::subject::Resolved;
use super::text;
use crate::contract::{Access, Extent};

/// As many rules as one answer may add for a command.
const MOST: usize = 5;

/// Rules that together would let `subjects` through; empty where no rule could for one of them.
pub(super) fn lines(now: &Snapshot, request: &Request<'_>, subjects: &[&Resolved]) -> Vec<String> {
    if subjects.is_empty() {
        return vec![request.name().to_owned()];
    }
    let mut lines = Vec::new();
    for subject in subjects {
        let Some(more) = line(now, request, subject) else { return Vec::new() };
        lines.extend(more);
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn line(now: &Snapshot, request: &Request<'_>, subject: &Resolved) -> Option<Vec<String>> {
    match subject {
        Resolved::Path { forms, access, extent } => {
            let write = *access == Access::Write;
            if write && (is_protected(&forms.named) || is_protected(&forms.real)) {
                return None;
            }
            let tool = if write { "Edit" } else { "Read" };
            let tail = if *extent == Extent::Tree { "/**" } else { "" };
            let mut lines = Vec::new();
            for path in [&forms.named, &forms.real] {
                // What cannot be written as text cannot be ruled on.
                path.to_str()?;
                let glob = glob_of_path(path);
                if glob.is_empty() && tail.is_empty() {
                    return None;
                }
                let glob = match glob.strip_suffix(' ') {
                    Some(rest) if tail.is_empty() => format!("{rest}\\ "),
                    _ => glob,
                };
                lines.push(format!("{tool}(/{glob}{tail})"));
            }
            Some(lines)
        }
        Resolved::Url { url, .. } => Some(vec![format!("WebFetch(domain:{})", url.host_str()?)]),
        Resolved::Command { line, .. } => command(now, request, line),
        Resolved::Text { text } => Some(vec![said(request, text)?]),
        Resolved::Opaque { .. } => None,
    }
}

/// One narrow rule for each part that needs one, and for each file that it reads or redirects to elsewhere.
fn command(now: &Snapshot, request: &Request<'_>, shell: &Line) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    for part in shell.parts() {
        if !shell.is_plain() || part.unknown.redirects || part.writes_protected() {
            return None;
        }
        let told = part.reads && !part.unknown.arguments;
        if !told {
            lines.push(said(request, part.is_nameable().then_some(&part.said)?)?);
        }
        let files = part.touches.iter().filter(|touch| !touch.guess);
        for subject in files.filter(|touch| touch.redirect || told).map(|touch| &touch.subject) {
            let (forms, access, _) = subject.as_path()?;
            if access == Access::Write || told && !now.inside(&forms.real) {
                lines.extend(line(now, request, subject)?);
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    (lines.len() <= MOST).then_some(lines)
}

/// A rule on this text and no other.
fn said(request: &Request<'_>, text: &str) -> Option<String> {
    let escaped = text::escape(text)?;
    // Nothing that reads as another form of rule.
    let other = escaped.starts_with("domain:") || escaped.starts_with('!') || escaped.ends_with(":*");
    (!other).then(|| format!("{}({escaped})", request.name()))
}
