//! A window in words: numbered lines, and the notices around them.

use std::fmt::Write;

use mortise_sdk::Failure;

use crate::window::Window;

/// Whether the larger of the two caps on tokens holds.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum AllowLarge {
    Yes,
    No,
}

impl AllowLarge {
    /// The most estimated tokens of lines that one call shows.
    pub(crate) fn cap(self) -> u64 {
        match self {
            Self::Yes => 100_000,
            Self::No => 25_000,
        }
    }
}

/// What one call answers.
pub(crate) struct Page {
    /// For the model.
    pub(crate) text: String,
    /// The lines without numbers.
    pub(crate) content: String,
    pub(crate) start: u64,
    pub(crate) lines: u64,
    pub(crate) total: u64,
    pub(crate) cut_by_cap: bool,
}

impl Page {
    /// The page of a window that the whole file went past.
    ///
    /// # Errors
    /// A rejection if the range was asked for and is over the cap.
    pub(crate) fn new(window: &Window, allow: AllowLarge, asked_for: bool) -> Result<Self, Failure> {
        let (start, total, lines) = (window.first(), window.total(), window.kept().len() as u64);
        if window.is_over_cap() && asked_for {
            return Err(over_cap(window, allow));
        }
        let mut page = Self {
            text: String::new(),
            content: String::new(),
            start,
            lines,
            total,
            cut_by_cap: window.is_over_cap(),
        };
        if total == 0 {
            page.text = "The file exists and is empty.".to_owned();
        } else if start > total {
            page.text = format!("The file has {total} lines: line {start} is past its end.");
        } else {
            page.number(window);
        }
        Ok(page)
    }

    fn number(&mut self, window: &Window) {
        if self.cut_by_cap {
            let next = self.start + self.lines;
            let more = self.lines.max(1).min(self.total - self.lines);
            let _ = writeln!(
                self.text,
                "[PARTIAL view: lines {} to {} of {}, since the whole file is about {} tokens. Read on with offset \
                 {next} and limit {more}, or find the place with Grep first.]",
                self.start,
                next - 1,
                self.total,
                window.range_tokens(),
            );
        }
        for (number, line) in (self.start..).zip(window.kept()) {
            if number > self.start {
                self.text.push('\n');
                self.content.push('\n');
            }
            let _ = write!(self.text, "{number:>6}\t{}", line.text);
            self.content.push_str(&line.text);
            if line.cut > 0 {
                let _ = write!(
                    self.text,
                    " [… line cut here: {} more bytes; use Grep with -o to see a part]",
                    line.cut
                );
            }
        }
    }
}

fn over_cap(window: &Window, allow: AllowLarge) -> Failure {
    let fits = window.kept().len().max(1);
    let larger = match allow {
        AllowLarge::No => " or set allow_large",
        AllowLarge::Yes => "",
    };
    Failure::reject(format!(
        "the lines asked for are about {} tokens, more than the {} that one call shows: from offset {} give a limit of \
         at most {fits}{larger}",
        window.range_tokens(),
        allow.cap(),
        window.first(),
    ))
}
