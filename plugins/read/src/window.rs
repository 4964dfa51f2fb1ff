//! The lines that will be shown, kept within the cap while the rest of the file goes by and is only counted.

/// Characters of one line that are shown; what is over is cut with a note.
pub(crate) const LINE_LIMIT: usize = 2_000;

/// A line of more bytes than this is cut while it is read: four bytes are the most a character has.
const LINE_BYTES: usize = LINE_LIMIT * 4 + 4;

/// One line to show.
pub(crate) struct Line {
    /// Without its ending; cut at the limit.
    pub(crate) text: String,
    /// How many bytes were cut.
    pub(crate) cut: u64,
}

/// Takes lines as they come and keeps those of the range, up to the cap.
pub(crate) struct Window {
    first: u64,
    last: u64,
    cap: u64,
    /// The number of the line being read, from 1.
    line: u64,
    buffer: Vec<u8>,
    /// Bytes of the line being read, kept or not.
    length: u64,
    ends_in_cr: bool,
    kept: Vec<Line>,
    /// Estimated tokens of the whole range.
    range_tokens: u64,
    total: u64,
}

impl Window {
    /// A window on `limit` lines from line `offset`, or on the whole file.
    pub(crate) fn new(offset: Option<u32>, limit: Option<u32>, cap: u64) -> Self {
        let first = u64::from(offset.unwrap_or(1).max(1));
        let last = limit.map_or(u64::MAX, |limit| first + u64::from(limit) - 1);
        Self {
            first,
            last,
            cap,
            line: 1,
            buffer: Vec::new(),
            length: 0,
            ends_in_cr: false,
            kept: Vec::new(),
            range_tokens: 0,
            total: 0,
        }
    }

    /// The number of the line being read.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The number of the first line of the range.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The lines kept.
    pub(crate) fn kept(&self) -> &[Line] {
        &self.kept
    }

    /// Estimated tokens of the whole range, shown or not.
    pub(crate) fn range_tokens(&self) -> u64 {
        self.range_tokens
    }

    /// Whether the range was longer than the cap allows.
    pub(crate) fn is_over_cap(&self) -> bool {
        self.range_tokens > self.cap
    }

    /// How many lines the file has.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// More of the line being read.
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.length += bytes.len() as u64;
        self.ends_in_cr = *last == b'\r';
        if (self.first..=self.last).contains(&self.line) {
            let room = LINE_BYTES.saturating_sub(self.buffer.len()).min(bytes.len());
            self.buffer.extend_from_slice(&bytes[..room]);
        }
    }

    /// The line being read has ended.
    pub(crate) fn end_of_line(&mut self) {
        if (self.first..=self.last).contains(&self.line) {
            if self.ends_in_cr {
                self.length -= 1;
                self.buffer
                    .truncate(usize::try_from(self.length).unwrap_or(usize::MAX).min(self.buffer.len()));
            }
            let line = shorten(&self.buffer, self.length);
            let tokens = tokens(&line.text);
            self.range_tokens += tokens;
            if self.range_tokens <= self.cap {
                self.kept.push(line);
            }
        }
        self.total = self.line;
        self.line += 1;
        self.length = 0;
        self.ends_in_cr = false;
        self.buffer.clear();
    }

    /// The file has ended; a last line without an ending counts.
    pub(crate) fn end_of_file(&mut self) {
        if self.length > 0 {
            self.ends_in_cr = false;
            self.end_of_line();
        }
    }
}

fn shorten(bytes: &[u8], length: u64) -> Line {
    // Whole characters only: the buffer may have been cut within one.
    let whole = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let text = match whole.char_indices().nth(LINE_LIMIT) {
        Some((at, _)) => &whole[..at],
        None => whole,
    };
    Line { text: text.to_owned(), cut: length - text.len() as u64 }
}

/// Estimates the tokens of a line as it is shown: four ASCII characters to one, any other character one, and two for
/// the number and the tab. High rather than low for prose in other scripts.
pub(crate) fn tokens(line: &str) -> u64 {
    let ascii = line.bytes().filter(u8::is_ascii).count() as u64;
    let other = line.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(4) + other + 2
}
