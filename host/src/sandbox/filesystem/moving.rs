//! What moving a folder or a symlink would change besides its place: a rule anchored to a path below would no
//! longer hold, and a relative symlink would lead elsewhere.

use std::path::Path;

use rustix::fs::FileType;

use super::fault::Fault;
use super::ground::{Ground, Hold, Node};
use super::resolver;
use super::tree;
use crate::contract::Access;

/// Entries below a folder that are looked at before moving it is refused.
const MAX_ENTRIES: usize = 100_000;

impl Ground {
    /// Judges everything in a folder under the names it has and would have.
    pub(super) fn may_move_folder(&self, old: &Hold, node: &Node, new: &Hold) -> Result<(), Fault> {
        self.no_guard_below(&old.path)?;
        self.no_guard_below(&new.path)?;
        let elsewhere = old.path.parent() != new.path.parent();
        if !elsewhere && !self.grant.fence().may_contain_denied() {
            return Ok(());
        }
        let mut budget = MAX_ENTRIES;
        let all = tree::look(&node.file, &mut budget, &mut |entry| {
            let (from, to) = (old.path.join(entry.path), new.path.join(entry.path));
            for path in [&from, &to] {
                self.grant.judge_path(path, Access::Write)?;
            }
            if elsewhere && entry.kind == FileType::Symlink {
                let link = resolver::pin_name(entry.dir, entry.name)?;
                self.may_move_symlink(&link, &from, &to)?;
            }
            Ok(())
        })?;
        if all {
            return Ok(());
        }
        let path = old.path.display();
        Err(Fault::refused(format!("it holds too much to be sure that nothing protected is in it: `{path}`")))
    }

    /// A symlink moves freely within its folder, and anywhere if its meaning stays. One that climbs would
    /// mean something else: it stays.
    pub(super) fn may_move_symlink(&self, link: &std::fs::File, from: &Path, to: &Path) -> Result<(), Fault> {
        if from.parent() == to.parent() {
            return Ok(());
        }
        let target = resolver::read_link(link)?;
        if target.is_absolute() {
            return Ok(());
        }
        let folder = to.parent().unwrap_or(Path::new("/"));
        if super::ground::has_up(&target) {
            let path = from.display();
            return Err(Fault::refused(format!(
                "a symlink that climbs cannot be moved to another folder: `{path}`"
            )));
        }
        Ok(self.grant.judge_spelling(&super::ground::lexical(folder, &target), Access::Write)?)
    }
}
