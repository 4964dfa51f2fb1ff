//! What is kept of a command's output while it runs: the beginning and the end, whatever it writes in between. And how
//! that is cut to what a model is shown.

use std::collections::VecDeque;

/// Bytes kept of the beginning, and of the end: enough for what is shown, in the widest letters.
const KEPT: usize = 128 << 10;

/// One stream's output, in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: usize,
}

impl Kept {
    /// More of it.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len();
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..over);
    }

    /// How many bytes came.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// As text, with a sign in the place of what is not UTF-8, and a notice in the place of what was not kept.
    pub(crate) fn text(&self) -> String {
        let lost = self.total - self.head.len() - self.tail.len();
        let mut bytes = self.head.clone();
        if lost > 0 {
            bytes.extend_from_slice(format!("\n… [{lost} bytes left out] …\n").as_bytes());
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A text cut in the middle to so many characters, with what was left out and where all of it is.
pub(crate) fn cut(text: &str, limit: usize, file: Option<&str>) -> String {
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    let half = limit / 2;
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().nth_back(half.saturating_sub(1)).map_or(0, |(at, _)| at);
    let place = file.map_or_else(String::new, |file| format!("; all of it is in {file}"));
    format!("{}\n… [{} characters left out{place}] …\n{}", &text[..head], count - 2 * half, &text[tail..])
}
