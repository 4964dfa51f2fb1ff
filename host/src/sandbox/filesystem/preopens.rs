//! The folders that a guest starts from, under the same absolute names that the host knows them by.
//!
//! They are only places to start from: what may be reached from them is judged at each operation.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::ground::Ground;
use super::opened::Opened;
use super::resolver;
use crate::contract::{Access, Extent};
use crate::permission::Grant;

/// A folder to start from.
#[derive(Debug)]
pub(super) struct Root {
    /// As the guest sees it.
    pub(super) name: PathBuf,
    /// Where it really is.
    pub(super) real: PathBuf,
    pub(super) dir: File,
}

/// The folders of a grant: each granted folder, the folder of each granted file, under both spellings; of what
/// does not exist yet, the nearest folder above that does.
pub(super) fn roots_of(grant: &Grant) -> Vec<Root> {
    let mut roots: Vec<Root> = Vec::new();
    for file in grant.files() {
        for path in [&file.named, &file.path] {
            let Some((name, dir, real)) = nearest_folder(path, file.extent) else { continue };
            if roots.iter().all(|root| root.name != name) {
                roots.push(Root { name, real, dir });
            }
        }
    }
    roots
}

impl Ground {
    /// A descriptor for each folder to start from.
    pub(super) fn preopens(&self) -> std::io::Result<Vec<Opened>> {
        let open = |root: &Root| {
            let mutable = self.grant.judge_spelling(&root.name, Access::Write).is_ok();
            Ok(Opened::folder(root.dir.try_clone()?, root.name.clone(), mutable))
        };
        self.roots().iter().map(open).collect()
    }
}

fn nearest_folder(path: &Path, extent: Extent) -> Option<(PathBuf, File, PathBuf)> {
    let start = if extent == Extent::File { path.parent()? } else { path };
    start
        .ancestors()
        .find_map(|folder| match resolver::pin_folder(folder) {
            Ok((dir, real)) => Some(Ok((folder.to_owned(), dir, real))),
            Err(Fault::Os(error)) if may_be_above(&error) => None,
            Err(fault) => Some(Err(fault)),
        })?
        .ok()
}

/// Missing, or a file where a folder was looked for.
fn may_be_above(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
