//! `mortise explain`: what would become of a call. Also the words in which `demo` explains one.

use std::io::{self, Write};

use clap::Args;

use super::options::{HostOptions, read_input};
use super::{Exit, paint};
use crate::contract::{Access, Extent};
use crate::execution::{Call, Explanation, StepReport};
use crate::permission::{Effect, FileGrant, GrantSummary, Resolved, RuleRef};
use crate::surfaces::visible;

/// Says what each step of the path would answer, which rule would decide, and what the call would get.
///
/// Runs no call and asks nobody; goes on through all steps after one has failed. Exits 0 whatever the decision.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mortise explain Read '{\"file_path\": \"/etc/passwd\"}' --deny 'Read(//etc/**)'"
)]
pub(super) struct Explain {
    /// Name of the tool.
    tool: String,
    /// Input as JSON, `@FILE`, or `-` for standard input.
    input: String,
    /// Print the explanation as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: HostOptions,
}

impl Explain {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let call = Call { id: "explain".to_owned(), name: self.tool, input: read_input(&self.input)? };
        let explanation = self.options.host().await?.explain(call).await;
        if self.json {
            writeln!(io::stdout().lock(), "{}", serde_json::to_string_pretty(&explanation)?)?;
        } else {
            let mut out = anstream::stdout().lock();
            steps(&mut out, &explanation.steps)?;
            outlook(&mut out, &explanation)?;
        }
        Ok(Exit::Done)
    }
}

/// The steps, one a line.
fn steps(out: &mut impl Write, steps: &[StepReport]) -> io::Result<()> {
    for step in steps {
        let (name, outcome) = (format!("{:<13}", step.step), visible(step.outcome));
        writeln!(
            out,
            "{} {}  {}",
            paint::bold(name),
            paint::cyan(outcome),
            paint::dim(visible(&step.detail))
        )?;
    }
    Ok(())
}

/// Subjects, decision and grant.
pub(super) fn outlook(out: &mut impl Write, explanation: &Explanation) -> io::Result<()> {
    for said in explanation.subjects.iter().map(subject) {
        writeln!(out, "{} {said}", paint::bold(format!("{:<13}", "subject")))?;
    }
    let decision = match explanation.decision {
        Effect::Allow => paint::green("allow").to_string(),
        Effect::Ask => paint::yellow("ask").to_string(),
        Effect::Deny => paint::red("deny").to_string(),
    };
    writeln!(
        out,
        "{} {decision}: {}",
        paint::bold(format!("{:<13}", "decision")),
        visible(&explanation.reason)
    )?;
    if let Some(written) = &explanation.rule {
        writeln!(out, "{} {}", paint::bold(format!("{:<13}", "rule")), rule(written))?;
    }
    for held in grant(&explanation.grant) {
        writeln!(out, "{} {held}", paint::bold(format!("{:<13}", "grant")))?;
    }
    Ok(())
}

fn rule(rule: &RuleRef) -> String {
    let source = visible(&rule.source);
    match rule.line {
        Some(line) => format!("`{}` ({source}:{line})", visible(&rule.text)),
        None => format!("`{}` ({source})", visible(&rule.text)),
    }
}

/// A subject in words.
pub(super) fn subject(subject: &Resolved) -> String {
    match subject {
        Resolved::Path { forms, access, extent } => {
            let (named, real) = (forms.named.display().to_string(), forms.real.display().to_string());
            let leads = if named == real { String::new() } else { format!(", which is {}", visible(&real)) };
            format!("{} {}{leads}", reach(*access, *extent), visible(&named))
        }
        Resolved::Url { url, method } => format!("{} {}", visible(method), visible(url.as_str())),
        Resolved::Command { command, .. } => format!("run `{}`", visible(command)),
        Resolved::Text { text } => format!("`{}`", visible(text)),
        Resolved::Opaque { text, why } => format!("`{}` ({})", visible(text), visible(why)),
    }
}

fn reach(access: Access, extent: Extent) -> &'static str {
    match (access, extent) {
        (Access::Read, Extent::File) => "read",
        (Access::Read, Extent::Tree) => "read all in",
        (Access::Write, Extent::File) => "write",
        (Access::Write, Extent::Tree) => "write all in",
    }
}

/// What a grant holds, in words; one line that says so if it holds nothing.
pub(super) fn grant(grant: &GrantSummary) -> Vec<String> {
    let mut held = Vec::new();
    let file = |file: &FileGrant| {
        format!("{} {}", reach(file.access, file.extent), visible(&file.path.display().to_string()))
    };
    held.extend(grant.files.iter().map(file));
    for origin in &grant.egress {
        let methods = if origin.safe_methods { "GET and HEAD to" } else { "requests to" };
        held.push(format!("{methods} {}://{}:{}", origin.scheme, visible(&origin.host), origin.port));
    }
    if let Some(command) = &grant.command {
        held.push(format!("run `{}`, which may", visible(&command.line)));
        held.extend(command.files.iter().map(|reached| format!("  {}", file(reached))));
        held.push(if command.network { "  use the network" } else { "  use no network" }.to_owned());
    }
    held.extend(grant.tools.iter().map(|tool| format!("call the tool {}", visible(tool))));
    held.extend(grant.secrets.iter().map(|secret| format!("have the secret {} attached", visible(secret))));
    held.extend(grant.storage.then(|| "its own storage".to_owned()));
    if held.is_empty() {
        held.push("nothing: no file, no network, no command".to_owned());
    }
    held
}
