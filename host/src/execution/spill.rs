//! Where large results of a session are kept: a folder of its own that only this user can enter, made when it
//! is first needed. Step 10 of the path writes into it and nothing else does.

#![expect(clippy::disallowed_methods, reason = "it writes large results into a folder of its own")]

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// Names tried for one result before it is given up.
const MAX_TRIES: u32 = 100;
/// Bytes of a name that come from the call's identity.
const MAX_NAME: usize = 64;

/// The place for large results of one session.
#[derive(Debug)]
pub struct Spill {
    place: Place,
    made: Mutex<Option<Folder>>,
}

#[derive(Debug)]
enum Place {
    /// The operator's choice; a folder with a random name is made in it and stays.
    Within(PathBuf),
    /// The system's folder for temporary files; it goes when the session does.
    Temporary,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Takes the folder away when the session ends.
    _temporary: Option<TempDir>,
}

impl Spill {
    /// A place within `folder`, which is made if it is missing; `None`: a temporary folder that is taken away
    /// when this value is dropped. Nothing is made before the first large result.
    #[must_use]
    pub fn new(folder: Option<PathBuf>) -> Self {
        let place = folder.map_or(Place::Temporary, Place::Within);
        Self { place, made: Mutex::new(None) }
    }

    /// The folder, once there is one. Reading in it needs no asking: what is in it was already the model's.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.as_ref().map(|folder| folder.path.clone())
    }

    /// Writes one result into a new file and says where it is. What is there is never written over or
    /// followed, and a file that could not be finished is taken away.
    pub(super) fn write(&self, call: &str, text: &str) -> io::Result<PathBuf> {
        let folder = self.ready()?;
        let (path, mut file) = create(&folder, &sanitise(call))?;
        match file.write_all(text.as_bytes()).and_then(|()| file.flush()) {
            Ok(()) => Ok(path),
            Err(error) => {
                drop(file);
                // What is left of it could be taken for the whole. If it cannot be removed it is not named either.
                let _ = std::fs::remove_file(&path);
                Err(error)
            }
        }
    }

    fn ready(&self) -> io::Result<PathBuf> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = made.as_ref().filter(|folder| is_ours(&folder.path)) {
            return Ok(folder.path.clone());
        }
        let folder = self.make()?;
        let path = folder.path.clone();
        *made = Some(folder);
        Ok(path)
    }

    fn make(&self) -> io::Result<Folder> {
        // A name that nobody can have put there before, with the mode from the first moment on.
        let mut builder = tempfile::Builder::new();
        builder.prefix("mortise-results-").permissions(Permissions::from_mode(0o700));
        match &self.place {
            Place::Temporary => {
                let folder = builder.tempdir()?;
                Ok(Folder { path: folder.path().canonicalize()?, _temporary: Some(folder) })
            }
            Place::Within(place) => {
                DirBuilder::new().recursive(true).mode(0o700).create(place)?;
                let path = builder.tempdir_in(place)?.keep();
                Ok(Folder { path: path.canonicalize()?, _temporary: None })
            }
        }
    }
}

/// Whether a folder is still the one that was made: a folder, not a link to one, entered by nobody else.
fn is_ours(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir() && found.mode() & 0o077 == 0)
}

fn create(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    for attempt in 0..MAX_TRIES {
        let name = if attempt == 0 { format!("{name}.txt") } else { format!("{name}-{attempt}.txt") };
        let path = folder.join(name);
        // `create_new` is O_CREAT|O_EXCL, which also never follows a link.
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// A call's identity as a file name; it comes from a model and may be anything.
fn sanitise(call: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = call.chars().take(MAX_NAME).map(safe).collect();
    if name.is_empty() { "result".to_owned() } else { name }
}
