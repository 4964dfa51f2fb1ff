//! The tool Bash: runs a command line and says what came of it.

use mortise_sdk::process::{self, Command, Running, Status};
use mortise_sdk::{
    Answers, Content, Descriptor, Failure, Invocation, Need, OrFail as _, Outcome, Progress, Rejection,
    Subject, Tool, files, paths, progress,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::line;
use crate::output::{Kept, cut};
use crate::sed::{self, Edit};

/// Milliseconds in the foreground: by default, at most.
const FOREGROUND: (u32, u32) = (120_000, 600_000);
/// Milliseconds in the background: by default, at most.
const BACKGROUND: (u32, u32) = (1_800_000, 7_200_000);
/// Characters that are shown of the output: of a success, of a failure.
const SHOWN: (usize, usize) = (30_000, 10_000);

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The command line.
    command: String,
    /// Milliseconds it may take: 120000 by default, at most 600000; in the background 1800000 and at most 7200000.
    timeout: Option<u32>,
    /// What the command does, in five to ten words, for people.
    description: Option<String>,
    /// Leave it running and answer at once with an id and the file that its output goes into. Default: false.
    run_in_background: Option<bool>,
    /// Has no effect here: what confines a command is the operator's to say.
    #[serde(rename = "dangerouslyDisableSandbox")]
    #[expect(dead_code, reason = "it is in the published input; the host takes it out")]
    dangerously_disable_sandbox: Option<bool>,
}

/// What programs get.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    stdout: String,
    stderr: String,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out_after_ms: Option<u32>,
    /// The file with all of the output, where not all of it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted_output_path: Option<String>,
    /// Bytes of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted_output_size: Option<usize>,
    /// What an exit code means that is no failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    return_code_interpretation: Option<String>,
}

/// The tool Bash.
pub struct Bash;

impl Tool for Bash {
    type Input = Input;
    const NAME: &'static str = "Bash";
    const DESCRIPTION: &'static str = "Runs a command line in bash and answers its output. The working directory \
        stays from one call to the next, variables and functions do not. Standard input is empty. It reaches the \
        working directories and the machine's programs, and as a rule not the network. Of long output the middle is \
        left out, and the whole is in a file that is named. A command that takes longer than its timeout goes on in \
        the background. What it starts with `&` ends with it: for a server or another long command, set \
        `run_in_background`. To look into files prefer Read, Grep and Glob, to change them Edit and Write.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Run command")
            .search_hint("bash shell command run execute terminal")
            .output::<Output>()
            .command_field("command")
            .needs(Need::RunCommands)
            .needs(Need::WriteFiles)
            .previews()
            .unbounded_result()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        if input.command.trim().is_empty() {
            return Err(Rejection::new("the command is empty: send the line to run"));
        }
        input.times()?;
        let mut answers = Answers::new().subject(Subject::command(&input.command));
        if let Some(edit) = Edit::parse(&input.command) {
            answers = answers.subject(Subject::write_file(paths::resolve(&edit.file)?.to_string_lossy()));
        }
        if let Some(description) = &input.description {
            answers = answers.summary(description).classify(description);
        }
        let first: String = input.command.lines().next().unwrap_or_default().chars().take(120).collect();
        Ok(answers.title(format!("Running {first}")))
    }

    fn preview(input: Input, _: &Invocation) -> Result<Vec<Content>, Rejection> {
        let Some(edit) = Edit::parse(&input.command) else { return Ok(Vec::new()) };
        let shown = match std::fs::read(paths::resolve(&edit.file)?) {
            Ok(before) => sed::difference(&edit.file, &before, &edit.apply(&before)).0,
            Err(error) => format!("{} cannot be read before permission is given: {error}", edit.file),
        };
        Ok(vec![shown.into()])
    }

    fn call(input: Input, invocation: &Invocation) -> Result<Outcome, Failure> {
        Self::inspect(&input, invocation)?;
        if let Some(edit) = Edit::parse(&input.command) {
            return edited(&edit);
        }
        let file = process::output_file(invocation);
        let command = Command::new(&input.command).timeout_ms(input.times()?);
        if input.in_background() {
            let running = command.background().start()?;
            return Ok(Ran::default().left_running(running.detach(), None, file.as_deref()));
        }
        let running = command.start()?;
        let (ran, status) = Ran::read(&running);
        if process::has_ended(&status) {
            return ran.ended(&input.command, &status, file.as_deref());
        }
        let timed_out = status.timed_out.then_some(input.times()?);
        if timed_out.is_none() || line::goes_on(&input.command) {
            return Ok(ran.left_running(running.detach(), timed_out, file.as_deref()));
        }
        running.kill();
        // What it wrote until then.
        let (rest, _) = Ran::read(&running);
        Err(ran.and(rest).stopped(input.times()?, file.as_deref()))
    }
}

/// Does what the preview showed.
fn edited(edit: &Edit) -> Result<Outcome, Failure> {
    let path = paths::resolve(&edit.file)?;
    let before = std::fs::read(&path).or_fail(format!("sed: {}", edit.file))?;
    let after = edit.apply(&before);
    let (_, lines) = sed::difference(&edit.file, &before, &after);
    if after != before {
        files::replace(&path.to_string_lossy(), &after)?;
    }
    let text = format!("{} was changed in {lines} lines", edit.file);
    Ok(Outcome::text(text).structured(&Output::default()))
}

impl Input {
    fn in_background(&self) -> bool {
        self.run_in_background == Some(true)
    }

    /// Milliseconds that it may take.
    fn times(&self) -> Result<u32, Rejection> {
        let (default, most) = if self.in_background() { BACKGROUND } else { FOREGROUND };
        let time = self.timeout.unwrap_or(default);
        if time == 0 || time > most {
            return Err(Rejection::new(format!(
                "`timeout` is {time}: give milliseconds from 1 to {most}, or leave it out; a command that takes longer \
                 can be run with `run_in_background`"
            )));
        }
        Ok(time)
    }
}

/// The output of a command so far.
#[derive(Debug, Default)]
struct Ran {
    stdout: Kept,
    stderr: Kept,
}

impl Ran {
    /// Reads until there is no more to wait for, and says why.
    fn read(running: &Running) -> (Self, Status) {
        let mut ran = Self::default();
        while let Some(output) = running.read() {
            ran.stdout.take(&output.stdout);
            ran.stderr.take(&output.stderr);
            let last = [&output.stdout, &output.stderr].into_iter().find(|bytes| !bytes.is_empty());
            let last =
                last.and_then(|bytes| bytes.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()));
            if let Some(line) = last {
                let line: String = String::from_utf8_lossy(line).chars().take(200).collect();
                progress::report(Progress::message(line));
            }
        }
        (ran, running.wait())
    }

    fn and(mut self, rest: Self) -> Self {
        self.stdout.take(rest.stdout.text().as_bytes());
        self.stderr.take(rest.stderr.text().as_bytes());
        self
    }

    /// Both streams, one below the other, cut.
    fn shown(&self, limit: usize, file: Option<&str>) -> (Output, String) {
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        let parts = [stdout.trim_end(), stderr.trim_end()].into_iter().filter(|part| !part.is_empty());
        let text = parts.collect::<Vec<_>>().join("\n");
        let over = text.chars().count() > limit;
        let output = Output {
            stdout: cut(&stdout, limit, file),
            stderr: cut(&stderr, limit, file),
            persisted_output_path: file.filter(|_| over).map(str::to_owned),
            persisted_output_size: over.then(|| self.stdout.total() + self.stderr.total()),
            ..Output::default()
        };
        (output, cut(&text, limit, file))
    }

    fn ended(self, line: &str, status: &Status, file: Option<&str>) -> Result<Outcome, Failure> {
        let meaning = status.code.and_then(|code| line::meaning(line, code));
        if status.code == Some(0) || meaning.is_some() {
            let (mut output, mut text) = self.shown(SHOWN.0, file);
            output.return_code_interpretation = meaning.map(str::to_owned);
            if text.is_empty() {
                text = match (meaning, status.code) {
                    (Some(meaning), Some(code)) => format!("{meaning} (exit code {code})"),
                    _ => "(no output)".to_owned(),
                };
            }
            return Ok(Outcome::text(text).structured(&output));
        }
        let how = match (status.code, status.signal) {
            (Some(code), _) => format!("Exit code {code}"),
            (None, Some(signal)) => format!("Ended by signal {signal}"),
            (None, None) => "Ended".to_owned(),
        };
        Err(self.failed(how, Output::default(), file))
    }

    fn stopped(self, time: u32, file: Option<&str>) -> Failure {
        let how =
            format!("The command did not complete within its {} timeout and was stopped", seconds(time));
        self.failed(
            how,
            Output { interrupted: true, timed_out_after_ms: Some(time), ..Output::default() },
            file,
        )
    }

    fn failed(self, how: String, about: Output, file: Option<&str>) -> Failure {
        let (output, text) = self.shown(SHOWN.1, file);
        let text = if text.is_empty() { how } else { format!("{how}\n{text}") };
        let output =
            Output { interrupted: about.interrupted, timed_out_after_ms: about.timed_out_after_ms, ..output };
        Failure::Failed(Box::new(Outcome::text(text).structured(&output)))
    }

    fn left_running(self, id: String, timed_out: Option<u32>, file: Option<&str>) -> Outcome {
        let (mut output, shown) = self.shown(SHOWN.1, file);
        let place =
            file.map_or_else(String::new, |file| format!(" Its output goes into {file}: read that file."));
        let how = match timed_out {
            Some(time) => format!(
                "Command did not complete within its {} timeout and was moved to the background",
                seconds(time)
            ),
            None => "Command is running in the background".to_owned(),
        };
        let mut text = format!("{how} with id {id}.{place} TaskStop ends it.");
        if !shown.is_empty() {
            text = format!("{text}\nSo far:\n{shown}");
        }
        output.background_task_id = Some(id);
        output.timed_out_after_ms = timed_out;
        output.persisted_output_path = file.map(str::to_owned);
        output.persisted_output_size = None;
        Outcome::text(text).structured(&output)
    }
}

fn seconds(milliseconds: u32) -> String {
    if milliseconds.is_multiple_of(1_000) {
        format!("{}s", milliseconds / 1_000)
    } else {
        format!("{milliseconds}ms")
    }
}
