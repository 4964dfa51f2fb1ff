//! `mortise list`: the pool, for people and as the tool definitions a model is sent.

use std::io::Write as _;

use clap::Args;
use serde_json::Value;

use super::options::HostOptions;
use super::{Exit, paint};
use crate::registry::{Entry, State};
use crate::surfaces::{messages, visible};

/// Lists the tools in the order a model is shown them: embedded ones first, then the rest, each by name.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mortise list --plugins ./plugins\n  mortise list --json > tools.json")]
pub(super) struct List {
    /// Print Messages API tool definitions, of the tools that can be called.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: HostOptions,
}

impl List {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let pool = self.options.host().await?.pool();
        if self.json {
            let callable = pool.entries().iter().filter(|entry| entry.state.is_callable());
            let definitions: Vec<Value> = callable.map(messages::definition).collect();
            writeln!(std::io::stdout().lock(), "{}", serde_json::to_string_pretty(&definitions)?)?;
        } else {
            table(pool.entries())?;
        }
        Ok(Exit::Done)
    }
}

const HEAD: [&str; 5] = ["NAME", "STATE", "TRAITS", "DIGEST", "SOURCE"];

fn table(entries: &[Entry]) -> anyhow::Result<()> {
    let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
    let mut widths = HEAD.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", paint::bold(aligned(&HEAD.map(str::to_owned), widths)))?;
    for (row, entry) in rows.iter().zip(entries) {
        let line = aligned(row, widths);
        match (&entry.state, why(&entry.state)) {
            (state, why) if !state.is_callable() => {
                writeln!(out, "{}\n  {}", paint::dim(line), paint::red(visible(&why)))?;
            }
            (State::Changed(_), why) => writeln!(out, "{line}\n  {}", paint::yellow(visible(&why)))?,
            _ => writeln!(out, "{line}")?,
        }
    }
    if entries.is_empty() {
        writeln!(out, "{}", paint::dim("no tools; hint: `--plugins DIR` names a folder of .wasm files"))?;
    }
    Ok(())
}

fn row(entry: &Entry) -> [String; 5] {
    let state = match &entry.state {
        State::Ready => "ready",
        State::Deferred => "deferred",
        State::New => "new",
        State::Changed(_) => "changed",
        State::Broken(_) => "broken",
        State::Disabled(_) => "disabled",
        State::Denied(_) => "denied",
    };
    let digest = entry.digest.get(.."sha256:".len() + 12).unwrap_or(&entry.digest);
    let digest = digest.trim_start_matches("sha256:");
    [
        visible(&entry.name),
        state.to_owned(),
        visible(&entry.traits.join(", ")),
        digest.to_owned(),
        visible(&entry.source),
    ]
}

fn why(state: &State) -> String {
    match state {
        State::Ready | State::Deferred | State::New => String::new(),
        State::Changed(why) | State::Broken(why) | State::Disabled(why) => why.clone(),
        State::Denied(rule) => match rule.line {
            Some(line) => format!("denied by `{}` ({}:{line})", rule.text, rule.source),
            None => format!("denied by `{}` ({})", rule.text, rule.source),
        },
    }
}

fn aligned(cells: &[String; 5], widths: [usize; 5]) -> String {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width + 2 - cell.chars().count()));
    }
    line.trim_end().to_owned()
}
