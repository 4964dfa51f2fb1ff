//! `mortise run`: one model turn in, the message that answers it out.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::Exit;
use super::options::{HostOptions, interruptible, read_text};
use crate::surfaces::messages;

/// Runs the calls of one model turn in order and prints one user message with their results.
///
/// The turn is a Messages API response, an array of content blocks, or JSON Lines of `tool_use` blocks; which
/// one is told by the text. A call that fails is a result like any other: the exit code is 0.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mortise run turn.json --allow 'Edit(src/**)'\n  curl … | mortise run")]
pub(super) struct Run {
    /// File with the turn, or `-` for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    options: HostOptions,
}

impl Run {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let calls = messages::read_turn(&read_text(&self.file)?)?;
        let host = self.options.host().await?;
        let attendance = interruptible()?;
        let results = host.run_attended(calls, &attendance, |_| {}).await;
        for result in &results {
            super::call::say_notes(&result.notes)?;
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string_pretty(&messages::answer(&results))?)?;
        Ok(if attendance.cancel.is_cancelled() { Exit::Interrupted } else { Exit::Done })
    }
}
