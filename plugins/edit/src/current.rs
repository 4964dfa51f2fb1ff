//! The file as it is now, and whether this session knows it: nothing is overwritten that was not read, or that someone
//! else has changed since.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use mortise_sdk::{Failure, session};
use sha2::{Digest, Sha256};

/// What stands at a path.
#[derive(Debug)]
pub(crate) enum Current {
    /// No file, as far as this call can see.
    Missing,
    /// A text file.
    Text(Known),
    /// Something that this call may not read.
    Unreadable(String),
}

/// A text file together with what is needed to tell whether it is the one that was read.
#[derive(Debug)]
pub(crate) struct Known {
    /// All of it, as it is on disk.
    pub(crate) text: String,
    modified: Option<String>,
}

impl Current {
    /// Reads what stands at `path`, which the input names `given`.
    ///
    /// # Errors
    /// A folder and a file that is not UTF-8 text; a fault while reading.
    pub(crate) fn load(given: &str, path: &Path) -> Result<Self, Failure> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::Missing),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(Failure::reject(format!(
                    "`{given}` leads through something that is not a folder"
                )));
            }
            Err(error) => return Ok(Self::Unreadable(error.to_string())),
        };
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(Failure::reject(format!("`{given}` is a folder: give the path of a file in it")));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0).min(1 << 26));
        if let Err(error) = file.read_to_end(&mut bytes) {
            // Opening a folder can succeed where reading it does not.
            return Err(Failure::fail(format!("`{given}` could not be read: {error}")));
        }
        match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(Self::Text(Known { text, modified: modified(&about) })),
            _ => Err(Failure::fail(format!(
                "`{given}` is not UTF-8 text, and changing it as text would damage it: convert it first, or use a \
                 program that knows the format"
            ))),
        }
    }
}

impl Known {
    /// Makes sure that this is what the session read: the time of modification is the same, or else the content.
    ///
    /// # Errors
    /// A rejection that says to read the file first, or again.
    pub(crate) fn check(&self, given: &str) -> Result<(), Failure> {
        let Some(known) = session::file_known(given) else {
            return Err(Failure::reject(format!(
                "`{given}` exists and has not been read in this session: read it first, then change it"
            )));
        };
        let untouched = self.modified.as_ref().is_some_and(|modified| *modified == known.modified);
        if untouched || (known.whole && known.digest == digest(&self.text)) {
            return Ok(());
        }
        Err(Failure::reject(format!(
            "`{given}` has been modified since it was read, by someone else or by a program: read it again, then \
             change it"
        )))
    }
}

/// Nanoseconds since 1970, in decimals, as the host writes them.
fn modified(about: &Metadata) -> Option<String> {
    let time: SystemTime = about.modified().ok()?;
    Some(match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos().to_string(),
        Err(before) => format!("-{}", before.duration().as_nanos()),
    })
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
