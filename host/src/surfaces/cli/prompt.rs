//! The terminal as the one who is asked: shows what a call would touch and get, and reads one answer.

#![expect(clippy::disallowed_methods, reason = "it opens the terminal")]

use std::fs::File;
use std::io::{self, BufReader, IsTerminal as _, Write};

use async_trait::async_trait;
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::Mutex;

use super::{explain, paint};
use crate::permission::{Answer, Authorizer, Question};
use crate::surfaces::visible;

/// Characters of the input, and lines of a preview, that a question shows.
const MAX_INPUT: usize = 2_000;
const MAX_PREVIEW: usize = 200;

/// Asks at the terminal. Where standard input and standard error are not both terminals nobody is there, and
/// every question is answered [`Answer::Nobody`].
#[derive(Debug, Default)]
pub struct Terminal {
    /// One question at a time.
    turn: Mutex<()>,
}

#[async_trait]
impl Authorizer for Terminal {
    async fn authorize(&self, question: &Question) -> Answer {
        if !self.interactive() {
            return Answer::Nobody;
        }
        let _turn = self.turn.lock().await;
        let mut text = Vec::new();
        if write_question(&mut text, question).is_err() {
            return Answer::Nobody;
        }
        let answered = tokio::task::spawn_blocking(move || {
            let mut input = open_input();
            anstream::stderr().lock().write_all(&text)?;
            read_answer(input.as_mut())
        });
        match answered.await {
            Ok(Ok(answer)) => answer,
            // The terminal went away in the middle of the question.
            Ok(Err(_)) | Err(_) => Answer::Nobody,
        }
    }

    fn interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }
}

/// Writes a question in the host's own words; what a tool says is quoted, and nothing in it is obeyed.
fn write_question(out: &mut impl Write, question: &Question) -> io::Result<()> {
    let tool = paint::bold(visible(&question.tool));
    writeln!(out, "\n{tool} {}", paint::dim(format!("{} · {}", visible(&question.origin), question.digest)))?;
    let input: String = visible(&question.input.to_string()).chars().take(MAX_INPUT + 1).collect();
    match input.char_indices().nth(MAX_INPUT) {
        Some((end, _)) => writeln!(out, "  input     {}… (cut; the call is the whole)", &input[..end])?,
        None => writeln!(out, "  input     {input}")?,
    }
    for subject in &question.subjects {
        writeln!(out, "  touches   {}", explain::subject(subject))?;
    }
    for held in explain::grant(&question.grant) {
        writeln!(out, "  would get {held}")?;
    }
    writeln!(out, "  asked     {}", visible(&question.decision.reason))?;
    let preview = question.preview.iter().flat_map(|text| text.split('\n'));
    let mut lines = preview.peekable();
    if lines.peek().is_some() {
        writeln!(out, "  {}", paint::dim("the tool says:"))?;
    }
    for line in lines.by_ref().take(MAX_PREVIEW) {
        writeln!(out, "  {} {}", paint::dim("│"), preview_line(line))?;
    }
    let more = lines.count();
    if more > 0 {
        writeln!(out, "  {} … and {more} lines more", paint::dim("│"))?;
    }
    for rule in &question.decision.suggestions {
        writeln!(out, "  {}", paint::dim(format!("`--allow '{}'` would allow it unasked", visible(rule))))?;
    }
    write!(
        out,
        "{} [y]es, once · yes, for this [s]ession · [n]o, or n and a reason: ",
        paint::bold("Run it?")
    )
}

fn preview_line(line: &str) -> String {
    let line = visible(line.trim_end_matches('\r'));
    match line.chars().next() {
        Some('+') => paint::green(line).to_string(),
        Some('-') => paint::red(line).to_string(),
        _ => line,
    }
}

/// Where an answer is read from: the terminal itself where it can be opened, so that nothing which waits in standard
/// input answers by accident.
fn open_input() -> Box<dyn io::BufRead> {
    match File::open("/dev/tty") {
        Ok(terminal) => {
            // Nor does what was typed before the question was there to be read.
            let _ = tcflush(&terminal, QueueSelector::IFlush);
            Box::new(BufReader::new(terminal))
        }
        Err(_) => Box::new(io::stdin().lock()),
    }
}

/// Reads until an answer is understood. The end of the input is no answer.
fn read_answer(input: &mut dyn io::BufRead) -> io::Result<Answer> {
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(Answer::Nobody);
        }
        if let Some(answer) = understood(&line) {
            return Ok(answer);
        }
        write!(io::stderr().lock(), "y, s or n: ")?;
    }
}

fn understood(line: &str) -> Option<Answer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_ascii_lowercase().as_str() {
        "y" | "yes" if rest.is_empty() => Some(Answer::Once),
        "s" | "session" if rest.is_empty() => Some(Answer::Session),
        "n" | "no" => {
            let reason = rest.trim();
            Some(Answer::Deny { reason: (!reason.is_empty()).then(|| reason.to_owned()) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_a_yes() {
        assert_eq!(understood("y\n"), Some(Answer::Once));
        assert_eq!(understood("Session\n"), Some(Answer::Session));
        assert_eq!(understood("n too wide\n"), Some(Answer::Deny { reason: Some("too wide".to_owned()) }));
        for unclear in ["", "\n", "y but ask again", "yn", "ok"] {
            assert_eq!(understood(unclear), None, "{unclear:?}");
        }
    }
}
