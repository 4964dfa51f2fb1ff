//! Holds a result to what is taken from a guest at all, whatever its tool says of its own limit: a tool that
//! hands over everything hands over everything up to here.
//!
//! Leaves to others: the tool's own limit, above which a result is stored (`execution`).

use crate::contract::{Content, Outcome, bytes};
use crate::permission::Refusal;

/// Cuts what is over `most` bytes, in order: text where it reaches the bound, a blob altogether, since half of
/// one is none. Says so in the place of what was cut, for the model, and in the answer, for the operator.
pub(super) fn hold(outcome: &mut Outcome, most: u64) -> Option<Refusal> {
    let messages = outcome.messages.iter_mut().flat_map(|message| &mut message.content);
    let blocks: Vec<&mut Content> = outcome.content.iter_mut().chain(messages).collect();
    let whole: u64 = blocks.iter().map(|block| size(block)).sum();
    if whole <= most {
        return None;
    }
    let mut left = most;
    for block in blocks {
        let wanted = size(block);
        if wanted > left {
            cut(block, left, most);
        }
        left = left.saturating_sub(wanted);
    }
    let (whole, most) = (bytes(whole), bytes(most));
    Some(Refusal(format!(
        "the result had {whole} and was cut, since {most} is the most that is taken of one"
    )))
}

fn size(block: &Content) -> u64 {
    let size = match block {
        Content::Text(text) | Content::ToolReference(text) => text.len(),
        Content::Image(blob) | Content::Audio(blob) | Content::Document(blob) => blob.data.len(),
        Content::Embedded(resource) => {
            resource.text.as_ref().map_or(0, String::len) + resource.data.as_ref().map_or(0, Vec::len)
        }
        Content::ResourceLink(link) => link.uri.len() + link.name.len(),
        Content::Other(name, text) => name.len() + text.len(),
    };
    size as u64
}

fn cut(block: &mut Content, left: u64, most: u64) {
    let kept = match block {
        Content::Text(text) => {
            let end = text.floor_char_boundary(usize::try_from(left).unwrap_or(usize::MAX));
            text.truncate(end);
            std::mem::take(text)
        }
        _ => String::new(),
    };
    let notice = format!("… [left out: the host takes {} of one result at most]", bytes(most));
    *block = Content::Text(if kept.is_empty() { notice } else { format!("{kept}\n{notice}") });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Blob, Message, Role};

    fn outcome() -> Outcome {
        let blob = Blob { media_type: "image/png".into(), data: vec![0; 10] };
        let message = Message { role: Role::User, content: vec![Content::text("later")] };
        Outcome { messages: vec![message], content: vec![Content::Image(blob)], ..Outcome::text("") }
    }

    #[test]
    fn result_at_the_bound_is_left_alone() {
        let mut held = outcome();
        assert_eq!(hold(&mut held, 15), None);
        assert_eq!(held, outcome());
    }

    #[test]
    fn result_over_the_bound_is_cut_where_it_reaches_it_and_says_so() {
        let mut held = outcome();
        assert!(hold(&mut held, 12).is_some());
        assert_eq!(held.content, outcome().content, "what fits stays");
        assert!(
            held.messages[0].content[0].as_text().is_some_and(|text| text.starts_with("la\n… [left out"))
        );
        let mut held = outcome();
        assert!(hold(&mut held, 9).is_some());
        assert!(held.content[0].as_text().is_some_and(|text| text.starts_with("… [left out")));
    }

    #[test]
    fn text_is_cut_between_characters() {
        let mut held = Outcome::text("ää");
        assert!(hold(&mut held, 3).is_some());
        assert!(held.content[0].as_text().is_some_and(|text| text.starts_with("ä\n")));
    }
}
