//! What no mode lets `rm` and `rmdir` have unasked: the root, what lies right below it, the home folder, the
//! working directory and what holds it, the additional folders' whole content.
//!
//! Leaves to others: finding the calls (`call`), the question (`decide`).

use std::path::{Path, PathBuf};

use super::Surroundings;
use super::call::base;
use super::walk::Folders;
use super::word::{Piece, Word};

/// The first target of an `rm` or `rmdir` that must be asked for in every mode. `words` begins with the name,
/// as it could come out.
pub(super) fn target(
    words: &[(String, Word)],
    folders: &Folders,
    around: &Surroundings<'_>,
) -> Option<String> {
    let (name, rest) = words.split_first()?;
    if !matches!(base(&name.0), "rm" | "rmdir") {
        return None;
    }
    let critical = |text: &str, word: &Word| {
        if text.starts_with('-') && text.len() > 1 {
            return false;
        }
        let emptied = match word
            .pieces
            .iter()
            .find(|piece| !matches!(piece, Piece::Text(text, _) if text.is_empty()))
        {
            // What comes first may be empty: `"$DIR"/*` is `/*`.
            Some(Piece::Variable(..) | Piece::Output) => {
                let rest: String = word
                    .pieces
                    .iter()
                    .filter_map(|piece| match piece {
                        Piece::Text(text, _) => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                matches!(rest.as_str(), "/" | "/*" | "/.*" | "/**")
            }
            _ => false,
        };
        emptied
            || is_drive(text)
            || places(text, word, folders, around).iter().any(|place| match place {
                Some(place) => is_critical(place, around),
                None => true,
            })
    };
    rest.iter().find(|(text, word)| critical(text, word)).map(|(_, word)| word.source.clone())
}

/// Where a target lies, without a wildcard that stands for all that is in a folder; `None`: all of a folder
/// that the text does not tell.
fn places(text: &str, word: &Word, folders: &Folders, around: &Surroundings<'_>) -> Vec<Option<PathBuf>> {
    let home = around.home_known.then_some(around.places.home.as_deref()).flatten();
    let home_relative = |text: &str| -> Option<PathBuf> {
        let rest = text.strip_prefix("~").or_else(|| {
            let rest = word.source.trim_start_matches('"').strip_prefix("$HOME");
            rest.or_else(|| word.source.trim_start_matches('"').strip_prefix("${HOME}"))
                .map(|rest| rest.trim_matches('"'))
        })?;
        (rest.is_empty() || rest.starts_with('/'))
            .then(|| home.map(|home| home.join(rest.trim_start_matches('/'))))
            .flatten()
    };
    let all = ["*", ".*", "**", "{*,.*}", ".", ""];
    let whole = |path: PathBuf| -> PathBuf {
        match path.file_name().and_then(|name| name.to_str()) {
            Some(name) if all.contains(&name) && word.has_wildcard() => {
                path.parent().map_or(path.clone(), Path::to_path_buf)
            }
            _ => path,
        }
    };
    if let Some(path) = home_relative(text) {
        return vec![Some(whole(path))];
    }
    if text.starts_with('/') {
        return vec![Some(whole(PathBuf::from(text)))];
    }
    folders
        .iter()
        .filter_map(|folder| match folder {
            Some(folder) => Some(Some(whole(folder.join(text)))),
            // All of a folder, wherever that is.
            None => (all.contains(&text.trim_start_matches("./")) || text == ".." || text.ends_with("/.."))
                .then_some(None),
        })
        .collect()
}

fn is_critical(path: &Path, around: &Surroundings<'_>) -> bool {
    let Some(text) = path.to_str() else { return true };
    let Ok(forms) = around.places.path(text) else { return true };
    [forms.named, forms.real].iter().any(|path| {
        let top = path.components().count() <= 2;
        let home = around.places.home.as_ref().is_some_and(|home| path == home || home.starts_with(path));
        let working = around.folders.iter().any(|folder| folder.starts_with(path))
            || around.places.working_directory.starts_with(path);
        top || home || working
    })
}

/// A drive of another system, or what lies right below it.
fn is_drive(text: &str) -> bool {
    let [letter, b':', rest @ ..] = text.as_bytes() else { return false };
    let rest = rest.strip_prefix(b"\\").or_else(|| rest.strip_prefix(b"/")).unwrap_or(rest);
    letter.is_ascii_alphabetic() && !rest.iter().rev().skip(1).any(|b| matches!(b, b'\\' | b'/'))
}
