//! The files of one call. Step 9 of the path: `wasi:filesystem` as a guest sees it, held to its grant.
//!
//! Guests see the same absolute paths as the host. Each operation goes from a folder the guest holds and a path
//! it spelled to an inode, judged under every name on the way (`ground`, `walk`, over the system calls in
//! `resolver`), and is then carried out on what was pinned (`open`, `mutate`, `replace`). Linux only.
//!
//! Leaves to others: what is granted and what rules say (`permission`), the rest of WASI (wasmtime).

mod descriptor;
mod fault;
mod ground;
mod links;
mod listing;
mod moving;
mod mutate;
mod open;
mod opened;
mod preopens;
mod replace;
mod resolver;
mod stream;
#[cfg(test)]
mod tests;
mod times;
mod tree;
mod walk;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use serde::{Deserialize, Serialize};
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::p2::bindings::filesystem;

use self::fault::Fault;
use self::ground::Ground;
pub use self::watch::Seen;
use crate::config::Limits;
use crate::permission::{Grant, Refusal};

/// Refusals kept for one call. A guest that goes on after so many is not looking for the reason.
const MAX_DENIALS: usize = 64;

/// What one instance may do with files, and what it did.
#[derive(Debug)]
pub struct Files {
    ground: Arc<Ground>,
    cwd: PathBuf,
    denials: Vec<Refusal>,
}

/// What [`Files::replace`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// Whether there was no such file before.
    pub created: bool,
    /// Whether it was written in place, not atomically, because it has other hard links.
    pub in_place: bool,
}

/// Store data that holds [`Files`].
pub trait FilesystemView: Send {
    /// The files, and the table that the guest's descriptors live in.
    fn filesystem(&mut self) -> FilesystemCtxView<'_>;
}

/// What the functions of `wasi:filesystem` work on.
#[derive(Debug)]
pub struct FilesystemCtxView<'a> {
    /// What the instance may do.
    pub files: &'a mut Files,
    /// Where its descriptors live; its capacity bounds how many.
    pub table: &'a mut ResourceTable,
}

struct HasFiles;

impl HasData for HasFiles {
    type Data<'a> = FilesystemCtxView<'a>;
}

/// Links `wasi:filesystem` over wasmtime's own, which must be linked already.
///
/// # Errors
/// The linker refuses a name.
pub fn add_to_linker<T>(linker: &mut Linker<T>) -> wasmtime::Result<()>
where
    T: FilesystemView + 'static,
{
    linker.allow_shadowing(true);
    let linked = filesystem::types::add_to_linker::<T, HasFiles>(linker, T::filesystem)
        .and_then(|()| filesystem::preopens::add_to_linker::<T, HasFiles>(linker, T::filesystem));
    linker.allow_shadowing(false);
    linked
}

impl Files {
    /// What `grant` holds of files, for an instance that works in `cwd` (absolute). Opens nothing yet.
    #[must_use]
    pub fn new(grant: Arc<Grant>, cwd: PathBuf) -> Self {
        Self { ground: Arc::new(Ground::new(grant)), cwd, denials: Vec::new() }
    }

    /// No files at all.
    #[must_use]
    pub fn none() -> Self {
        Self::new(Arc::new(Grant::none(Limits::default())), PathBuf::from("/"))
    }

    /// What was refused so far, the first of each kind, in order: the guest sees only an error code.
    #[must_use]
    pub fn denials(&self) -> &[Refusal] {
        &self.denials
    }

    /// What has been read and written since this was last asked, of the files that the grant names one by one.
    pub fn take_seen(&mut self) -> Vec<Seen> {
        let mut seen = self.ground.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *seen).into_values().collect()
    }

    /// Puts `content` in the place of a whole file, making missing folders. `path` is absolute or below the
    /// working directory. Mode and owner are kept; a symlink is followed where both ends are granted.
    ///
    /// # Errors
    /// It is not granted, is no regular file, or the system fails: nothing was changed then. The text names the
    /// path and the reason. (A file with several names is written in place, and may be half written if the
    /// disk itself fails.)
    pub fn replace(&mut self, path: &str, content: &[u8]) -> Result<Replaced, String> {
        let named = ground::lexical(&self.cwd, Path::new(path));
        let replaced = if path.is_empty() || path.ends_with('/') {
            Err(Fault::refused("a path of a file was expected"))
        } else {
            self.ground.replace(&named, content)
        };
        replaced.map_err(|fault| {
            self.note(&fault);
            let why = fault.to_string();
            let named = named.display().to_string();
            let place = if why.contains(&named) { String::new() } else { format!(": `{named}`") };
            format!("the file was not replaced: {why}{place}")
        })
    }

    /// Keeps a refusal for the result of the call.
    fn note(&mut self, fault: &Fault) {
        if let Fault::Refused(refusal) = fault
            && self.denials.len() < MAX_DENIALS
            && !self.denials.contains(refusal)
        {
            self.denials.push(refusal.clone());
        }
    }
}
