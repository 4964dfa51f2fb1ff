//! Where a search begins, and how what it finds is named.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use mortise_sdk::{Failure, Rejection, paths};

/// A folder or file that is there.
pub(crate) struct Place {
    /// As `std::fs` opens it.
    pub(crate) path: PathBuf,
    pub(crate) is_file: bool,
}

impl Place {
    /// The place that the input names.
    ///
    /// # Errors
    /// A rejection if there is no such place; a failure if it may not be looked at.
    pub(crate) fn find(given: &str) -> Result<Self, Failure> {
        let path = paths::resolve(given)?;
        match std::fs::metadata(&path) {
            Ok(about) => Ok(Self { path, is_file: !about.is_dir() }),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(Failure::reject(format!(
                    "there is no file or folder `{given}`: relative paths begin at the working directory"
                )))
            }
            Err(error) => Err(Failure::fail(format!("`{given}` may not be searched: {error}"))),
        }
    }
}

/// A Glob pattern, apart: the folder it is looked for in as an input would name it, and the rest.
#[derive(Debug, PartialEq)]
pub(crate) struct Pattern {
    /// Where the pattern itself points: set if it is absolute, begins with `~/`, or leads upwards. It then stands in
    /// the place of the folder that was given.
    pub(crate) base: Option<String>,
    /// Folders that the pattern names outright, below the base.
    pub(crate) inside: String,
    /// What is matched against paths below those; never begins with a slash.
    pub(crate) rest: String,
}

impl Pattern {
    /// Takes a pattern apart; `folder` is the input's `path`.
    ///
    /// # Errors
    /// A rejection for an empty pattern, and for one that goes upwards behind a wildcard.
    pub(crate) fn new(pattern: &str, folder: Option<&str>) -> Result<Self, Rejection> {
        let mut pattern = pattern.trim();
        while let Some(rest) = pattern.strip_prefix("./") {
            pattern = rest;
        }
        if pattern.is_empty() {
            return Err(Rejection::new("the pattern is empty: give one like `**/*.rs`"));
        }
        let pattern = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
        let parts: Vec<&str> = pattern.split('/').collect();
        let named = parts.iter().take_while(|part| !has_wildcard(part)).count().min(parts.len() - 1);
        let (head, tail) = parts.split_at(named);
        if tail.contains(&"..") {
            return Err(Rejection::new(format!(
                "the pattern `{pattern}` goes upwards (`..`) behind a wildcard: begin with where to look"
            )));
        }
        let anywhere = parts.len() == 1;
        let rest = if anywhere { format!("**/{pattern}") } else { tail.join("/") };
        let head = if head == [""] { "/".to_owned() } else { head.join("/") };
        let moves =
            head.starts_with('/') || head.starts_with("~") || head.split('/').any(|part| part == "..");
        if !moves {
            return Ok(Self { base: None, inside: head, rest });
        }
        let base = match folder {
            Some(folder) if !head.starts_with(['/', '~']) => {
                format!("{}/{head}", folder.trim_end_matches('/'))
            }
            _ => head,
        };
        Ok(Self { base: Some(base), inside: String::new(), rest })
    }
}

fn has_wildcard(part: &str) -> bool {
    part.contains(['*', '?', '[', '{', '\\'])
}

/// A path for the model: relative below the working directory, absolute elsewhere.
pub(crate) fn named(path: &Path) -> String {
    paths::shown(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(pattern: &str, folder: Option<&str>) -> (Option<String>, String, String) {
        let Pattern { base, inside, rest } = Pattern::new(pattern, folder).unwrap();
        (base, inside, rest)
    }

    #[test]
    fn a_pattern_is_looked_for_where_it_points() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parts("*.rs", None), (None, "".into(), "**/*.rs".into()));
        assert_eq!(parts("**/*.rs", Some("src")), (None, "".into(), "**/*.rs".into()));
        assert_eq!(parts("src/a/*.rs", None), (None, "src/a".into(), "*.rs".into()));
        assert_eq!(parts("./src/main.rs", None), (None, "src".into(), "main.rs".into()));
        assert_eq!(parts("src/", None), (None, "src".into(), "**".into()));
        assert_eq!(parts("/etc/*.conf", Some("src")), (some("/etc"), "".into(), "*.conf".into()));
        assert_eq!(parts("/*.conf", None), (some("/"), "".into(), "*.conf".into()));
        assert_eq!(parts("~/notes/**", None), (some("~/notes"), "".into(), "**".into()));
        assert_eq!(parts("../b/*.rs", None), (some("../b"), "".into(), "*.rs".into()));
        assert_eq!(parts("../b/*.rs", Some("src/")), (some("src/../b"), "".into(), "*.rs".into()));
        assert!(Pattern::new("*/../../etc/*", None).is_err());
        assert!(Pattern::new(" ", None).is_err());
    }
}
