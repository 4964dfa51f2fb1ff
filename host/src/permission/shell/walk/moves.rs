//! Where a walk goes on after `cd` and its like.

use super::*;

impl Walk<'_> {
    /// Where `cd` and the like lead.
    pub(super) fn moves(&mut self, simple: &Simple, start: &Folders) -> Flow {
        let names = ["command", "builtin", "--"];
        let mut words = simple
            .words
            .iter()
            .skip_while(|word| word.literal().is_some_and(|text| names.contains(&text.as_str())));
        let unknown = || Flow { well: vec![None], any: start.iter().cloned().chain([None]).collect() };
        let Some(name) = words.next().map(|word| word.could_be(&self.variables).join("")) else {
            return stay(start);
        };
        match name.as_str() {
            "cd" | "pushd" => {}
            "popd" | "eval" | "source" | "." | "trap" | "" => return unknown(),
            _ if self.leaves => return unknown(),
            _ => return stay(start),
        }
        let mut to = words.skip_while(|word| word.source.starts_with('-') && word.source.len() > 1);
        let (target, more) = (to.next(), to.next());
        let text = match target {
            None => PathText::Known("~".to_owned()),
            Some(_) if more.is_some() => PathText::Unknown,
            Some(word) => word.path(self.home_known()),
        };
        let PathText::Known(text) = text else { return unknown() };
        if self.moved_home
            || text.is_empty()
            || text == "-"
            || name == "pushd" && text.starts_with(['+', '~'])
        {
            return unknown();
        }
        let mut well: Folders = start.iter().map(|folder| self.step(folder.as_deref(), &text)).collect();
        well.dedup();
        let mut any = start.clone();
        join(&mut any, &well);
        Flow { well, any }
    }

    pub(super) fn step(&self, from: Option<&Path>, to: &str) -> Option<PathBuf> {
        match to.strip_prefix('~') {
            Some(rest) => Some(self.home?.join(rest.trim_start_matches('/'))),
            None if to.starts_with('/') => Some(PathBuf::from(to)),
            None => Some(from?.join(to)),
        }
    }
}

/// Whether there is anything in it that changes folders.
pub(super) fn goes(text: &str) -> bool {
    let names = ["cd", "pushd", "popd", "eval", "source", "."];
    text.split(|c: char| c.is_whitespace() || ";&|(){}\"'\\`".contains(c)).any(|word| names.contains(&word))
}

/// Whether the line gives another value to what `cd` and `~` go by.
pub(super) fn moves_home(text: &str) -> bool {
    text.contains("CDPATH")
        || text.contains("PWD=")
        || text
            .match_indices("HOME")
            .any(|(at, _)| !(text[..at].ends_with('$') || text[..at].ends_with("${")))
}
