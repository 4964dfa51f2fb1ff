//! Why an old_string was not found: the usual slips tried one after the other, then the lines most like it.

use crate::matching::{line_of, numbered};
use crate::nearest;

/// Lines of the file shown with a hint.
const SHOWN: usize = 10;

/// What to tell the model; all three texts in the plain view.
pub(crate) fn for_miss(text: &str, old: &str, new: &str) -> String {
    if let Some(bare) = without_numbers(old)
        && text.contains(&bare)
    {
        return "Its lines begin with the line numbers that Read shows, which are not part of the file: leave number \
                and tab out."
            .to_owned();
    }
    for slip in SLIPS {
        let Some(line) = folded_match(text, old, slip.fold) else { continue };
        let lines = numbered(text, line, old.lines().count().clamp(1, SHOWN));
        let what = (slip.what)(text.lines().nth(line - 1).unwrap_or_default(), old);
        return format!("Line {line} differs only in {what}. The file has:\n{lines}");
    }
    if !new.trim().is_empty()
        && let Some(place) = text.find(new)
    {
        return format!(
            "new_string is there already, at line {}: the edit may have been made before.",
            line_of(text, place)
        );
    }
    match nearest::line(text, old) {
        Some(line) => {
            let lines = numbered(text, line, old.lines().count().clamp(1, SHOWN));
            format!("The lines most like it are:\n{lines}")
        }
        None => "Nothing in the file is much like it: read the file again and copy the text from there."
            .to_owned(),
    }
}

/// One way in which a text can miss.
struct Slip {
    /// Makes texts equal that differ in this way only. Works on one line.
    fold: fn(&str) -> String,
    /// What the difference is, given the file's first line and the text that missed.
    what: fn(&str, &str) -> String,
}

const SLIPS: &[Slip] = &[
    Slip {
        fold: typography,
        what: |_, _| "quotes, dashes or special blanks (`“` for `\"`, say): copy them exactly".into(),
    },
    Slip {
        fold: |line| line.trim_end().to_owned(),
        what: |_, _| "blanks at the ends of lines: copy them, or leave such lines out".into(),
    },
    Slip { fold: one_blank, what: blanks },
    Slip {
        fold: unescape,
        what: |_, _| "escapes: send the characters themselves, not `\\n`, `\\\"` or `&lt;`".into(),
    },
    Slip { fold: |line| line.to_lowercase(), what: |_, _| "upper and lower case".into() },
    Slip {
        fold: |line| one_blank(&typography(line)).to_lowercase(),
        what: |_, _| "blanks, quotes and case: copy it exactly".into(),
    },
];

fn typography(line: &str) -> String {
    let plain = line.chars().map(|c| match c {
        '‘' | '’' | '‚' | '‛' | '′' => '\'',
        '“' | '”' | '„' | '‟' | '″' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
        '\u{a0}' | '\u{2007}' | '\u{202f}' => ' ',
        other => other,
    });
    plain.collect::<String>().replace('…', "...")
}

fn one_blank(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn blanks(line: &str, old: &str) -> String {
    let has_tab = |text: &str| text.contains('\t');
    match (has_tab(line), has_tab(old)) {
        (true, false) => "blanks: the file has tabs where old_string has spaces".into(),
        (false, true) => "blanks: the file has spaces where old_string has tabs".into(),
        _ => "indentation or the number of blanks".into(),
    }
}

fn unescape(line: &str) -> String {
    let pairs = [("\\\"", "\""), ("\\'", "'"), ("\\t", "\t"), ("\\\\", "\\")];
    let pairs = pairs.into_iter().chain([
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ]);
    pairs.fold(line.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The text without the numbers of `cat -n`, if all its lines have one.
fn without_numbers(old: &str) -> Option<String> {
    let bare = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = rest.len() < line.trim_start().len();
        numbered.then(|| rest.strip_prefix(['\t', '→']).map(str::to_owned)).flatten()
    };
    Some(old.lines().map(bare).collect::<Option<Vec<_>>>()?.join("\n")).filter(|bare| !bare.is_empty())
}

/// The number of the first line where the text stands once both are folded.
fn folded_match(text: &str, old: &str, fold: fn(&str) -> String) -> Option<usize> {
    // A text sent with `\n` as two characters has its lines in one.
    let unescaped = old.replace("\\n", "\n");
    let old = if fold("\\\"") == "\"" { unescaped.as_str() } else { old };
    let wanted: Vec<String> = old.lines().map(fold).collect();
    let lines: Vec<String> = text.lines().map(fold).collect();
    let last = wanted.len().checked_sub(1)?;
    if wanted.iter().all(|line| line.trim().is_empty()) {
        return None;
    }
    let fits = |window: &[String]| match last {
        0 => window[0].contains(&wanted[0]),
        _ => {
            window[0].ends_with(&wanted[0])
                && window[1..last] == wanted[1..last]
                && window[last].starts_with(&wanted[last])
        }
    };
    lines.windows(wanted.len()).position(fits).map(|index| index + 1)
}
