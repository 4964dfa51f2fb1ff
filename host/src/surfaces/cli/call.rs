//! `mortise call`: one call, its content printed.

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;
use serde_json::Value;

use super::options::{HostOptions, interruptible, read_input};
use super::{Exit, paint, printed};
use crate::contract::{Content, Invocation, Outcome, View};
use crate::execution::{Call, CallResult, Ending};
use crate::host::Host;
use crate::registry::State;
use crate::surfaces::{messages, visible_lines};

/// Runs one call and prints what it returns.
///
/// Exits 0 when it was done, 1 when the tool failed, 2 when the tool or its input is not what was meant, 3 when
/// it was denied, 4 when the tool's plugin could not be loaded, 130 when it was interrupted.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mortise call Read '{\"file_path\": \"README.md\", \"limit\": 5}'")]
pub(super) struct CallOne {
    /// Name of the tool.
    tool: String,
    /// Input as JSON, `@FILE`, or `-` for standard input.
    input: String,
    /// Print the whole `tool_result`.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: HostOptions,
}

impl CallOne {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let call = Call { id: "call".to_owned(), name: self.tool, input: read_input(&self.input)? };
        let host = self.options.host().await?;
        let broken = is_broken(&host, &call.name);
        let input = call.input.clone();
        let result = host.call_attended(call, interruptible()?).await;
        let exit = if broken { Exit::NotLoaded } else { exit(&result) };
        printed(say_notes(&unsaid(&result)), exit)?;
        let printing = match in_words(&host, &result, input).await {
            _ if self.json => print_whole(&result),
            Some(words) => print_words(&words),
            None => print(&result),
        };
        printed(printing, exit)
    }
}

/// Whether the name is that of a plugin that could not be loaded, and of no tool.
fn is_broken(host: &Host, name: &str) -> bool {
    let pool = host.pool();
    let unavailable = pool.find(name).is_none().then(|| pool.unavailable(name)).flatten();
    unavailable.is_some_and(|entry| matches!(entry.state, State::Broken(_)))
}

/// For a person at a terminal, what the tool itself makes of its result; a file or another program gets the content.
async fn in_words(host: &Host, result: &CallResult, input: Value) -> Option<String> {
    if result.ending != Ending::Done || !io::stdout().is_terminal() {
        return None;
    }
    let call = Invocation { tool: result.tool.clone(), id: result.id.clone(), input };
    let outcome = Outcome {
        content: result.content.clone(),
        structured: result.structured.clone(),
        ..Outcome::default()
    };
    host.render(&View::Succeeded(call, outcome)).await
}

fn print_words(words: &str) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout().lock(), "{}", visible_lines(words))?)
}

fn print_whole(result: &CallResult) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    Ok(writeln!(out, "{}", serde_json::to_string_pretty(&messages::tool_result(result))?)?)
}

fn exit(result: &CallResult) -> Exit {
    // A call that was never shown to a tool was wrong as it was typed.
    let inspected = result.trail.iter().any(|step| step.step == "inspect");
    match result.ending {
        Ending::Done => Exit::Done,
        Ending::Invalid if !inspected => Exit::WrongUsage,
        Ending::Denied => Exit::Denied,
        Ending::Interrupted => Exit::Interrupted,
        Ending::Failed | Ending::Invalid | Ending::TimedOut | Ending::Broken => Exit::ToolFailed,
    }
}

/// What a call returned: to standard output when it was done, else to standard error.
fn print(result: &CallResult) -> anyhow::Result<()> {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let done = !result.ending.is_error();
    let at_terminal = if done { out.is_terminal() } else { err.is_terminal() };
    for content in &result.content {
        let text = match content {
            Content::Text(text) => unwrapped(text).to_owned(),
            Content::Image(blob) | Content::Audio(blob) | Content::Document(blob) => {
                format!("[{}, {} bytes; `--json` has them]", blob.media_type, blob.data.len())
            }
            Content::ResourceLink(link) => format!("[{}: {}]", link.name, link.uri),
            Content::Embedded(embedded) => {
                embedded.text.clone().unwrap_or_else(|| format!("[{}]", embedded.uri))
            }
            Content::ToolReference(name) => format!("[tool {name}]"),
            Content::Other(kind, _) => format!("[a block of the kind {kind}; `--json` has it]"),
        };
        // A terminal obeys what it is sent; a file or another program gets the bytes as they are.
        let text = if at_terminal { visible_lines(&text) } else { text };
        if done { writeln!(out, "{text}")? } else { writeln!(err, "{text}")? }
    }
    for said in &result.context {
        writeln!(err, "hook: {}", visible_lines(said))?;
    }
    Ok(())
}

/// Notes that say something else than the result does.
fn unsaid(result: &CallResult) -> Vec<String> {
    let said = |note: &&String| {
        result.content.iter().filter_map(Content::as_text).any(|text| unwrapped(text) == note.as_str())
    };
    result.notes.iter().filter(|note| !said(note)).cloned().collect()
}

/// A text without the words that mark it for the model.
pub(super) fn unwrapped(text: &str) -> &str {
    let inner = text.strip_prefix("<tool_use_error>").and_then(|text| text.strip_suffix("</tool_use_error>"));
    inner.unwrap_or(text)
}

/// What a call has for the operator.
pub(super) fn say_notes(notes: &[String]) -> anyhow::Result<()> {
    let mut err = anstream::stderr().lock();
    for note in notes {
        writeln!(err, "{} {}", paint::dim("note:"), visible_lines(note))?;
    }
    Ok(())
}
