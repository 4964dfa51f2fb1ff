//! Step 10 of the path: a result is held to its tool's output schema, and one over its tool's limit is stored
//! and handed over as a preview that says where the whole is. A call that succeeded stays a success whatever
//! becomes of the storing.

use super::error::CallError;
use super::spill::Spill;
use crate::contract::schema::validate_output;
use crate::contract::{Content, Outcome, ResultLimit, Schema, bytes};

/// Unicode scalar values of a preview, where the limit leaves room for them.
const PREVIEW: usize = 2_000;

/// A result as it goes to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Capped {
    /// What is handed over.
    pub content: Vec<Content>,
    /// Where the whole text is; `None`: it was handed over whole, or could not be stored.
    pub stored: Option<std::path::PathBuf>,
    /// Why it could not be stored, for the operator.
    pub failure: Option<String>,
}

/// Holds a result to its limit: all text blocks are counted together, in Unicode scalar values. Blobs are not
/// text and pass as they are; text carried along in a resource counts.
#[must_use]
pub fn cap(content: Vec<Content>, limit: ResultLimit, tool: &str, call: &str, spill: &Spill) -> Capped {
    let limit = match limit {
        ResultLimit::Unbounded => return whole(content),
        ResultLimit::Characters(limit) => limit as usize,
    };
    let count: usize = content.iter().filter_map(text_of).map(|text| text.chars().count()).sum();
    if count <= limit {
        return whole(content);
    }
    let text = content.iter().filter_map(text_of).collect::<Vec<_>>().join("\n");
    let (stored, failure) = match spill.write(call, &text) {
        Ok(path) => (Some(path), None),
        Err(error) => (None, Some(format!("a large result of `{tool}` could not be stored: {error}"))),
    };
    let size =
        format!("{count} characters ({}), more than the {limit} that fit here", bytes(text.len() as u64));
    let place = match &stored {
        Some(path) => format!(
            "The result has {size}. All of it is in this file; read it in parts, by offset and limit, or search it:\n{}",
            path.display()
        ),
        None => format!(
            "The result has {size}. It could not be stored, and what is left out here is lost; hint: ask for less at once."
        ),
    };
    let preview = Content::Text(format!("{place}\n\n{}", preview(&text, limit.min(PREVIEW))));
    // In the place of the first text; what is not text keeps its order.
    let mut rest: Vec<_> =
        content.into_iter().map(|block| (text_of(&block).is_none()).then_some(block)).collect();
    if let Some(first) = rest.iter_mut().find(|block| block.is_none()) {
        *first = Some(preview);
    }
    Capped { content: rest.into_iter().flatten().collect(), stored, failure }
}

/// Holds an outcome to its tool's output schema. Structured output that does not fit is not passed on, and
/// neither is its absence where a schema promises it; the text stays.
///
/// # Errors
/// What does not fit, for the model to know that only the text is to be relied on.
pub fn check_structured(outcome: &mut Outcome, schema: &Schema, tool: &str) -> Result<(), CallError> {
    let problem = match &outcome.structured {
        None => "it promises structured output and gave none".to_owned(),
        Some(structured) => match validate_output(schema, structured) {
            Ok(()) => return Ok(()),
            Err(invalid) => {
                let first = invalid.problems.first();
                let first = first.map(|problem| format!("`{}` {}", problem.pointer, problem.message));
                format!("its structured output does not fit its own schema: {}", first.unwrap_or_default())
            }
        },
    };
    outcome.structured = None;
    Err(CallError::Broken { tool: tool.to_owned(), detail: problem })
}

fn whole(content: Vec<Content>) -> Capped {
    Capped { content, stored: None, failure: None }
}

fn text_of(block: &Content) -> Option<&str> {
    match block {
        Content::Text(text) => Some(text),
        Content::Other(_, text) => Some(text),
        Content::Embedded(embedded) => embedded.text.as_deref(),
        Content::Image(_)
        | Content::Audio(_)
        | Content::Document(_)
        | Content::ResourceLink(_)
        | Content::ToolReference(_) => None,
    }
}

/// Head and tail of a text, cut between lines where the lines are short enough.
fn preview(text: &str, limit: usize) -> String {
    let head_limit = limit - limit / 4;
    let head_end = text.char_indices().nth(head_limit).map_or(text.len(), |(at, _)| at);
    let head = &text[..head_end];
    let head = match head.rfind('\n') {
        // Not if most of it would go.
        Some(line) if line > head.len() / 2 => &head[..line],
        _ => head,
    };
    let tail_limit = limit / 4;
    let after = &text[head.len()..];
    let tail_start = match tail_limit {
        0 => after.len(),
        limit => after.char_indices().nth_back(limit - 1).map_or(0, |(at, _)| at),
    };
    let tail = &after[tail_start..];
    let tail = match tail.find('\n') {
        Some(line) if line < tail.len() / 2 => &tail[line + 1..],
        _ => tail,
    };
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n… [{} left out] …\n{tail}", bytes(left_out as u64))
}
