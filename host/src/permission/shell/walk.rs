//! From the tree to simple commands, each with the folders it could run in: lists, pipes, groups, subshells,
//! branches, loops, functions, and every substitution within words.
//!
//! Leaves to others: words (`word`), what a command is and does (`call`, `touch`, `readonly`).

mod redirects;

use std::path::Path;

use tree_sitter::Node;

use super::evaluate;
use super::folders::{self, Flow, Folders, goes, join, moves_home, stay};
use super::grammar::{children, is_word};
use super::word::{VALUES, Variables, Word};

/// One simple command.
#[derive(Debug, Clone, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// Where it could run.
    pub(super) folders: Folders,
    /// A test, an assignment or a redirect alone: nothing that has a name.
    pub(super) nameless: bool,
}

/// One redirect to or from a file.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub(super) target: Word,
    pub(super) writes: bool,
}

/// What a walk finds.
pub(super) struct Walk<'t> {
    text: &'t str,
    home: Option<&'t Path>,
    /// Whether the line gives `HOME`, `CDPATH` and the like other values.
    moved_home: bool,
    pub(super) simples: Vec<Simple>,
    pub(super) variables: Variables,
    /// Texts that a command could read as its input.
    pub(super) fed: Vec<String>,
    /// Why the words do not tell what runs.
    pub(super) unsure: Option<String>,
    leaves: bool,
    /// Whether variables are given more values than are kept, or the one that words are parted by.
    pub(super) crowded: bool,
}

impl<'t> Walk<'t> {
    pub(super) fn new(text: &'t str, home: Option<&'t Path>) -> Self {
        Self {
            text,
            home,
            moved_home: moves_home(text),
            simples: Vec::new(),
            variables: Variables::new(),
            fed: Vec::new(),
            unsure: None,
            leaves: false,
            crowded: false,
        }
    }

    pub(super) fn home_known(&self) -> bool {
        self.home.is_some() && !self.moved_home
    }

    pub(super) fn run(&mut self, root: Node<'_>, start: &Folders) {
        self.visit(root, start);
    }

    fn said(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn visit(&mut self, node: Node<'_>, start: &Folders) -> Flow {
        match node.kind() {
            "command" => self.command(node, start, Vec::new()),
            "declaration_command" | "unset_command" => self.declaration(node, start),
            "variable_assignment" | "variable_assignments" => {
                let mut simple = Simple { nameless: true, folders: start.clone(), ..Simple::default() };
                self.assignments(node, start, &mut simple);
                self.parts_words(&simple);
                self.simples.push(simple);
                stay(start)
            }
            "test_command" => {
                self.unsure_if(evaluate::test(node, self.said(node)), node);
                self.substitutions(node, start);
                self.simples.push(Simple { nameless: true, folders: start.clone(), ..Simple::default() });
                stay(start)
            }
            "redirected_statement" => self.redirected(node, start),
            "list" => self.list(node, start),
            "subshell" => {
                self.each(node, start);
                stay(start)
            }
            "while_statement" | "for_statement" | "c_style_for_statement" | "function_definition" => {
                self.repeated(node, start)
            }
            "binary_expression"
            | "unary_expression"
            | "postfix_expression"
            | "parenthesized_expression"
            | "ternary_expression" => {
                self.unsure_if(evaluate::sum(node), node);
                self.substitutions(node, start);
                stay(start)
            }
            // Of a function, or alone in a substitution.
            "file_redirect" | "herestring_redirect" => {
                let redirects = self.redirect(node, start).into_iter().collect();
                let folders = start.clone();
                self.simples.push(Simple { redirects, folders, nameless: true, ..Simple::default() });
                stay(start)
            }
            "comment" => stay(start),
            _ if is_word(node.kind()) => {
                self.substitutions(node, start);
                stay(start)
            }
            _ => self.each(node, start),
        }
    }

    /// One after another, each where the ones before it could have gone. (In a pipe it could not, but the grammar
    /// takes `a && b 2>&1 | c` as a pipe from both to `c`.)
    fn each(&mut self, node: Node<'_>, start: &Folders) -> Flow {
        let mut any = start.clone();
        for child in children(node) {
            let flow = self.visit(child, &any.clone());
            join(&mut any, &flow.any);
        }
        Flow { well: any.clone(), any }
    }

    /// `a && b`: b runs where a has gone if it went well.
    fn list(&mut self, node: Node<'_>, start: &Folders) -> Flow {
        let mut flow = Flow { well: start.clone(), any: start.clone() };
        let mut next = start.clone();
        let mut and = true;
        for child in children(node) {
            match child.kind() {
                "&&" => (next, and) = (flow.well.clone(), true),
                "||" => (next, and) = (flow.any.clone(), false),
                _ => {
                    let after = self.visit(child, &next);
                    join(&mut flow.any, &after.any);
                    if and {
                        flow.well = after.well;
                    } else {
                        join(&mut flow.well, &after.well);
                    }
                    next.clone_from(&flow.any);
                }
            }
        }
        flow
    }

    /// What may run more than once, or later: wherever its own steps lead.
    fn repeated(&mut self, node: Node<'_>, start: &Folders) -> Flow {
        let mut start = start.clone();
        let function = node.kind() == "function_definition";
        if function || goes(self.said(node)) {
            join(&mut start, &vec![None]);
        }
        if function && goes(self.said(node)) {
            self.leaves = true;
        }
        if node.kind() == "c_style_for_statement" {
            self.unsure_if(evaluate::sum(node), node);
        }
        if let (Some(name), true) = (node.child_by_field_name("variable"), node.kind() == "for_statement") {
            let mut cursor = node.walk();
            let values: Vec<Word> = node
                .children_by_field_name("value", &mut cursor)
                .map(|value| Word::read(value, self.text))
                .collect();
            for value in values {
                self.gives(self.said(name), &value);
            }
        }
        self.each(node, &start)
    }

    fn gives(&mut self, name: &str, value: &Word) {
        let values = value.could_be(&self.variables);
        let known = self.variables.entry(name.to_owned()).or_default();
        known.extend(values);
        known.dedup();
        if known.len() > VALUES {
            known.truncate(VALUES);
            // What is not kept may be anything.
            self.crowded = true;
        }
    }

    fn command(&mut self, node: Node<'_>, start: &Folders, redirects: Vec<Redirect>) -> Flow {
        let mut simple = Simple { redirects, folders: start.clone(), ..Simple::default() };
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => self.assignments(child, start, &mut simple),
                "file_redirect" | "herestring_redirect" => {
                    simple.redirects.extend(self.redirect(child, start));
                }
                _ => {
                    self.substitutions(child, start);
                    simple.words.push(Word::read(child, self.text));
                }
            }
        }
        let known = self.home.filter(|_| !self.moved_home);
        let flow = if self.leaves && !simple.words.is_empty() {
            folders::anywhere(start)
        } else {
            folders::after(&simple, start, known, &self.variables)
        };
        self.simples.push(simple);
        flow
    }

    fn declaration(&mut self, node: Node<'_>, start: &Folders) -> Flow {
        let mut simple = Simple { folders: start.clone(), ..Simple::default() };
        for child in children(node) {
            if child.kind() == "variable_assignment" {
                let mut given = Simple::default();
                self.assignments(child, start, &mut given);
                self.parts_words(&given);
            } else {
                self.substitutions(child, start);
            }
            simple.words.push(Word::read(child, self.text));
        }
        self.simples.push(simple);
        stay(start)
    }

    /// Notes that words are parted in another way from here on.
    fn parts_words(&mut self, given: &Simple) {
        self.crowded |= given.assignments.iter().any(|(name, _)| name == "IFS");
    }

    fn assignments(&mut self, node: Node<'_>, start: &Folders, simple: &mut Simple) {
        if node.kind() == "variable_assignments" {
            for child in children(node) {
                self.assignments(child, start, simple);
            }
            return;
        }
        self.substitutions(node, start);
        let name = node.child_by_field_name("name").map(|name| self.said(name)).unwrap_or_default();
        let Some(value) = node.child_by_field_name("value") else {
            simple.assignments.push((name.to_owned(), Word::plain("")));
            return;
        };
        if value.kind() == "array" {
            // The words of an array may come to stand as a command.
            let words: Vec<Word> = children(value)
                .into_iter()
                .filter(|child| is_word(child.kind()))
                .map(|child| Word::read(child, self.text))
                .collect();
            let text: Vec<String> = words.iter().flat_map(|word| word.could_be(&self.variables)).collect();
            self.variables.entry(name.to_owned()).or_default().push(text.join(" "));
            simple.assignments.push((name.to_owned(), Word::read(value, self.text)));
            return;
        }
        if name.contains('[') {
            self.unsure_if(evaluate::sum(node), node);
        }
        let value = Word::read(value, self.text);
        self.gives(name.trim_end_matches('+'), &value);
        simple.assignments.push((name.to_owned(), value));
    }

    /// Visits every command that a word, or what else stands in an expression, holds.
    fn substitutions(&mut self, node: Node<'_>, start: &Folders) {
        match node.kind() {
            "command_substitution" | "process_substitution" => {
                self.each(node, start);
                return;
            }
            "arithmetic_expansion" => self.unsure_if(evaluate::sum(node), node),
            "expansion" => self.unsure_if(evaluate::expansion(node, self.said(node)), node),
            _ => {}
        }
        for child in children(node) {
            self.substitutions(child, start);
        }
    }

    /// Notes that the words do not tell what runs.
    fn unsure_if(&mut self, unsure: bool, node: Node<'_>) {
        if unsure {
            let said = self.said(node);
            self.unsure.get_or_insert_with(|| format!("what `{said}` evaluates is not told"));
        }
    }
}
