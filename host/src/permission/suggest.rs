//! The exact lines that would allow a call: shown with every question and refusal, and what "for this
//! session" comes to.

use super::pattern::glob_of_path;
use super::protected::is_protected;
use super::request::Request;
use super::subject::Resolved;
use super::{command, text};
use crate::contract::{Access, Extent};

/// Rules that together would let `subjects` through; empty where no rule could for one of them.
pub(super) fn lines(request: &Request<'_>, subjects: &[&Resolved]) -> Vec<String> {
    if subjects.is_empty() {
        return vec![request.name().to_owned()];
    }
    let mut lines = Vec::new();
    for subject in subjects {
        let Some(more) = line(request, subject) else { return Vec::new() };
        lines.extend(more);
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn line(request: &Request<'_>, subject: &Resolved) -> Option<Vec<String>> {
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
        Resolved::Command { command } if command::is_compound(command) => None,
        Resolved::Command { command: said } | Resolved::Text { text: said } => {
            let escaped = text::escape(said)?;
            // Nothing that reads as another form of rule.
            let other = escaped.starts_with("domain:") || escaped.starts_with('!') || escaped.ends_with(":*");
            (!other).then(|| vec![format!("{}({escaped})", request.name())])
        }
        Resolved::Opaque { .. } => None,
    }
}
