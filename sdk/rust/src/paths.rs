//! Paths as an input has them (absolute, relative to the session's working directory, `~/…`), as `std::fs` opens them
//! and as people read them; and what is refused by its name alone, before anything is opened.

use std::path::{Component, Path, PathBuf};

use crate::{Rejection, host, session};

mod refused;

pub use refused::{refuse_by_name, refuse_devices};

/// What `std::fs` opens for a path of the input: absolute, with `.`, `..` and doubled separators worked out by text.
/// Where `..` follows a symbolic link the host means another file, and the open is refused.
///
/// # Errors
/// A rejection for a path that is empty, or that begins with `~` where no home folder is known.
pub fn resolve(path: &str) -> Result<PathBuf, Rejection> {
    if path.is_empty() {
        return Err(Rejection::new("the path is empty: give the path of a file or folder"));
    }
    let joined = match home_relative(path) {
        Some(rest) => match host::home() {
            Some(home) => Path::new(&home).join(rest),
            None => {
                return Err(Rejection::new(format!(
                    "the home folder is not known here: give the absolute path instead of `{path}`"
                )));
            }
        },
        None if Path::new(path).is_absolute() => PathBuf::from(path),
        None => Path::new(&session::working_directory()).join(path),
    };
    Ok(plain(&joined))
}

/// A path for people and models: relative to the working directory if it is below that, otherwise as it is.
pub fn shown(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    let below = path.strip_prefix(session::working_directory()).unwrap_or(path);
    if below.as_os_str().is_empty() { ".".to_owned() } else { below.to_string_lossy().into_owned() }
}

/// The path of the input as one absolute text, with `.` and `..` worked out by their letters alone. Good for looking
/// at a name, never for deciding what may be opened: `..` behind a symbolic link leads elsewhere.
pub fn lexical(path: &str) -> PathBuf {
    let joined = match (home_relative(path), host::home()) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        (Some(_), None) => PathBuf::from(path),
        (None, _) => Path::new(&session::working_directory()).join(path),
    };
    plain(&joined)
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// What follows `~/`; a bare `~` is the home folder itself. `~name` is an ordinary name.
fn home_relative(path: &str) -> Option<&str> {
    match path.strip_prefix('~')? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Session;

    #[test]
    fn a_relative_path_is_joined_with_the_working_directory() {
        let _session = Session::new("/work/project");
        assert_eq!(resolve("src/./a.rs").unwrap(), Path::new("/work/project/src/a.rs"));
        assert_eq!(resolve("../b").unwrap(), Path::new("/work/b"));
        assert_eq!(resolve("/etc//hosts").unwrap(), Path::new("/etc/hosts"));
        assert!(resolve("").is_err());
    }

    #[test]
    fn the_home_folder_is_used_where_known_and_asked_about_otherwise() {
        let session = Session::new("/work/project");
        assert!(resolve("~/notes").unwrap_err().message.contains("absolute path"));
        session.home("/home/ada");
        assert_eq!(resolve("~/notes").unwrap(), Path::new("/home/ada/notes"));
        assert_eq!(resolve("~ada/notes").unwrap(), Path::new("/work/project/~ada/notes"));
    }

    #[test]
    fn what_is_shown_is_short_below_the_working_directory_only() {
        let _session = Session::new("/work/project");
        assert_eq!(shown("/work/project/src/a.rs"), "src/a.rs");
        assert_eq!(shown("/work/project"), ".");
        assert_eq!(shown("/work/project-two/a"), "/work/project-two/a");
        assert_eq!(shown("src/a.rs"), "src/a.rs");
    }
}
