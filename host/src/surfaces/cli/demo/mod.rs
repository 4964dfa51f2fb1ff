//! `mortise demo`: a recorded model turn, run for real through the core tools in a scratch folder, and every step
//! of it explained. The turn is recorded; nothing that happens to it is.

mod project;

use std::io::{self, Write};

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use self::project::{FIXED, Project};
use super::call::unwrapped;
use super::{Exit, explain, paint};
use crate::config::{Places, Sources, load};
use crate::contract::Content;
use crate::execution::{Call, CallResult, Ending, Explanation};
use crate::host::Host;
use crate::surfaces::{messages, visible, visible_lines};

/// Lines of one result that are shown.
const EXCERPT: usize = 9;

/// Runs a recorded model turn through the core tools in a scratch folder and explains what happens to each call.
///
/// Exits 0 only if the file on disk was really edited, and the denied file really stayed unread.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mortise demo")]
pub(super) struct Demo {
    /// Leave the scratch folder in place.
    #[arg(long)]
    keep: bool,
}

impl Demo {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let project = Project::write(self.keep)?;
        let host = host(&project).await?;
        let mut out = anstream::stdout().lock();
        opening(&mut out, &project)?;

        let turn = messages::read_turn(&project.turn()?)?;
        let mut held = true;
        for (number, call) in (1..).zip(turn) {
            let result = one(&mut out, &host, &project, number, call).await?;
            held &= result.ending == Ending::Done && !says(&result, "live.txt");
        }
        let basket = project.basket()?;
        let edited = basket == FIXED;
        disk(&mut out, &project, &basket)?;

        let denied = json!({ "file_path": project.path("keys/live.txt") });
        let denied = Call { id: "toolu_demo_5".to_owned(), name: "Read".to_owned(), input: denied };
        writeln!(out, "\n{}", paint::bold("And one call that must not work: the model asks for the key."))?;
        let result = one(&mut out, &host, &project, 5, denied).await?;
        held &= result.ending == Ending::Denied && !says(&result, project::SECRET);
        closing(&mut out, &project, edited, held)?;
        Ok(if edited && held { Exit::Done } else { Exit::ToolFailed })
    }
}

/// The host of the demonstration: the scratch project's own mortise.toml, named and so trusted, and nothing of
/// the user's but the cache of compiled code.
async fn host(project: &Project) -> anyhow::Result<Host> {
    let machine = Places::of_this_machine();
    let places = Places { home: machine.home, cache: machine.cache, ..Places::default() };
    let config = load(&Sources {
        working_directory: project.root().to_path_buf(),
        config: Some(project.root().join("mortise.toml")),
        places: Some(places),
        ..Sources::default()
    })?;
    Host::builder().config(config).build().await.context("the host of the demonstration")
}

fn opening(out: &mut impl Write, project: &Project) -> io::Result<()> {
    let root = project.root().display();
    writeln!(out, "{}", paint::bold("A recorded model turn, run through sandboxed tools"))?;
    writeln!(out, "The project is a scratch folder: {root}")?;
    writeln!(
        out,
        "Its mortise.toml allows {} and denies {}.",
        paint::green("Edit(src/**)"),
        paint::red("Read(keys/**)")
    )?;
    writeln!(
        out,
        "Each tool is a WebAssembly component. It starts with nothing and is handed what its call was granted."
    )
}

/// One call: explained, then run.
async fn one(
    out: &mut impl Write,
    host: &Host,
    project: &Project,
    number: usize,
    call: Call,
) -> anyhow::Result<CallResult> {
    let input = project.shortened(&visible(&call.input.to_string()));
    writeln!(
        out,
        "\n{} {}",
        paint::bold(paint::cyan(format!("{number}  {}", visible(&call.name)))),
        paint::dim(input)
    )?;
    let explanation = host.explain(call.clone()).await;
    let mut told = Vec::new();
    tell(&mut told, &explanation)?;
    explain::outlook(&mut told, &explanation)?;
    for line in String::from_utf8_lossy(&told).lines() {
        writeln!(out, "   {}", project.shortened(line))?;
    }
    let result = host.call(call).await;
    let ending = match result.ending {
        Ending::Done => paint::green("done").to_string(),
        Ending::Denied => paint::red("denied").to_string(),
        other => paint::red(format!("{other:?}").to_lowercase()).to_string(),
    };
    let took = paint::dim(format!("in {:.1} ms", result.duration.as_secs_f64() * 1_000.0));
    writeln!(out, "   {} {ending} {took}", paint::bold("result       "))?;
    excerpt(out, project, &result)?;
    Ok(result)
}

/// The two steps before the decision.
fn tell(out: &mut impl Write, explanation: &Explanation) -> io::Result<()> {
    let steps =
        [("validate", "validated", ""), ("inspect", "inspected", " by an instance that can reach nothing")];
    for (step, label, how) in steps {
        let Some(report) = explanation.steps.iter().find(|report| report.step == step) else { continue };
        let (outcome, detail) = (visible(report.outcome), visible(&report.detail));
        writeln!(out, "{} {outcome}{how}: {detail}", paint::bold(format!("{label:<13}")))?;
    }
    Ok(())
}

fn excerpt(out: &mut impl Write, project: &Project, result: &CallResult) -> io::Result<()> {
    let text = result.content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n");
    let text = visible_lines(unwrapped(&text));
    let mut lines = text.lines();
    for line in lines.by_ref().take(EXCERPT) {
        writeln!(out, "   {} {}", paint::dim("│"), project.shortened(line))?;
    }
    let more = lines.count();
    if more > 0 {
        writeln!(out, "   {}", paint::dim(format!("│ … {more} lines more")))?;
    }
    Ok(())
}

/// The file as it is on disk now, beside what was written there before the turn.
fn disk(out: &mut impl Write, project: &Project, now: &str) -> io::Result<()> {
    writeln!(out, "\n{}", paint::bold("src/basket.rs on disk, before and after"))?;
    let mut before = project::BASKET.lines();
    let mut after = now.lines();
    loop {
        match (before.next(), after.next()) {
            (None, None) => return Ok(()),
            (Some(old), Some(new)) if old == new => writeln!(out, "     {}", paint::dim(old))?,
            (old, new) => {
                if let Some(line) = old {
                    writeln!(out, "   {}", paint::red(format!("- {line}")))?;
                }
                if let Some(line) = new {
                    writeln!(out, "   {}", paint::green(format!("+ {}", project.shortened(&visible(line)))))?;
                }
            }
        }
    }
}

fn closing(out: &mut impl Write, project: &Project, edited: bool, held: bool) -> io::Result<()> {
    let line = |out: &mut _, fine: bool, yes: &str, no: &str| said(out, fine, yes, no);
    writeln!(out)?;
    line(
        out,
        edited,
        "The file on disk was edited as the turn asked.",
        "The file on disk is not what the turn asked for.",
    )?;
    line(
        out,
        held,
        "keys/live.txt has the word `total`, too. Grep did not find it, and Read was refused: the rule holds inside the sandbox.",
        "A call did not end as it should have.",
    )?;
    if project.kept() {
        writeln!(out, "The scratch folder stays: {}", project.root().display())?;
    }
    writeln!(
        out,
        "{}",
        paint::dim("Next: `mortise list`, or `mortise explain Read '{\"file_path\": \"/etc/passwd\"}'`")
    )
}

fn said(out: &mut impl Write, fine: bool, yes: &str, no: &str) -> io::Result<()> {
    if fine {
        writeln!(out, "{} {yes}", paint::green("✓"))
    } else {
        writeln!(out, "{} {no}", paint::red("✗"))
    }
}

fn says(result: &CallResult, text: &str) -> bool {
    result.content.iter().filter_map(Content::as_text).any(|said| said.contains(text))
}
