//! The slow way through a path that holds a symlink or `..`: one name at a time, everything pinned, nothing
//! followed by the kernel. Where a symlink leads is read as text and taken up again from a granted folder, so
//! that it can lead to other granted ground and nowhere else.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::fault::Fault;
use super::ground::{Found, Ground, Hold, Node, Spelled};
use super::opened::Opened;
use super::resolver;
use crate::contract::Access;

/// As many as the kernel allows.
const MAX_HOPS: usize = 40;

/// Where a walk stands: in a pinned folder, or (`dir` is `None`) on a folder above granted ground that is only
/// passed by name.
struct Stand {
    path: PathBuf,
    dir: Option<File>,
}

enum Step {
    Root,
    Up,
    Name(OsString),
}

impl Ground {
    /// Takes a path name by name, judging each folder and each symlink on the way.
    pub(super) fn walk(&self, base: &Opened, spelled: &Spelled, follow: bool) -> Result<Found, Fault> {
        let dir = base.file.try_clone()?;
        let mut at = Stand { path: resolver::where_is(&dir)?, dir: Some(dir) };
        let mut steps = Vec::new();
        push_steps(&mut steps, &spelled.path);
        let mut hops = 0;
        while let Some(step) = steps.pop() {
            let name = match step {
                Step::Root => {
                    at = self.stand(PathBuf::from("/"))?;
                    continue;
                }
                Step::Up => {
                    at = self.up(at)?;
                    continue;
                }
                Step::Name(name) => name,
            };
            let here = at.path.join(&name);
            let Some(dir) = at.dir else {
                at = self.stand(here)?;
                continue;
            };
            let last = steps.is_empty();
            if !last {
                self.may_pass(&here)?;
            }
            let node = match resolver::pin_name(&dir, &name) {
                Ok(file) => Node::of(file)?,
                Err(Errno::NOENT) if last => {
                    return Ok(Found { node: None, hold: Some(Hold { parent: dir, path: here, name }) });
                }
                Err(errno) => return Err(errno.into()),
            };
            if node.meta.is_symlink() && (!last || follow || spelled.folder) {
                hops += 1;
                if hops > MAX_HOPS {
                    return Err(Errno::LOOP.into());
                }
                self.judge_node(&node, Access::Read)?;
                push_steps(&mut steps, &resolver::read_link(&node.file)?);
                at = Stand { path: at.path, dir: Some(dir) };
            } else if last {
                let path = resolver::where_is(&dir)?.join(&name);
                let node = Some(node.folder_if(spelled.folder)?);
                return Ok(Found { node, hold: Some(Hold { parent: dir, path, name }) });
            } else if node.meta.is_dir() {
                at = Stand { path: node.path, dir: Some(node.file) };
            } else {
                return Err(Fault::Code(ErrorCode::NotDirectory));
            }
        }
        match at.dir {
            Some(dir) => Ok(Found { node: Some(Node::of(dir)?), hold: None }),
            None => Err(outside(&at.path)),
        }
    }

    /// Stands on an absolute path that has no folder pinned: a root, or one above a root.
    fn stand(&self, path: PathBuf) -> Result<Stand, Fault> {
        if let Some(root) = self.roots().iter().find(|root| root.name == path) {
            return Ok(Stand { path: root.real.clone(), dir: Some(root.dir.try_clone()?) });
        }
        if self.roots().iter().any(|root| root.name.starts_with(&path)) {
            return Ok(Stand { path, dir: None });
        }
        Err(outside(&path))
    }

    /// Goes to the folder above, by the kernel's word for where that is.
    fn up(&self, at: Stand) -> Result<Stand, Fault> {
        let Some(dir) = at.dir else {
            let path = at.path.parent().unwrap_or(Path::new("/")).to_owned();
            return self.stand(path);
        };
        let dir = resolver::above(&dir)?;
        let path = resolver::where_is(&dir)?;
        if self.roots().iter().any(|root| path.starts_with(&root.real)) {
            return Ok(Stand { path, dir: Some(dir) });
        }
        self.stand(path)
    }

    /// A folder may be passed through if it may be read, or if something granted lies below it.
    fn may_pass(&self, path: &Path) -> Result<(), Fault> {
        let mut granted = self.grant.files().iter();
        if granted.any(|file| file.path.starts_with(path) || file.named.starts_with(path)) {
            return Ok(());
        }
        self.judge_named(path, Access::Read)
    }
}

fn push_steps(steps: &mut Vec<Step>, path: &Path) {
    for step in path.components().rev() {
        match step {
            Component::RootDir => steps.push(Step::Root),
            Component::ParentDir => steps.push(Step::Up),
            Component::Normal(name) => steps.push(Step::Name(name.to_owned())),
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
}

fn outside(path: &Path) -> Fault {
    Fault::refused(format!("the way there leads out of what this call was granted: `{}`", path.display()))
}
