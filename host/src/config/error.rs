//! What is wrong with a configuration, with the place and the next step. All of it is for the operator.

use std::fmt;
use std::path::PathBuf;

/// Why a configuration cannot be used. Nothing runs under half a configuration: its denies must not vanish.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that was named, or found, cannot be read.
    #[error("cannot read configuration file `{}`: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not TOML or JSON at all.
    #[error("{at}: {message}")]
    Syntax {
        /// Where.
        at: Place,
        /// What the parser said.
        message: String,
    },
    /// A key that this version does not know.
    #[error("{at}: unknown key in {section}: `{key}`{}", near(.nearest, .known))]
    UnknownKey {
        /// Where.
        at: Place,
        /// The table it stands in, as `[name]`.
        section: String,
        /// The key as it was written.
        key: String,
        /// The nearest right spelling.
        nearest: Option<&'static str>,
        /// All right spellings.
        known: &'static [&'static str],
    },
    /// A key with a value of another type than it takes.
    #[error("{at}: `{key}` takes {expected}, not {found}")]
    WrongType {
        /// Where.
        at: Place,
        /// The key with its table, such as `permissions.allow`.
        key: String,
        /// Such as `an array of strings`.
        expected: &'static str,
        /// Such as `integer`.
        found: String,
    },
    /// A value of the right type that means nothing.
    #[error("{at}: {message}")]
    Value {
        /// Where.
        at: Place,
        /// What is wrong and what to write instead.
        message: String,
    },
    /// An option of the command line that means nothing.
    #[error("`{option}`: {message}")]
    Option {
        /// Such as `--mode`.
        option: &'static str,
        /// What is wrong and what to write instead.
        message: String,
    },
    /// The working directory is not there.
    #[error("cannot work in `{}`: {source}", path.display())]
    WorkingDirectory {
        /// As it was named.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A line of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// From 1; `None`: the file as a whole.
    pub line: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file.display()),
            None => write!(f, "{}", self.file.display()),
        }
    }
}

/// The known spelling nearest to what was written, if any is near enough to have been meant.
pub(crate) fn nearest(written: &str, known: &[&'static str]) -> Option<&'static str> {
    let close = |candidate: &&'static str| {
        let (a, b) = (written.to_lowercase().replace('_', "-"), candidate.to_lowercase());
        (strsim::damerau_levenshtein(&a, &b), *candidate)
    };
    let (distance, best) = known.iter().map(close).min()?;
    (distance <= 1 + best.len() / 4).then_some(best)
}

fn near(nearest: &Option<&'static str>, known: &[&'static str]) -> String {
    match nearest {
        Some(nearest) => format!("; hint: `{nearest}`"),
        None => format!("; hint: one of {}", known.join(", ")),
    }
}
