//! Quotes and braces, as a shell reads them.
//!
//! Leaves to others: what words they stand in (`word`).

/// As many words as one word with braces is taken to mean.
const BRACED: usize = 64;

/// What stands in `"…"`, without what is filled in.
pub(super) fn double_quoted(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => out.push(c),
            Some(c) => out.extend(['\\', c]),
            None => out.push('\\'),
        }
    }
    out
}

/// What stands in `$'…'`.
pub(super) fn ansi_c(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(c) = chars.next() else { break };
        let mut digits = |radix: u32, most: usize, first: Option<char>| -> Option<char> {
            let mut number = first.and_then(|first| first.to_digit(radix));
            let mut left = most - usize::from(first.is_some());
            while left > 0
                && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
            {
                number = Some(number.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
                chars.next();
                left -= 1;
            }
            number.and_then(char::from_u32)
        };
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'e' | 'E' => out.push('\u{1b}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            'x' => out.extend(digits(16, 2, None)),
            'u' => out.extend(digits(16, 4, None)),
            'U' => out.extend(digits(16, 8, None)),
            'c' => {
                let control = chars.next().and_then(|c| char::from_u32(u32::from(c) & 0x1f));
                out.extend(control);
            }
            '0'..='7' => out.extend(digits(8, 3, Some(c))),
            '\\' | '\'' | '"' | '?' => out.push(c),
            other => out.extend(['\\', other]),
        }
    }
    // A zero byte ends the text.
    out.split('\0').next().unwrap_or_default().to_owned()
}

/// What braces expand to: `a{b,c}` and `{a..c}`.
pub(super) fn braces(chars: &[(char, bool)]) -> Vec<Vec<(char, bool)>> {
    let mut done = Vec::new();
    let mut ahead = vec![chars.to_vec()];
    while let Some(word) = ahead.pop() {
        let choices = if done.len() + ahead.len() < BRACED { first_brace(&word) } else { None };
        match choices {
            None => done.push(word),
            // The first choice is looked at first.
            Some(choices) => ahead.extend(choices.into_iter().rev()),
        }
    }
    done
}

fn first_brace(word: &[(char, bool)]) -> Option<Vec<Vec<(char, bool)>>> {
    let open = |at: usize, c: char| word.get(at) == Some(&(c, false));
    for start in (0..word.len()).filter(|at| open(*at, '{')) {
        let (mut depth, mut commas, mut end) = (0, vec![start], None);
        for at in start..word.len() {
            if open(at, '{') {
                depth += 1;
            } else if open(at, '}') {
                depth -= 1;
                if depth == 0 {
                    end = Some(at);
                    break;
                }
            } else if open(at, ',') && depth == 1 {
                commas.push(at);
            }
        }
        let Some(end) = end else { continue };
        let whole = |middle: &[(char, bool)]| [&word[..start], middle, &word[end + 1..]].concat();
        if commas.len() > 1 {
            commas.push(end);
            return Some(commas.windows(2).map(|pair| whole(&word[pair[0] + 1..pair[1]])).collect());
        }
        if let [(from, _), ('.', false), ('.', false), (to, _)] = &word[start + 1..end]
            && from.is_ascii()
            && to.is_ascii()
        {
            let (low, high) = (*from.min(to), *from.max(to));
            return Some((low..=high).map(|c| whole(&[(c, false)])).collect());
        }
    }
    None
}
