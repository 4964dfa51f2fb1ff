//! Text that others wrote, made safe to look at: nothing in it can move the cursor, hide, or change the order
//! in which the rest is read.

/// One line of foreign text with every control, bidirectional and invisible character written out, such as
/// `\u{202e}`. Line breaks and tabs are control characters, too.
#[must_use]
pub fn visible(text: &str) -> String {
    shown(text, |_| false)
}

/// The same for text of several lines: line feeds and tabs stay what they are.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

fn shown(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if !keep(c) && (c.is_control() || is_unseen(c)) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Characters that are not seen, or that change how others are seen: Unicode's format characters, fillers,
/// variation selectors, tags and the separators that are no space.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
        | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{13455}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}
