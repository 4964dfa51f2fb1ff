//! What a shell evaluates by itself: the values of variables in sums, in subscripts and in indirect expansions
//! are read as expressions, and the commands in them run. No text tells what these are.
//!
//! Leaves to others: the commands that stand in the text (`walk`).

use tree_sitter::Node;

use super::grammar::children;

/// Whether a sum goes by more than numbers.
pub(super) fn sum(node: Node<'_>) -> bool {
    let named = ["variable_name", "word", "simple_expansion", "expansion", "subscript"];
    children(node).into_iter().any(|child| named.contains(&child.kind()) || sum(child))
}

/// Whether a test compares sums.
pub(super) fn test(node: Node<'_>, said: &str) -> bool {
    let compares = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"];
    said.starts_with("[[") && said.split_whitespace().any(|word| compares.contains(&word)) && sum(node)
}

/// Whether an expansion (`${…}`) goes by what a variable holds.
pub(super) fn expansion(node: Node<'_>, said: &str) -> bool {
    let indirect = said.starts_with("${!") || said.contains('@') && said.ends_with("P}");
    let subscript = children(node).into_iter().filter(|child| child.kind() == "subscript").any(|child| {
        let index = child.child_by_field_name("index").map(|index| index.byte_range()).unwrap_or_default();
        let start = node.start_byte();
        let index =
            said.get(index.start.saturating_sub(start)..index.end.saturating_sub(start)).unwrap_or("?");
        !(matches!(index, "@" | "*") || index.bytes().all(|byte| byte.is_ascii_digit()))
    });
    // `${x:a:b}`: sums.
    let slice = said.split_once(':').is_some_and(|(_, rest)| {
        !rest.starts_with(['-', '=', '+', '?']) && !rest.bytes().all(|byte| b"0123456789: }".contains(&byte))
    });
    indirect || subscript || slice
}
