//! What one file holds: takes the searcher's matches and makes lines of them, as `rg` prints them.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use crate::query::Mode;

/// Bytes of one line that are shown; longer ones are cut around the match.
const LINE: usize = 500;

/// Bytes shown before the match in a line that is cut.
const LEAD: usize = 100;

/// How the lines of a file look.
pub(crate) struct Look<'a> {
    pub(crate) matcher: &'a RegexMatcher,
    pub(crate) mode: Mode,
    /// Put in front of each line; none when only one file is searched.
    pub(crate) name: Option<&'a str>,
    pub(crate) numbers: bool,
    pub(crate) only_matching: bool,
    /// Lines that are wanted at most.
    pub(crate) room: usize,
}

/// What was found in one file.
pub(crate) struct Found<'a> {
    look: Look<'a>,
    /// How many lines match.
    pub(crate) count: u64,
    /// The lines to show.
    pub(crate) lines: Vec<String>,
    /// Whether it turned out binary; nothing of it is shown then.
    pub(crate) binary: bool,
}

impl<'a> Found<'a> {
    /// Nothing yet.
    pub(crate) fn new(look: Look<'a>) -> Self {
        Self { look, count: 0, lines: Vec::new(), binary: false }
    }

    fn line(&mut self, sign: char, number: Option<u64>, line: &[u8], at: usize) {
        let mut text = String::new();
        if let Some(name) = self.look.name {
            text.push_str(name);
            text.push(sign);
        }
        if let Some(number) = number.filter(|_| self.look.numbers) {
            text.push_str(&number.to_string());
            text.push(sign);
        }
        text.push_str(&cut(line, at));
        self.lines.push(text);
    }

    fn has_room(&self) -> bool {
        self.lines.len() < self.look.room
    }

    fn only_matching(&mut self, number: Option<u64>, bytes: &[u8]) -> io::Result<()> {
        let matcher = self.look.matcher;
        let mut places = Vec::new();
        matcher
            .find_iter(bytes, |place| {
                places.push(place);
                true
            })
            .map_err(io::Error::other)?;
        for place in places.into_iter().filter(|place| !place.is_empty()) {
            let above = bytes[..place.start()].iter().filter(|byte| **byte == b'\n').count() as u64;
            for (number_in, part) in (above..).zip(lines(&bytes[place])) {
                self.line(':', number.map(|number| number + number_in), part, 0);
            }
        }
        Ok(())
    }
}

impl Sink for Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.count += 1;
        match self.look.mode {
            Mode::FilesWithMatches => return Ok(false),
            Mode::Count => return Ok(true),
            Mode::Content if self.look.only_matching => {
                self.only_matching(found.line_number(), found.bytes())?
            }
            Mode::Content => {
                for (above, line) in (0..).zip(lines(found.bytes())) {
                    let place = self.look.matcher.find(line).map_err(io::Error::other)?;
                    let at = place.map_or(0, |place| place.start());
                    self.line(':', found.line_number().map(|number| number + above), line, at);
                }
            }
        }
        Ok(self.has_room())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        for (above, line) in (0..).zip(lines(context.bytes())) {
            self.line('-', context.line_number().map(|number| number + above), line, 0);
        }
        Ok(self.has_room())
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.lines.push("--".to_owned());
        Ok(self.has_room())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Lines without their endings.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// A line as text, cut around a place of it if it is very long.
fn cut(line: &[u8], at: usize) -> String {
    if line.len() <= LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let begins_character = |place: &usize| line.get(*place).is_none_or(|byte| byte & 0xc0 != 0x80);
    let from = (at.saturating_sub(LEAD)..=line.len()).find(begins_character).unwrap_or(line.len());
    let to = (from + LINE..=line.len()).find(begins_character).unwrap_or(line.len());
    let text = String::from_utf8_lossy(&line[from..to]);
    let before = if from > 0 { format!("[… {from} bytes] ") } else { String::new() };
    let after = if to < line.len() { format!(" [… {} bytes]", line.len() - to) } else { String::new() };
    format!("{before}{text}{after}")
}
