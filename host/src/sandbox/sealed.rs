//! A folder of sealed files: what this host wrote and nobody changed since. Compiled code and descriptors are
//! kept in such folders. A folder that others can write is not used; an entry whose seal does not fit is as
//! good as absent.

#![expect(clippy::disallowed_methods, reason = "it keeps the host's own sealed files")]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use sha2::Sha256;

type Seal = Hmac<Sha256>;

/// Bytes of a seal in front of the content.
const SEAL: usize = 32;
/// Bytes of the key: one block of the hash.
const KEY: usize = 64;

/// The folder and the key to its seals; or nothing, and then nothing is kept.
#[derive(Debug, Clone)]
pub struct SealedFolder {
    place: Option<Place>,
}

#[derive(Debug, Clone)]
struct Place {
    folder: PathBuf,
    key: [u8; KEY],
}

impl SealedFolder {
    /// Opens the folder, making it if need be. One that cannot be trusted is not used, and that is said.
    #[must_use]
    pub fn open(folder: Option<&Path>) -> Self {
        let place = folder.and_then(|folder| {
            Place::open(folder)
                .inspect_err(|error| tracing::warn!(folder = %folder.display(), %error, "cache not used"))
                .ok()
        });
        Self { place }
    }

    /// The content kept under `name`, if it is there and its seal fits.
    #[must_use]
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let place = self.place.as_ref()?;
        let mut entry = read_own(&place.folder.join(name)).ok()?;
        let (seal, content) = entry.split_at_checked(SEAL)?;
        if place.seal(name, content).verify_slice(seal).is_err() {
            tracing::warn!(entry = name, "a cache entry was tampered with; it is made anew");
            return None;
        }
        Some(entry.split_off(SEAL))
    }

    /// Keeps `content` under `name`. Failing to is not an error: it is made again the next time.
    pub fn write(&self, name: &str, content: &[u8]) {
        let Some(place) = &self.place else { return };
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&place.folder)?;
            file.write_all(&place.seal(name, content).finalize().into_bytes())?;
            file.write_all(content)?;
            file.persist(place.folder.join(name))?;
            Ok(())
        };
        if let Err(error) = write() {
            tracing::warn!(folder = %place.folder.display(), %error, "a cache entry could not be kept");
        }
    }
}

impl Place {
    fn open(folder: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let found = fs::symlink_metadata(folder)?;
        if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() || found.mode() & 0o022 != 0
        {
            return Err(io::Error::other("the folder is a link, or others than this user can write it"));
        }
        Ok(Self { folder: folder.to_owned(), key: Self::key(&folder.join("key"))? })
    }

    /// The key that seals entries: made at random the first time, readable by this user alone.
    fn key(path: &Path) -> io::Result<[u8; KEY]> {
        if let Ok(Ok(key)) = read_own(path).map(<[u8; KEY]>::try_from) {
            return Ok(key);
        }
        let mut key = [0; KEY];
        File::open("/dev/urandom")?.read_exact(&mut key)?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(path))?;
        file.write_all(&key)?;
        // Of two processes that get here at once, the first one's key stands.
        match file.persist_noclobber(path) {
            Ok(_) => Ok(key),
            Err(_) => {
                read_own(path)?.try_into().map_err(|_| io::Error::other("the key file is damaged; remove it"))
            }
        }
    }

    /// Binds content to the name it is kept under, so that entries cannot change places.
    fn seal(&self, name: &str, content: &[u8]) -> Seal {
        let mut seal = <Seal as Mac>::new(&self.key.into());
        seal.update(name.as_bytes());
        seal.update(&[0]);
        seal.update(content);
        seal
    }
}

/// Reads a regular file of this user's own that nobody else can write; a link is not followed.
fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let mut file = File::options().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() || found.mode() & 0o022 != 0 {
        return Err(io::Error::other("not a file of this user's own"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
