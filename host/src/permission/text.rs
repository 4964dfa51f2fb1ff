//! Wildcards over text: `*` stands for anything, blanks and `/` included. Used for commands, for texts, for
//! hosts' labels and for tool names.
//!
//! Leaves to others: what text is matched (`command`, `domain`, `decide`).

/// A pattern over text, matched in linear time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wildcard {
    /// Literal runs between the `*`; always at least one.
    runs: Vec<String>,
    /// Whether it ended in ` *` or `:*`: the bare text before it matches as well.
    boundary: bool,
    /// The flags that it names, and the pattern without them: for what is the same in another order.
    flags: Option<(Vec<String>, Box<Wildcard>)>,
}

impl Wildcard {
    /// Reads a pattern with `*` anywhere and, at the end, ` *` or `:*` as a word boundary. `\*` is a star,
    /// `\\` a backslash; a backslash before anything else is itself.
    pub(super) fn command(text: &str) -> Self {
        let (body, boundary) = match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
            Some(body) if !body.ends_with('\\') => (body, true),
            _ => (text, false),
        };
        let (flags, rest): (Vec<&str>, Vec<&str>) = body.split_whitespace().partition(|word| {
            word.len() > 1 && word.starts_with('-') && *word != "--" && !word.contains('*')
        });
        let flags = (!flags.is_empty()).then(|| {
            let rest = Self { runs: runs(&rest.join(" ")), boundary, flags: None };
            (flags.into_iter().map(str::to_owned).collect(), Box::new(rest))
        });
        Self { runs: runs(body), boundary, flags }
    }

    /// The flags that it names, and the pattern without them.
    pub(super) fn flags(&self) -> Option<(&[String], &Self)> {
        self.flags.as_ref().map(|(flags, rest)| (flags.as_slice(), rest.as_ref()))
    }

    /// Whether it matches one text only.
    pub(super) fn is_exact(&self) -> bool {
        self.runs.len() == 1 && !self.boundary
    }

    /// Its first word, as far as it is literal.
    pub(super) fn first_word(&self) -> &str {
        self.runs.first().and_then(|run| run.split_whitespace().next()).unwrap_or_default()
    }

    /// Reads a pattern in which only `*` means anything.
    pub(super) fn plain(text: &str) -> Self {
        Self { runs: text.split('*').map(str::to_owned).collect(), boundary: false, flags: None }
    }

    /// Whether the whole of `text` matches.
    pub(super) fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.runs.split_first() else { return false };
        if fits(first, rest, text) {
            return true;
        }
        if !self.boundary {
            return false;
        }
        // That, a blank, and anything.
        let blanks = text.replace(char::is_whitespace, " ");
        let mut runs = self.runs.clone();
        if let Some(last) = runs.last_mut() {
            last.push(' ');
        }
        runs.push(String::new());
        runs.split_first().is_some_and(|(first, rest)| fits(first, rest, &blanks))
    }
}

/// Whether `text` is `first`, and then each of `rest` after anything.
fn fits(first: &str, rest: &[String], text: &str) -> bool {
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
    for run in middle {
        let Some(at) = text.find(run.as_str()) else { return false };
        text = &text[at + run.len()..];
    }
    text.ends_with(last.as_str())
}

fn runs(text: &str) -> Vec<String> {
    let mut runs = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '*' => {
                runs.push(String::new());
                continue;
            }
            '\\' => chars.next_if(|next| matches!(next, '*' | '\\')).unwrap_or('\\'),
            other => other,
        };
        if let Some(run) = runs.last_mut() {
            run.push(literal);
        }
    }
    runs
}

/// `text` as a pattern that matches it and nothing else; `None` where it holds what no rule can be written with.
pub(super) fn escape(text: &str) -> Option<String> {
    if text.is_empty() || text.trim() != text || text.chars().any(char::is_control) {
        return None;
    }
    let escaped = text.replace('\\', "\\\\").replace('*', "\\*");
    Some(escaped)
}
