//! Reading a file in pieces from its first byte to its end, however large, and telling text from what is not.

use std::io::{self, Read};

use mortise_sdk::{Failure, progress};

use crate::window::Window;

const PIECE: usize = 64 * 1024;

/// Why a file is not shown.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The caller gave up.
    Interrupted,
    /// Reading stopped half way.
    Io(io::Error),
    /// It begins as UTF-16 does.
    Utf16,
    /// It holds a NUL byte, in this line.
    Binary(u64),
    /// It holds bytes that are not UTF-8, in this line.
    Encoding(u64),
}

impl Fault {
    /// The fault in words, for the file as the input names it.
    pub(crate) fn failure(self, path: &str) -> Failure {
        match self {
            Self::Interrupted => Failure::Interrupted,
            Self::Io(error) => Failure::fail(format!("`{path}` could not be read to its end: {error}")),
            Self::Utf16 => Failure::fail(format!(
                "`{path}` is UTF-16, and this version reads UTF-8 only: convert it first (`iconv -f UTF-16 -t UTF-8`)"
            )),
            Self::Binary(line) => Failure::fail(format!(
                "`{path}` is a binary file (a NUL byte in line {line}): Read shows text only; look at it with a \
                 program that knows the format, or `xxd`"
            )),
            Self::Encoding(line) => Failure::fail(format!(
                "`{path}` is not UTF-8 (line {line}; it may be Latin-1 or another older encoding), and shown with \
                 signs replaced it could not be edited safely: convert it first (`iconv -f LATIN1 -t UTF-8`)"
            )),
        }
    }
}

/// Hands every line of the file to the window, without its ending. A byte order mark is left out.
pub(crate) fn lines(mut file: impl Read, window: &mut Window) -> Result<(), Fault> {
    let mut piece = vec![0; PIECE];
    let mut text = Utf8::default();
    let mut first = true;
    loop {
        if progress::cancelled() {
            return Err(Fault::Interrupted);
        }
        let length = fill(&mut file, &mut piece).map_err(Fault::Io)?;
        let mut bytes = &piece[..length];
        if first {
            first = false;
            if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
                return Err(Fault::Utf16);
            }
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        if let Some(at) = memchr::memchr(0, bytes) {
            return Err(Fault::Binary(line_at(window, bytes, at)));
        }
        text.check(bytes).map_err(|at| Fault::Encoding(line_at(window, bytes, at)))?;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            window.part(&bytes[start..end]);
            window.end_of_line();
            start = end + 1;
        }
        window.part(&bytes[start..]);
        if length < PIECE {
            break;
        }
    }
    if text.is_cut() {
        return Err(Fault::Encoding(window.line()));
    }
    window.end_of_file();
    Ok(())
}

fn line_at(window: &Window, bytes: &[u8], at: usize) -> u64 {
    window.line() + memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64
}

/// Reads until the piece is full or the file ends.
fn fill(file: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Checks UTF-8 piece by piece; a character may lie across two.
#[derive(Default)]
struct Utf8 {
    begun: Vec<u8>,
}

impl Utf8 {
    /// Where in these bytes the text stops being UTF-8.
    fn check(&mut self, bytes: &[u8]) -> Result<(), usize> {
        let mut rest = bytes;
        while !self.begun.is_empty() {
            let Some((byte, after)) = rest.split_first() else { return Ok(()) };
            self.begun.push(*byte);
            rest = after;
            match std::str::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(error) if error.error_len().is_some() => return Err(bytes.len() - rest.len() - 1),
                Err(_) => {}
            }
        }
        match std::str::from_utf8(rest) {
            Ok(_) => Ok(()),
            Err(error) if error.error_len().is_none() => {
                self.begun = rest[error.valid_up_to()..].to_vec();
                Ok(())
            }
            Err(error) => Err(bytes.len() - rest.len() + error.valid_up_to()),
        }
    }

    /// Whether a character was begun and not ended.
    fn is_cut(&self) -> bool {
        !self.begun.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_across_two_pieces_is_no_fault() {
        let mut text = Utf8::default();
        let euro = "€".as_bytes();
        assert_eq!(text.check(&euro[..1]), Ok(()));
        assert_eq!(text.check(&euro[1..2]), Ok(()));
        assert!(text.is_cut());
        assert_eq!(text.check(&euro[2..]), Ok(()));
        assert!(!text.is_cut());
        assert_eq!(text.check(b"ab\xff"), Err(2));
        assert_eq!(text.check(b"a\xe2"), Ok(()));
        assert_eq!(text.check(b"b"), Err(0));
    }
}
