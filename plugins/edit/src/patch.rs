//! What changed, for programs (hunks), for the operator (a unified diff) and for the model (the new lines, numbered).

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use similar::{DiffOp, DiffTag, group_diff_ops};

use crate::difference;
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
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let (old_numbers, new_numbers) = difference::numbers(&old, &new);
    let groups = group_diff_ops(difference::ops(&old_numbers, &new_numbers), AROUND);
    groups.iter().filter_map(|ops| Hunk::new(ops, &old, &new)).collect()
}

impl Hunk {
    fn new(ops: &[DiffOp], old: &[&str], new: &[&str]) -> Option<Self> {
        let (first, last) = (ops.first()?, ops.last()?);
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let mut lines = Vec::new();
        let mut take = |sign: char, from: &[&str]| {
            lines.extend(from.iter().map(|line| format!("{sign}{}", line.trim_end_matches('\n'))));
        };
        for op in ops {
            if op.tag() == DiffTag::Equal {
                take(' ', &old[op.old_range()]);
            } else {
                take('-', &old[op.old_range()]);
                take('+', &new[op.new_range()]);
            }
        }
        Some(Self {
            old_start: old_range.start + usize::from(!old_range.is_empty()),
            old_lines: old_range.len(),
            new_start: new_range.start + usize::from(!new_range.is_empty()),
            new_lines: new_range.len(),
            lines,
        })
    }
}

/// The same as a unified diff with the path in its head; empty if nothing is different.
pub(crate) fn unified(shown: &str, before: &str, after: &str) -> String {
    let hunks = hunks(before, after);
    if hunks.is_empty() {
        return String::new();
    }
    let mut text = format!("--- {shown}\n+++ {shown}\n");
    for Hunk { old_start, old_lines, new_start, new_lines, lines } in hunks {
        let _ =
            writeln!(text, "@@ -{old_start},{old_lines} +{new_start},{new_lines} @@\n{}", lines.join("\n"));
    }
    text
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
