//! The grammar: one parse of a line, bounded in time and depth, and what makes it not count as understood.
//!
//! The grammar is more lenient than a shell, so that what it reads in another way than a shell would is looked
//! for here, by name. Leaves to others: what the parts of the tree mean (`walk`).

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Longer lines are never run unasked, by characters.
const LONGEST: usize = 10_000;
/// How often the parser may report progress, which it does every hundred steps: a bound on time that is the
/// same on every machine.
const STEPS: usize = 20_000;
/// How deep the tree may nest.
const DEEPEST: usize = 120;

/// A line as the grammar reads it.
pub(super) struct Parsed {
    /// `None` where it could not be read at all.
    pub(super) tree: Option<Tree>,
    /// Why the line does not count as understood.
    pub(super) doubt: Option<String>,
}

/// Reads a line.
pub(super) fn parse(text: &str) -> Parsed {
    let tree = tree(text);
    let doubt = match &tree {
        None => Some("it could not be parsed in the time that there is".to_owned()),
        Some(tree) => strange_text(text).or_else(|| strange_tree(tree, text)),
    };
    // What nests deeper than any walk should go is not walked.
    let tree = tree.filter(|tree| depth(tree) <= DEEPEST);
    Parsed { tree, doubt }
}

fn tree(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut steps = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        steps += 1;
        if steps > STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut progress)))
}

fn depth(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let (mut depth, mut deepest) = (0, 0);
    loop {
        deepest = deepest.max(depth);
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            depth -= 1;
        }
    }
}

/// What no tree shows: characters that a shell and a reader see differently.
fn strange_text(text: &str) -> Option<String> {
    if text.chars().count() > LONGEST {
        return Some(format!("the command is longer than {LONGEST} characters"));
    }
    if let Some(odd) = text.chars().find(|c| is_odd(*c)) {
        return Some(format!("it holds the character `{}`", odd.escape_unicode()));
    }
    // A shell joins what a backslash at the end of a line parts; the grammar does so between words only.
    let joined = text.match_indices("\\\n").any(|(at, _)| {
        !text[..at].ends_with([' ', '\t', '\n', '&', '|', ';', '(']) && !text[..at].is_empty()
    });
    joined.then(|| "a word runs over the end of a line".to_owned())
}

/// Whether a character is invisible, or a blank for some readers and not for others.
fn is_odd(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\t');
    let blank = c.is_whitespace() && !c.is_ascii();
    let invisible = matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e007f}');
    control || blank || invisible
}

/// What the grammar itself did not understand, or reads as no shell does.
fn strange_tree(tree: &Tree, text: &str) -> Option<String> {
    let root = tree.root_node();
    if root.has_error() {
        return Some("it could not be parsed".to_owned());
    }
    if depth(tree) > DEEPEST {
        return Some("it nests too deep".to_owned());
    }
    let mut ahead = vec![root];
    while let Some(node) = ahead.pop() {
        if let Some(why) = strange_node(node, text) {
            return Some(format!("{why}: `{}`", text[node.byte_range()].escape_debug()));
        }
        ahead.extend(children(node));
    }
    None
}

/// Every child of a node, punctuation included.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    (0..node.child_count()).filter_map(|at| node.child(at)).collect()
}

/// Words that open or close something where a command's name could stand.
const RESERVED: [&str; 19] = [
    "{", "}", "!", "[[", "]]", "((", "))", "then", "do", "done", "fi", "esac", "else", "elif", "if", "while",
    "until", "for", "case",
];

fn strange_node(node: Node<'_>, text: &str) -> Option<&'static str> {
    let said = |node: Node<'_>| &text[node.byte_range()];
    match node.kind() {
        "word" if said(node).contains('`') => Some("backticks within backticks"),
        "word" if said(node).chars().any(char::is_whitespace) && !said(node).contains('\\') => {
            Some("blanks within a word")
        }
        "command" => {
            let name = node.child_by_field_name("name").map(said).unwrap_or_default();
            let opens = matches!(name, "time" | "coproc" | "exec" | "function" | "select")
                && children(node).into_iter().skip(1).any(|word| {
                    let word = said(word);
                    RESERVED.contains(&word) || word.starts_with('(')
                });
            let subshell = children(node).iter().any(|child| child.kind() == "subshell");
            (RESERVED.contains(&name) || opens || subshell)
                .then_some("a reserved word where a command stands")
        }
        "test_command" if said(node).starts_with('[') && !said(node).starts_with("[[") => {
            let list = descendant(node, |inner| {
                matches!(inner.kind(), "&&" | "||" | "redirected_statement" | "<" | ">" | "(" | "\n" | ";")
            });
            list.then_some("a list within `[`")
        }
        "file_redirect" => {
            let mut cursor = node.walk();
            let more = node.children_by_field_name("destination", &mut cursor).count() > 1;
            more.then_some("words after a redirect")
        }
        "heredoc_redirect" => {
            let start = children(node).into_iter().find(|child| child.kind() == "heredoc_start").map(said);
            let quoted = start.is_some_and(|start| start.contains(['\'', '"', '\\']));
            let body = children(node).into_iter().find(|child| child.kind() == "heredoc_body").map(said);
            let odd = node.child_by_field_name("argument").is_some()
                || start.is_none_or(|start| start.contains(['\\', '$', '`']) || mixed(start))
                || (!quoted && body.is_some_and(|body| body.contains(['`', '\\'])));
            odd.then_some("a here-document that shells read differently")
        }
        kind => (!KNOWN.contains(&kind) && node.is_named() || gap(node, text))
            .then_some("a construct that is not understood"),
    }
}

/// A delimiter that is quoted in part only.
fn mixed(start: &str) -> bool {
    let quotes = start.matches(['\'', '"']).count();
    let whole =
        ['\'', '"'].into_iter().any(|q| start.starts_with(q) && start.ends_with(q) && start.len() > 1);
    quotes != 0 && !(quotes == 2 && whole)
}

/// Whether anything but blanks lies between the children of a node that is not text.
fn gap(node: Node<'_>, text: &str) -> bool {
    let textual =
        ["string", "heredoc_body", "expansion", "arithmetic_expansion", "ansi_c_string", "raw_string"];
    if node.child_count() == 0 || textual.contains(&node.kind()) {
        return false;
    }
    let mut at = node.start_byte();
    for child in children(node) {
        let between = text.get(at..child.start_byte()).unwrap_or_default();
        if !between.replace("\\\n", "").chars().all(|c| matches!(c, ' ' | '\t' | '\n')) {
            return true;
        }
        at = at.max(child.end_byte());
    }
    false
}

fn descendant(node: Node<'_>, wanted: impl Fn(Node<'_>) -> bool) -> bool {
    let mut ahead = children(node);
    while let Some(node) = ahead.pop() {
        if wanted(node) {
            return true;
        }
        ahead.extend(children(node));
    }
    false
}

/// Every kind of node that `walk` and `word` know what to do with.
const KNOWN: [&str; 62] = [
    "program",
    "command",
    "command_name",
    "word",
    "number",
    "string",
    "string_content",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "variable_name",
    "special_variable_name",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
    "brace_expression",
    "extglob_pattern",
    "regex",
    "variable_assignment",
    "variable_assignments",
    "array",
    "subscript",
    "list",
    "pipeline",
    "negated_command",
    "compound_statement",
    "subshell",
    "redirected_statement",
    "file_redirect",
    "file_descriptor",
    "heredoc_redirect",
    "heredoc_start",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "herestring_redirect",
    "if_statement",
    "elif_clause",
    "else_clause",
    "while_statement",
    "for_statement",
    "c_style_for_statement",
    "do_group",
    "case_statement",
    "case_item",
    "function_definition",
    "declaration_command",
    "unset_command",
    "test_command",
    "test_operator",
    "binary_expression",
    "unary_expression",
    "ternary_expression",
    "postfix_expression",
    "parenthesized_expression",
    "comment",
    "expression",
    "identifier",
    "operator",
];
