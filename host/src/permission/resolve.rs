//! From a subject as a tool names it to one the host can rule on: every path absolute and followed to where
//! it really leads, every URL parsed. Step 6 of the path.
//!
//! Only ever reads links (`readlink`); opens nothing. What changes afterwards is caught by the sandbox, which
//! judges each operation again. Leaves to others: what is allowed (`decide`).

#![expect(
    clippy::disallowed_methods,
    reason = "it reads links, to know what a path really names; it opens nothing"
)]

use std::io;
use std::path::{Component, Path, PathBuf};

use url::Url;

use super::shell;
use super::subject::{PathForms, Resolved};
use crate::contract::{Access, PathSubject, Subject, UrlSubject};

/// As many symlinks as Linux follows in one path.
const HOPS: usize = 40;
/// `PATH_MAX` on Linux.
const LONGEST_PATH: usize = 4_096;

/// Resolves subjects against a working directory and a home.
#[derive(Debug, Clone)]
pub(super) struct Resolver {
    pub(super) working_directory: PathBuf,
    pub(super) home: Option<PathBuf>,
}

impl Resolver {
    /// Resolves one subject; whatever makes no sense becomes [`Resolved::Opaque`].
    pub(super) fn subject(&self, subject: &Subject) -> Resolved {
        let opaque = |text: &str, why: String| Resolved::Opaque { text: text.to_owned(), why };
        match subject {
            Subject::Path(PathSubject { path, access, extent }) => match self.path(path) {
                Ok(forms) => Resolved::Path { forms, access: *access, extent: *extent },
                Err(why) => opaque(path, why),
            },
            Subject::Url(UrlSubject { url, method }) => match parse_url(url, method) {
                Ok((url, method)) => Resolved::Url { url, method },
                Err(why) => opaque(url, why),
            },
            Subject::Command { command } => shell::resolve(command, self, &[]),
            Subject::Text { text } => Resolved::Text { text: text.clone() },
            Subject::Other { name, value } => {
                opaque(value, format!("this host knows no subject of the kind `{name}`"))
            }
        }
    }

    /// Both spellings of a path.
    pub(super) fn path(&self, text: &str) -> Result<PathForms, String> {
        let text = refuse_strange(text)?;
        let start = match home_relative(text) {
            Some(rest) => match &self.home {
                Some(home) => home.join(rest.trim_start_matches('/')),
                None => return Err("`~` stands for a home folder, and there is none".to_owned()),
            },
            None => self.working_directory.join(text),
        };
        let mut named = PathBuf::from("/");
        for part in start.components() {
            match part {
                Component::Normal(name) => named.push(name),
                Component::ParentDir if std::fs::read_link(&named).is_ok() => {
                    named = real_path(&named).map_err(too_many)?;
                    named.pop();
                }
                Component::ParentDir => {
                    named.pop();
                }
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        let real = real_path(&named).map_err(too_many)?;
        Ok(PathForms { named, real })
    }
}

impl Resolved {
    /// Whether this would change something, as far as the subject itself tells.
    #[must_use]
    pub fn may_write(&self) -> bool {
        match self {
            Self::Path { access, .. } => *access == Access::Write,
            Self::Url { method, .. } => !matches!(method.as_str(), "GET" | "HEAD"),
            Self::Text { .. } => false,
            Self::Command { line, .. } => !line.reads_only(),
            Self::Opaque { .. } => true,
        }
    }
}

/// Follows every symlink in an absolute path; what does not exist is kept as it is.
///
/// # Errors
/// More links than any kernel follows.
pub(super) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut ahead: Vec<PathBuf> = path.components().rev().map(|part| part.as_os_str().into()).collect();
    let mut real = PathBuf::from("/");
    let mut hops = 0;
    while let Some(part) = ahead.pop() {
        match part.components().next() {
            Some(Component::RootDir) => real = PathBuf::from("/"),
            Some(Component::ParentDir) => {
                real.pop();
            }
            Some(Component::Normal(name)) => {
                real.push(name);
                // Missing, unreadable or no link: the name stands as it is.
                let Ok(target) = std::fs::read_link(&real) else { continue };
                hops += 1;
                if hops > HOPS {
                    return Err(io::Error::other("too many symlinks"));
                }
                real.pop();
                ahead.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
            }
            _ => {}
        }
    }
    Ok(real)
}

/// Whether there is anything at a path, without following a last symlink.
pub(super) fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn too_many(error: io::Error) -> String {
    format!("its symlinks lead nowhere: {error}")
}

/// Takes a mention's `@` off, and refuses spellings that different systems read differently.
fn refuse_strange(text: &str) -> Result<&str, String> {
    let text = match text.strip_prefix('@') {
        Some(rest) if ["/", "./", "../", "~/", "$HOME/"].iter().any(|start| rest.starts_with(start)) => rest,
        _ => text,
    };
    let drive = matches!(text.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    if text.is_empty() {
        Err("the path is empty".to_owned())
    } else if text.len() > LONGEST_PATH {
        Err(format!("the path is longer than {LONGEST_PATH} bytes"))
    } else if text.chars().any(char::is_control) {
        Err("the path holds control characters".to_owned())
    } else if text.starts_with('\\') || text.contains("::$") || (drive && !cfg!(windows)) {
        Err("the path is a network, device, drive or stream name of another system".to_owned())
    } else {
        Ok(text)
    }
}

/// What follows the home folder: `~`, and `$HOME` as a shell would have it.
fn home_relative(text: &str) -> Option<&str> {
    ["~", "$HOME", "${HOME}"]
        .into_iter()
        .filter_map(|start| text.strip_prefix(start))
        .find(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn parse_url(text: &str, method: &str) -> Result<(Url, String), String> {
    if text.chars().any(char::is_control) {
        return Err("the URL holds control characters".to_owned());
    }
    let mut url = Url::parse(text).map_err(|error| format!("no absolute URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("only https and http can be requested, not `{}`", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL holds a user name or password".to_owned());
    }
    if let Some(host) = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned)
        && (host.is_empty() || host.ends_with('.') || url.set_host(Some(&host)).is_err())
    {
        return Err("the URL's host is no name".to_owned());
    }
    if method.is_empty() || !method.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-') {
        return Err(format!("`{}` is no HTTP method", method.escape_debug()));
    }
    Ok((url, method.to_ascii_uppercase()))
}
