//! Changing what a folder holds. The folder is pinned, folder and name are judged, and the change is made to
//! the bare name in it: there is no path left for anybody to bend in between.

use std::fs::File;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, Timestamps};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::fault::Fault;
use super::ground::{Found, Ground, Hold, Node, Spelled};
use super::opened::Opened;
use super::resolver;
use crate::contract::Access;

impl Ground {
    /// Makes a folder.
    pub(super) fn create_directory(&self, base: &Opened, path: &str) -> Result<(), Fault> {
        let spelled = Spelled { folder: false, ..self.spell(base, path, Access::Write)? };
        let (hold, node) = self.hold(base, &spelled, Errno::EXIST)?;
        if node.is_some() {
            return Err(Errno::EXIST.into());
        }
        Ok(rustix::fs::mkdirat(&hold.parent, &hold.name, Mode::from_raw_mode(0o777))?)
    }

    /// Removes a file, or a symlink itself.
    pub(super) fn unlink_file(&self, base: &Opened, path: &str) -> Result<(), Fault> {
        let spelled = self.spell(base, path, Access::Write)?;
        if spelled.folder {
            return Err(Fault::Code(ErrorCode::IsDirectory));
        }
        let (hold, _) = self.hold(base, &spelled, Errno::ISDIR)?;
        Ok(rustix::fs::unlinkat(&hold.parent, &hold.name, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    pub(super) fn remove_directory(&self, base: &Opened, path: &str) -> Result<(), Fault> {
        let spelled = Spelled { folder: false, ..self.spell(base, path, Access::Write)? };
        let (hold, _) = self.hold(base, &spelled, Errno::INVAL)?;
        self.no_guard_below(&hold.path)?;
        Ok(rustix::fs::unlinkat(&hold.parent, &hold.name, AtFlags::REMOVEDIR)?)
    }

    /// Moves a file, a folder or a symlink itself.
    pub(super) fn rename(&self, from: &Opened, old: &str, to: &Opened, new: &str) -> Result<(), Fault> {
        let old = self.spell(from, old, Access::Write)?;
        let new = self.spell(to, new, Access::Write)?;
        let folder = old.folder || new.folder;
        let (old, node) = self.hold(from, &Spelled { folder: false, ..old }, Errno::BUSY)?;
        let (new, there) = self.hold(to, &Spelled { folder: false, ..new }, Errno::BUSY)?;
        let Some(node) = node else { return Err(Fault::Code(ErrorCode::NoEntry)) };
        let node = node.folder_if(folder)?;
        if node.meta.is_dir() {
            self.may_move_folder(&old, &node, &new)?;
        } else if node.meta.is_symlink() {
            self.no_guard_below(&new.path)?;
            self.may_move_symlink(&node.file, &old.path, &new.path)?;
        }
        if there.is_some_and(|there| there.meta.is_dir()) {
            self.no_guard_below(&new.path)?;
        }
        Ok(rustix::fs::renameat(&old.parent, &old.name, &new.parent, &new.name)?)
    }

    /// Gives a file one more name. Both ends must be writable, or what may only be read could be written
    /// under its new name.
    pub(super) fn link(
        &self,
        from: &Opened,
        old: &str,
        follow: bool,
        to: &Opened,
        new: &str,
    ) -> Result<(), Fault> {
        let old = self.spell(from, old, Access::Write)?;
        let new = self.spell(to, new, Access::Write)?;
        let node = self.node(from, &old, follow)?;
        if !node.meta.is_file() {
            let path = node.path.display();
            return Err(Fault::refused(format!("only a regular file can be given another name: `{path}`")));
        }
        self.judge_node(&node, Access::Write)?;
        let (hold, _) = self.hold(to, &new, Errno::EXIST)?;
        resolver::link(&node.file, &hold.parent, &hold.name)
    }

    /// Makes a symlink that leads, from where it will be, to ground this call may write.
    pub(super) fn symlink(&self, base: &Opened, target: &str, path: &str) -> Result<(), Fault> {
        let spelled = self.spell(base, path, Access::Write)?;
        if spelled.folder {
            return Err(Fault::Code(ErrorCode::NoEntry));
        }
        let (hold, _) = self.hold(base, &spelled, Errno::EXIST)?;
        self.no_guard_below(&hold.path)?;
        self.judge_target(Path::new(target), &hold)?;
        Ok(rustix::fs::symlinkat(target, &hold.parent, &hold.name)?)
    }

    /// Sets the times of a path.
    pub(super) fn set_times_at(
        &self,
        base: &Opened,
        path: &str,
        follow: bool,
        times: &Timestamps,
    ) -> Result<(), Fault> {
        let spelled = self.spell(base, path, Access::Write)?;
        let node = self.node(base, &spelled, follow)?;
        self.judge_node(&node, Access::Write)?;
        resolver::set_times(&node.file, times)
    }

    /// Sets the times of a descriptor, judged anew: it may have been opened for reading.
    pub(super) fn set_times(&self, opened: &Opened, times: &Timestamps) -> Result<(), Fault> {
        self.judge_named(&opened.named, Access::Write)?;
        let node = Node::of(opened.file.try_clone()?)?;
        self.judge_node(&node, Access::Write)?;
        resolver::set_times(&node.file, times)
    }

    /// Pins the folder of a name that will be changed, and judges it. `nameless` is the error for a path
    /// that ends in `.` or `..`.
    fn hold(&self, base: &Opened, spelled: &Spelled, nameless: Errno) -> Result<(Hold, Option<Node>), Fault> {
        let Found { node, hold } = self.find(base, spelled, false)?;
        let hold = hold.ok_or(nameless)?;
        self.judge_hold(&hold, Access::Write)?;
        Ok((hold, node))
    }

    /// Refuses what would put another folder, or a symlink, in the way to one of the host's own files.
    pub(super) fn no_guard_below(&self, path: &Path) -> Result<(), Fault> {
        if self.grant.fence().guards_below(path) {
            let path = path.display();
            return Err(Fault::refused(format!("a protected path is, or would be, below it: `{path}`")));
        }
        Ok(())
    }

    /// Judges where a symlink in `hold` would lead. `..` may stand only at its front: behind a name, what it
    /// means would change with what the name is.
    pub(super) fn judge_target(&self, target: &Path, hold: &Hold) -> Result<(), Fault> {
        let parent: File = hold.parent.try_clone()?;
        let folder = hold.path.parent().unwrap_or(Path::new("/")).to_owned();
        let leads_out = || {
            Fault::refused(format!("a symlink must lead to what this call may write: `{}`", target.display()))
        };
        if target.is_absolute() || up_behind_name(target) {
            return Err(leads_out());
        }
        let base = Opened::folder(parent, folder, false);
        let text = target.to_str().ok_or_else(leads_out)?;
        let spelled = self.spell(&base, text, Access::Write).map_err(|fault| match fault {
            Fault::Refused(_) => leads_out(),
            other => other,
        })?;
        match self.walk(&base, &Spelled { folder: false, ..spelled }, true) {
            Ok(Found { node: Some(node), .. }) => self.judge_node(&node, Access::Write),
            Ok(Found { hold: Some(hold), .. }) => self.judge_hold(&hold, Access::Write),
            Ok(_) => Err(leads_out()),
            // A folder on the way is missing: the spelling, judged above, is all there is.
            Err(fault) if fault.is_missing() => Ok(()),
            Err(fault) => Err(fault),
        }
    }
}

fn up_behind_name(target: &Path) -> bool {
    let mut named = false;
    target.components().any(|step| match step {
        std::path::Component::ParentDir => named,
        std::path::Component::Normal(_) => {
            named = true;
            false
        }
        _ => false,
    })
}
