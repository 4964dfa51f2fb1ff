//! `mortise doctor`: what this machine lacks, and the command that gets it.

#![expect(clippy::disallowed_methods, reason = "it looks at the machine for the operator")]

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;
use std::process::Command;

use clap::Args;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

use super::options::HostOptions;
use super::{Exit, paint};
use crate::config::{Config, load};
use crate::sandbox::process::Support;
use crate::surfaces::visible_lines;

/// What plugins are compiled to.
const TARGET: &str = "wasm32-wasip2";

/// Says what is missing on this machine and how to get it.
///
/// Exits 0 when all that is needed to run tools is there, 2 when not. What is needed only to build plugins is
/// said and does not count.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mortise doctor\n  mortise doctor --fix")]
pub(super) struct Doctor {
    /// Get what can be got: adds the wasm target with rustup.
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    options: HostOptions,
}

/// One thing looked at.
struct Finding {
    what: &'static str,
    /// Whether tools cannot run without it.
    needed: bool,
    /// What was found, or what is wrong with the next step.
    found: Result<String, String>,
}

impl Doctor {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let config = load(&self.options.sources());
        let mut findings = vec![Finding { what: "kernel", needed: true, found: kernel() }];
        findings.extend(configuration(&config));
        findings.push(Finding { what: "commands", needed: false, found: commands(config.as_ref().ok()) });
        if let Ok(config) = &config {
            let cache = config.sandbox.cache.as_deref();
            findings.push(Finding { what: "cache", needed: false, found: cache_folder(cache) });
        }
        findings.push(Finding { what: "wasm target", needed: false, found: target(self.fix) });

        let mut out = anstream::stdout().lock();
        for Finding { what, needed, found } in &findings {
            let what = paint::bold(format!("{what:<13}"));
            match found {
                Ok(found) => writeln!(out, "{} {what} {}", paint::green("✓"), visible_lines(found))?,
                Err(why) if *needed => writeln!(out, "{} {what} {}", paint::red("✗"), visible_lines(why))?,
                Err(why) => writeln!(out, "{} {what} {}", paint::yellow("!"), visible_lines(why))?,
            }
        }
        let well = findings.iter().all(|finding| !finding.needed || finding.found.is_ok());
        Ok(if well { Exit::Done } else { Exit::WrongUsage })
    }
}

/// Whether the kernel can open a file below a folder without ever leaving it.
fn kernel() -> Result<String, String> {
    let (flags, resolve) =
        (OFlags::PATH | OFlags::CLOEXEC, ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS);
    match openat2(CWD, ".", flags, Mode::empty(), resolve) {
        Ok(_) => Ok("openat2 holds file access inside a folder".to_owned()),
        Err(error) => Err(format!(
            "openat2 does not answer: {error}; hint: Linux 5.6 or later, outside seccomp filters that hide it"
        )),
    }
}

/// How commands are confined.
fn commands(config: Option<&Config>) -> Result<String, String> {
    let unconfined = config.is_some_and(|config| config.sandbox.process.unconfined);
    match Support::of_this_kernel().told() {
        Ok(told) if unconfined => Err(format!(
            "they run unconfined, since the configuration says `[process] unconfined = true`; hint: take it out; this              kernel has {told}"
        )),
        Err(_) if unconfined => Err(
            "they run unconfined, by `[process] unconfined = true`; the kernel has no Landlock to confine them"
                .to_owned(),
        ),
        told => told,
    }
}

fn configuration<E: std::fmt::Display>(config: &Result<Config, E>) -> Vec<Finding> {
    let finding = |needed, found| Finding { what: "configuration", needed, found };
    match config {
        Err(error) => vec![finding(true, Err(error.to_string()))],
        Ok(config) => {
            let mut findings: Vec<Finding> =
                config.files.iter().map(|file| finding(true, Ok(file.display().to_string()))).collect();
            if findings.is_empty() {
                findings.push(finding(true, Ok("no file; defaults".to_owned())));
            }
            findings.extend(config.warnings.iter().map(|warning| finding(false, Err(warning.clone()))));
            findings
        }
    }
}

/// Whether compiled code has a place that nobody else can write to.
fn cache_folder(cache: Option<&Path>) -> Result<String, String> {
    let cache = cache.ok_or("no home folder, so nothing is cached; hint: set HOME")?;
    let shown = cache.display();
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(cache)
        .map_err(|error| format!("cannot make `{shown}`: {error}; without it every start compiles"))?;
    let found = cache.metadata().map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("`{shown}` belongs to another user; hint: remove it, or set XDG_CACHE_HOME"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(format!("others can write to `{shown}`; hint: `chmod go-w {shown}`"));
    }
    Ok(format!("{shown}, yours alone to write"))
}

/// Whether plugins can be built here, and with `fix`, that they can.
fn target(fix: bool) -> Result<String, String> {
    if installed()? {
        return Ok(format!("{TARGET} is there, for building plugins"));
    }
    if !fix {
        return Err(format!(
            "{TARGET} is missing, for building plugins; hint: `mortise doctor --fix` or `rustup target add {TARGET}`"
        ));
    }
    let added =
        Command::new("rustup").args(["target", "add", TARGET]).stdout(std::process::Stdio::null()).status();
    match added {
        Ok(status) if status.success() => Ok(format!("{TARGET} was added")),
        Ok(status) => Err(format!("`rustup target add {TARGET}` failed: {status}")),
        Err(error) => Err(no_rustup(&error)),
    }
}

fn installed() -> Result<bool, String> {
    let listed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let listed = listed.map_err(|error| no_rustup(&error))?;
    Ok(String::from_utf8_lossy(&listed.stdout).lines().any(|line| line.trim() == TARGET))
}

fn no_rustup(error: &std::io::Error) -> String {
    format!("rustup does not run: {error}; hint: https://rustup.rs, for building plugins in Rust")
}
