//! Line endings: a file is searched as if every line ended in `\n`, and changed without touching the endings it has.

/// The ending that most lines of a file have.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Style {
    Lf,
    CrLf,
    /// One line, or none: what is inserted stays as it is.
    None,
}

/// A text with a second view of it in which every `\r\n` is `\n`.
pub(crate) struct Lines<'a> {
    original: &'a str,
    plain: String,
    /// Where in `plain` a `\n` stands for `\r\n`, ascending.
    shortened: Vec<usize>,
    style: Style,
}

impl<'a> Lines<'a> {
    /// Both views of a text.
    pub(crate) fn new(original: &'a str) -> Self {
        let mut plain = String::with_capacity(original.len());
        let mut shortened = Vec::new();
        let mut pieces = original.split("\r\n");
        plain.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            shortened.push(plain.len());
            plain.push('\n');
            plain.push_str(piece);
        }
        let breaks = plain.matches('\n').count();
        let style = match shortened.len() {
            _ if breaks == 0 => Style::None,
            crlf if crlf * 2 > breaks => Style::CrLf,
            _ => Style::Lf,
        };
        Self { original, plain, shortened, style }
    }

    /// The view in which every line ends in `\n`.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// The original with each of these places of the plain view (ascending, apart) replaced. What is inserted takes the
    /// file's own style; everything else keeps its endings.
    pub(crate) fn replace(&self, places: &[usize], length: usize, new: &str) -> String {
        let new = match self.style {
            Style::Lf => plain(new),
            Style::CrLf => plain(new).replace('\n', "\r\n"),
            Style::None => new.to_owned(),
        };
        let mut text = String::with_capacity(self.original.len() + places.len() * new.len());
        let mut done = 0;
        for place in places {
            text.push_str(&self.original[done..self.place(*place)]);
            text.push_str(&new);
            done = self.place(place + length);
        }
        text.push_str(&self.original[done..]);
        text
    }

    /// A place of the plain view in the original.
    fn place(&self, plain: usize) -> usize {
        plain + self.shortened.partition_point(|at| *at < plain)
    }
}

/// A text with `\n` for every `\r\n`.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_lines_take_the_files_style_and_the_others_keep_theirs() {
        let lines = Lines::new("a\r\nb\r\nc\nd\r\n");
        assert_eq!(lines.plain(), "a\nb\nc\nd\n");
        assert_eq!(lines.replace(&[2], 3, "x\ny"), "a\r\nx\r\ny\nd\r\n");
        assert_eq!(lines.replace(&[0, 6], 1, ""), "\r\nb\r\nc\n\r\n");
        assert_eq!(lines.replace(&[1], 1, " "), "a b\r\nc\nd\r\n");
    }

    #[test]
    fn a_file_of_plain_lines_gets_no_carriage_returns() {
        assert_eq!(Lines::new("a\nb\n").replace(&[0], 1, "x\r\ny"), "x\ny\nb\n");
        assert_eq!(Lines::new("a").replace(&[0], 1, "x\r\ny"), "x\r\ny");
    }
}
