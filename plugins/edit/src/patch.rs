//! What changed, for programs (hunks), for the operator (a unified diff) and for the model (the new lines, numbered).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use similar::{ChangeTag, TextDiff, TextDiffConfig};

use crate::endings::plain;
use crate::matching::{line_of, numbered};

/// Unchanged lines shown around a change.
const AROUND: usize = 3;

/// Lines of a snippet for the model.
const SNIPPET: usize = 40;

/// One changed place with the lines around it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hunk {
    /// Number of its first line before, from 1; one less where it has none.
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
    /// Each begins with ` `, `-` or `+`.
    lines: Vec<String>,
}

/// The hunks between two texts; differences in line endings alone are not shown.
pub(crate) fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (before, after) = (plain(before), plain(after));
    let diff = diff(&before, &after);
    let hunk = |ops: Vec<similar::DiffOp>| {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return None };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let lines = ops.iter().flat_map(|op| diff.iter_changes(op)).map(|change| {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            format!("{sign}{}", change.value().trim_end_matches('\n'))
        });
        Some(Hunk {
            old_start: old.start + usize::from(!old.is_empty()),
            old_lines: old.len(),
            new_start: new.start + usize::from(!new.is_empty()),
            new_lines: new.len(),
            lines: lines.collect(),
        })
    };
    diff.grouped_ops(AROUND).into_iter().filter_map(hunk).collect()
}

/// The same as a unified diff with the path in its head.
pub(crate) fn unified(shown: &str, before: &str, after: &str) -> String {
    let (before, after) = (plain(before), plain(after));
    let diff = diff(&before, &after);
    diff.unified_diff().context_radius(AROUND).header(shown, shown).to_string()
}

/// The lines around a change as they are now. `place` and `length` are bytes of `after` in its plain view.
pub(crate) fn snippet(after: &str, place: usize, length: usize) -> String {
    let first = line_of(after, place).saturating_sub(AROUND + 1).max(1);
    let last = line_of(after, place + length) + AROUND + 1;
    let count = last + 1 - first;
    let text = numbered(after, first, count.min(SNIPPET));
    if count > SNIPPET {
        format!("{text}\n[{} more lines of the change are not shown]", count - SNIPPET)
    } else {
        text
    }
}

/// A diff by lines that stops looking for the shortest after a while: a longer one is right too.
fn diff<'a>(before: &'a str, after: &'a str) -> TextDiff<'a, 'a, str> {
    TextDiffConfig::default().timeout(Duration::from_millis(500)).diff_lines(before, after)
}
