//! The options that every command which runs tools takes, and what they come to: a configuration and a host.

#![expect(clippy::disallowed_methods, reason = "it reads the input that the operator names")]

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use super::paint;
use super::prompt::Terminal;
use crate::config::{Config, Sources, load};
use crate::execution::Attendance;
use crate::host::Host;
use crate::surfaces::visible_lines;

/// Bytes of an input or a turn that are read at all.
const MAX_INPUT: u64 = 64 << 20;

#[derive(Debug, Args)]
pub(super) struct HostOptions {
    /// Configuration file [default: mortise.toml, upward from the working directory].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder whose .wasm files are tools; naming it accepts them. Repeatable.
    #[arg(long, value_name = "DIR")]
    plugins: Vec<PathBuf>,
    /// Claude Code settings.json whose permissions count here, too. Repeatable.
    #[arg(long, value_name = "FILE")]
    settings: Vec<PathBuf>,
    /// Working directory.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Rule for calls that run unasked, such as `Edit(src/**)`. Repeatable.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Rule for calls that ask first. Repeatable.
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,
    /// Rule for calls that are refused, such as `Read(//etc/**)`. Repeatable.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// Permission mode: default, acceptEdits, plan, auto, dontAsk, bypassPermissions.
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Leave out the core tools.
    #[arg(long)]
    no_embedded: bool,
    /// Say more on standard error; twice, everything.
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

impl HostOptions {
    pub(super) fn sources(&self) -> Sources {
        Sources {
            working_directory: self.cwd.clone().unwrap_or_default(),
            config: self.config.clone(),
            settings: self.settings.clone(),
            plugins: self.plugins.clone(),
            allow: self.allow.clone(),
            ask: self.ask.clone(),
            deny: self.deny.clone(),
            mode: self.mode.clone(),
            no_embedded: self.no_embedded,
            places: None,
        }
    }

    /// The configuration; what was passed over on the way is said.
    pub(super) fn config(&self) -> anyhow::Result<Config> {
        log(self.verbose);
        let config = load(&self.sources())?;
        let mut err = anstream::stderr().lock();
        for warning in &config.warnings {
            writeln!(err, "{} {}", paint::yellow("warning:"), visible_lines(warning))?;
        }
        Ok(config)
    }

    /// A host that asks at the terminal, if there is one.
    pub(super) async fn host(&self) -> anyhow::Result<Host> {
        let config = self.config()?;
        Ok(Host::builder().config(config).authorizer(Arc::new(Terminal::default())).build().await?)
    }
}

fn log(verbose: u8) {
    let level = match verbose {
        0 => "mortise=warn",
        1 => "mortise=info",
        _ => "mortise=trace",
    };
    // Where standard error is closed there is nobody to tell, and nothing that may fail for it.
    let log = tracing_subscriber::fmt().log_internal_errors(false).with_env_filter(level);
    let log = log.with_writer(io::stderr).with_ansi(false);
    // A second command in one process keeps the first one's log.
    let _ = log.without_time().with_target(false).try_init();
}

/// The text of a file, or of standard input for `-`.
pub(super) fn read_text(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MAX_INPUT + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_INPUT + 1).read_to_string(&mut text))
    };
    let read = read.with_context(|| format!("cannot read `{}`", path.display()))?;
    if read as u64 > MAX_INPUT {
        bail!("more than {} MiB in `{}`", MAX_INPUT >> 20, path.display());
    }
    Ok(text)
}

/// A call's input as it is given on the command line: JSON, `@file` or `-`.
pub(super) fn read_input(input: &str) -> anyhow::Result<Value> {
    let text = match (input, input.strip_prefix('@')) {
        ("-", _) => read_text(Path::new("-"))?,
        (_, Some(file)) => read_text(Path::new(file))?,
        _ => input.to_owned(),
    };
    serde_json::from_str(&text)
        .context("the input is not JSON; hint: quote it for the shell, `'{\"key\": \"value\"}'`")
}

/// An attendance that the first Ctrl-C cancels. The second one ends the process, as if nobody had listened.
///
/// From the moment this returns: a Ctrl-C that comes before the first call has started counts, too.
pub(super) fn interruptible() -> anyhow::Result<Attendance> {
    let attendance = Attendance::default();
    let cancel = attendance.cancel.clone();
    let mut interrupts = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    tokio::spawn(async move {
        interrupts.recv().await;
        cancel.cancel();
        interrupts.recv().await;
        std::process::exit(super::Exit::Interrupted as i32);
    });
    Ok(attendance)
}
