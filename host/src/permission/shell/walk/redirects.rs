//! Redirects met on a walk: what they read and write.

use super::*;

impl Walk<'_> {
    pub(super) fn redirected(&mut self, node: Node<'_>, start: &Folders) -> Flow {
        let mut redirects = Vec::new();
        let mut after = Vec::new();
        let mut bodies = Vec::new();
        for child in children(node) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" => redirects.extend(self.redirect(child, start)),
                "heredoc_redirect" => {
                    for inner in children(child) {
                        match inner.kind() {
                            "file_redirect" | "herestring_redirect" => {
                                redirects.extend(self.redirect(inner, start));
                            }
                            "heredoc_body" => {
                                self.fed.push(self.said(inner).to_owned());
                                self.substitutions(inner, start);
                            }
                            "heredoc_start" | "heredoc_end" | "file_descriptor" => {}
                            _ => after.push(inner),
                        }
                    }
                }
                _ => bodies.push(child),
            }
        }
        let flow = match bodies.as_slice() {
            [body] if body.kind() == "command" => self.command(*body, start, redirects),
            bodies => {
                let mut any = start.clone();
                for body in bodies {
                    let flow = self.visit(*body, &any.clone());
                    join(&mut any, &flow.any);
                }
                // Of `a && b > x`, the redirect is b's: it goes by where a may have gone.
                let simple = Simple { redirects, nameless: true, folders: any.clone(), ..Simple::default() };
                self.simples.push(simple);
                Flow { well: any.clone(), any }
            }
        };
        let mut any = flow.any;
        join(&mut any, &flow.well);
        for node in after {
            let flow = self.visit(node, &any.clone());
            join(&mut any, &flow.any);
        }
        Flow { well: any.clone(), any }
    }

    pub(super) fn redirect(&mut self, node: Node<'_>, start: &Folders) -> Option<Redirect> {
        self.substitutions(node, start);
        if node.kind() == "herestring_redirect" {
            for word in children(node).into_iter().filter(|child| is_word(child.kind())) {
                let word = Word::read(word, self.text);
                self.fed.extend(word.could_be(&self.variables));
            }
            return None;
        }
        let operator =
            children(node).into_iter().map(|child| child.kind()).find(|kind| kind.contains(['<', '>']))?;
        let target = Word::read(node.child_by_field_name("destination")?, self.text);
        // `2>&1`, `<&3-`: another descriptor, no file.
        let descriptor = target.source.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        if operator.ends_with('&') && descriptor || operator.ends_with('-') {
            return None;
        }
        if target.pieces == [super::super::word::Piece::Output]
            && target.source.contains('(')
            && !target.source.starts_with('$')
        {
            // `> >(tee x)`: a command, which is a part of its own.
            return None;
        }
        Some(Redirect { target, writes: operator.contains('>') })
    }
}
