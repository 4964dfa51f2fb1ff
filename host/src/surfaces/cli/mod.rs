//! The command line: parse, run, exit code. Each command has a file of its own.
//!
//! Leaves to others: reading configuration (`config`), everything that happens to a call (`host`).

mod call;
mod demo;
mod doctor;
mod explain;
mod list;
mod options;
mod paint;
mod prompt;
mod run;
mod trust;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use prompt::Terminal;

use super::visible_lines;

/// The runtime that AI agents' tools live in.
#[derive(Debug, Parser)]
#[command(name = "mortise", version, about, after_help = "Start with `mortise demo`.", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the calls of one model turn and print the message that answers it.
    Run(run::Run),
    /// Run one call and print what it returns.
    Call(call::CallOne),
    /// List the tools as a model would be shown them.
    List(list::List),
    /// Say what would become of a call, without running it or asking anybody.
    Explain(explain::Explain),
    /// Run a recorded model turn in a scratch folder and explain every step.
    Demo(demo::Demo),
    /// Say what is missing on this machine, and how to get it.
    Doctor(doctor::Doctor),
    /// Accept a plugin as it is now, see what is accepted, and take it back.
    Trust(trust::Trust),
}

/// What a command came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    Done = 0,
    ToolFailed = 1,
    WrongUsage = 2,
    Denied = 3,
    NotLoaded = 4,
    Interrupted = 130,
}

/// Parses the process's arguments, runs the command and answers its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return ended(Err(error.into())),
    };
    let result = runtime.block_on(run(cli.command));
    // A question that nobody answered may still wait for the terminal: it must not hold up the end.
    runtime.shutdown_background();
    ended(result)
}

async fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Run(command) => command.run().await,
        Command::Call(command) => command.run().await,
        Command::List(command) => command.run().await,
        Command::Explain(command) => command.run().await,
        Command::Demo(command) => command.run().await,
        Command::Doctor(command) => command.run(),
        Command::Trust(command) => command.run().await,
    }
}

fn ended(result: anyhow::Result<Exit>) -> ExitCode {
    let exit = result.unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            // Whoever read the output has enough of it.
            return Exit::Done;
        }
        let mut err = anstream::stderr().lock();
        // An error may quote what others wrote. Nowhere is left to say that standard error is closed.
        let _ = writeln!(err, "{} {}", paint::red("error:"), visible_lines(&format!("{error:#}")));
        Exit::WrongUsage
    });
    ExitCode::from(exit as u8)
}

/// What a call came to, also where nobody read to the end what was printed of it.
fn printed(printing: anyhow::Result<()>, exit: Exit) -> anyhow::Result<Exit> {
    match printing {
        Err(error) if !is_closed_pipe(&error) => Err(error),
        _ => Ok(exit),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
