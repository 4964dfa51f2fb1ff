//! `mortise trust`: what the operator has accepted of plugins, by their bytes, and taking it back.
//!
//! Leaves to others: what a plugin that is not accepted may do (`permission`).

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use clap::{ArgGroup, Args, Subcommand};

use super::options::HostOptions;
use super::{Exit, paint};
use crate::host::Host;
use crate::registry::{Acceptance, Entry, Standing, State, Tool};
use crate::surfaces::{visible, visible_lines};

/// Characters of a description that are shown.
const MAX_DESCRIPTION: usize = 600;

/// Accepts a plugin as it is now, so that rules decide about its calls, or shows and takes back what was accepted.
///
/// A plugin found in a configured folder always asks until it is accepted, and again when its bytes change.
/// Plugins in folders named by `--plugins` are accepted by being named.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mortise trust plugin word_count\n  mortise trust --list\n  mortise trust --revoke word_count",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    group(ArgGroup::new("what").required(true).args(["list", "revoke"]))
)]
pub(super) struct Trust {
    #[command(subcommand)]
    accept: Option<Accept>,
    /// List the tools whose plugins were accepted.
    #[arg(long)]
    list: bool,
    /// Take back what was accepted: the plugin of this tool is new again.
    #[arg(long, value_name = "NAME")]
    revoke: Option<String>,
    #[command(flatten)]
    options: HostOptions,
}

#[derive(Debug, Subcommand)]
enum Accept {
    /// Accept a plugin, with all of its tools, by the name of one of them.
    Plugin(AcceptPlugin),
}

/// Shows what a plugin is and may ever want, and records its bytes as accepted.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mortise trust plugin word_count")]
struct AcceptPlugin {
    /// Name of one of the plugin's tools, as `mortise list` shows it.
    name: String,
    #[command(flatten)]
    options: HostOptions,
}

impl Trust {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        if let Some(Accept::Plugin(plugin)) = self.accept {
            return plugin.run().await;
        }
        let state = self.options.config()?.registry.state;
        let mut acceptance = Acceptance::read(state.as_deref()).with_context(|| {
            format!("cannot read `{}`", state.as_deref().unwrap_or(Path::new("")).display())
        })?;
        let mut out = anstream::stdout().lock();
        let Some(name) = self.revoke else {
            return list(&mut out, &acceptance);
        };
        let revoked = acceptance.revoke(&name).context("the record of accepted plugins cannot be changed")?;
        if revoked.is_empty() {
            bail!("nothing is accepted under this name; hint: `mortise trust --list`; name `{name}`");
        }
        for name in revoked {
            writeln!(out, "{} is no longer accepted: its calls ask", paint::bold(visible(&name)))?;
        }
        Ok(Exit::Done)
    }
}

impl AcceptPlugin {
    async fn run(self) -> anyhow::Result<Exit> {
        let host = self.options.host().await?;
        let pool = host.pool();
        let tools = pool.plugin_of(&self.name);
        let Some(first) = tools.first() else { return absent(&host, &self.name) };
        let mut out = anstream::stdout().lock();
        writeln!(out, "{} {}", paint::bold("plugin"), visible(&first.source))?;
        writeln!(out, "digest {}", first.digest)?;
        for tool in &tools {
            let entry = pool.entries().iter().find(|entry| entry.name == tool.descriptor.name);
            tool_in_words(&mut out, tool, entry)?;
        }
        if let Some(why) = needless(&tools) {
            writeln!(out, "{why}")?;
            return Ok(Exit::Done);
        }
        if let Some(pinned) = tools.iter().find_map(|tool| tool.options.digest.as_ref()) {
            let digest = &first.digest;
            bail!(
                "the configuration accepts only other bytes, `{pinned}`; hint: in `[tools.{}]`, `digest = \"{digest}\"`",
                first.descriptor.name
            );
        }
        host.accept(&self.name).await?;
        let name = &first.descriptor.name;
        writeln!(
            out,
            "{} until its bytes change; `mortise trust --revoke {name}` takes it back",
            paint::green("accepted")
        )?;
        Ok(Exit::Done)
    }
}

/// Why there is nothing to accept: the whole plugin is accepted already.
fn needless(tools: &[std::sync::Arc<Tool>]) -> Option<&'static str> {
    tools.iter().all(|tool| tool.standing == Standing::Accepted).then_some("it is accepted already")
}

/// There is no tool of that name that could be accepted.
fn absent(host: &Host, name: &str) -> anyhow::Result<Exit> {
    let pool = host.pool();
    let Some(entry) = pool.unavailable(name) else {
        bail!("there is no such tool; hint: `mortise list` names them; tool `{name}`");
    };
    match &entry.state {
        State::Broken(why) => {
            let mut err = anstream::stderr().lock();
            writeln!(
                err,
                "{} `{}` cannot be loaded: {}",
                paint::red("error:"),
                visible(name),
                visible_lines(why)
            )?;
            Ok(Exit::NotLoaded)
        }
        State::Disabled(by) => bail!("it is {by}, so there is nothing to accept; tool `{name}`"),
        State::Denied(rule) => {
            bail!("the rule `{}` ({}) takes it out of the pool; tool `{name}`", rule.text, rule.source)
        }
        State::Ready | State::Deferred | State::New | State::Changed(_) => {
            bail!("there is no such tool; hint: `mortise list` names them; tool `{name}`")
        }
    }
}

/// One tool for the one who accepts it. What it says of itself is quoted, and nothing in it is obeyed.
fn tool_in_words(out: &mut impl Write, tool: &Tool, entry: Option<&Entry>) -> io::Result<()> {
    let descriptor = &tool.descriptor;
    writeln!(out, "\n{}", paint::bold(visible(&descriptor.name)))?;
    if !descriptor.aliases.is_empty() {
        writeln!(out, "  formerly {}", visible(&descriptor.aliases.join(", ")))?;
    }
    let traits = entry.map(|entry| entry.traits.join(", ")).unwrap_or_default();
    writeln!(out, "  may want {}", visible(&traits))?;
    if let Standing::Changed(difference) = &tool.standing {
        writeln!(out, "  {} {}", paint::yellow("changed "), visible(difference))?;
    }
    let said: String = descriptor.description.chars().take(MAX_DESCRIPTION).collect();
    let cut = if said.len() < descriptor.description.len() { "… (cut)" } else { "" };
    for line in visible_lines(&said).lines() {
        writeln!(out, "  {} {line}", paint::dim("│"))?;
    }
    if cut.is_empty() { Ok(()) } else { writeln!(out, "  {} {cut}", paint::dim("│")) }
}

fn list(out: &mut impl Write, acceptance: &Acceptance) -> anyhow::Result<Exit> {
    for (name, record) in acceptance.records() {
        writeln!(out, "{}  {}", paint::bold(visible(name)), visible(&record.digest))?;
    }
    if acceptance.records().is_empty() {
        writeln!(out, "{}", paint::dim("nothing is accepted; hint: `mortise trust plugin NAME`"))?;
    }
    Ok(Exit::Done)
}
