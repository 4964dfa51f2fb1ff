//! What the kernel lets one command do: the base set that every command needs, a private temporary folder, the
//! granted files less what rules keep out of them, no network, no new privileges.
//!
//! Leaves to others: what is granted (`permission`), what rules keep out (`masks`), putting it in force (`descend`).

#![expect(clippy::disallowed_methods, reason = "it looks up the folders that every command needs")]

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};
use rustix::fs::StatVfsMountFlags;
use rustix::mount::MountFlags;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::descend::{Descent, Identity, Mount, Namespaces};
use super::masks::{self, Kept};
use super::support::{NamespaceKind, Support};
use crate::contract::{Access, Extent};
use crate::permission::{CommandGrant, Fence, FileGrant};

/// The first Landlock that holds what a grant says: before it, files that may only be read could be truncated.
pub(super) const NEEDED: ABI = ABI::V3;
/// The newest whose rights are asked for; an older kernel holds fewer of them.
const WANTED: ABI = ABI::V5;

/// Folders that every command may read and run from, where they exist.
pub(super) const BASE: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];
/// Devices that hold nothing.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];
/// Where others leave sockets and files; seen empty, unless something in it is granted.
const SHARED: [&str; 4] = ["/run", "/tmp", "/var/tmp", "/dev/shm"];
/// Of those, where every program expects to be able to write.
const SCRATCH: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// In the home folder, what git reads before it does anything; it fails where it sees these and may not read them.
const GIT: [&str; 2] = [".gitconfig", ".config/git"];
/// What name lookups need, for commands that have the network.
const RESOLVER: [&str; 2] = ["/run/systemd/resolve", "/run/resolvconf"];

/// The folders of one command's own.
#[derive(Debug)]
pub(super) struct Private {
    folder: tempfile::TempDir,
}

impl Private {
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("mortise-command-").tempdir()?;
        for name in ["tmp", "empty"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self { folder })
    }

    /// Where the command may write what nobody keeps.
    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    fn empty(&self) -> PathBuf {
        self.folder.path().join("empty")
    }
}

/// What there is to put in force, and what follows from it for the command's surroundings.
pub(super) struct Confined {
    pub(super) descent: Descent,
    /// `TMPDIR` as the command sees it.
    pub(super) scratch: PathBuf,
}

/// Works out the confinement of one command.
///
/// # Errors
/// What is missing, in words.
pub(super) fn confine(
    grant: &CommandGrant,
    fence: &Fence,
    (path, home): (&str, Option<&str>),
    private: &Private,
    support: &Support,
) -> Result<Confined, String> {
    let kept = masks::find(grant, fence)?;
    let failed = |error: &dyn std::fmt::Display| format!("the command cannot be confined: {error}");
    let mut scratch = private.scratch();
    let namespaces = match support.namespaces() {
        None => None,
        Some(kind) => {
            let (mut mounts, last) = shared(grant, private, &mut scratch).map_err(|error| failed(&error))?;
            mounts.extend(pinned(grant, &kept).map_err(|error| failed(&error))?);
            mounts.extend(masked(&kept, private).map_err(|error| failed(&error))?);
            mounts.extend(last);
            Some(Namespaces {
                user: (kind == NamespaceKind::User).then(identity),
                isolate_network: !grant.network,
                mounts,
            })
        }
    };
    let alone = namespaces.is_none();
    let mut extra = programs(path);
    extra.extend(git(home));
    extra.retain(|folder| is_open(folder, fence));
    let ruleset = ruleset(grant, &extra, private, &kept, alone).map_err(|error| failed(&error))?;
    let filter = (alone && !grant.network).then(no_sockets).transpose().map_err(|error| failed(&error))?;
    // Never written: for the superuser it holds the controls of the machine.
    let proc_access = AccessFs::from_read(WANTED);
    let directory = Some(text(&grant.working_directory).map_err(|error| failed(&error))?);
    let descent = Descent { namespaces, ruleset: Some(ruleset), proc_access, directory, filter };
    Ok(Confined { descent, scratch })
}

/// What an unconfined command gets: a place in the tree of processes.
pub(super) fn unconfined() -> Descent {
    Descent { namespaces: None, ruleset: None, proc_access: BitFlags::EMPTY, directory: None, filter: None }
}

fn ruleset(
    grant: &CommandGrant,
    extra: &[PathBuf],
    private: &Private,
    kept: &Kept,
    alone: bool,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    if alone && !grant.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    let mut rules = Rules(ruleset.create()?);
    let run = AccessFs::from_read(WANTED);
    for folder in BASE.iter().map(PathBuf::from).chain(extra.iter().cloned()) {
        rules = rules.add(&folder, run)?;
    }
    for device in DEVICES {
        rules =
            rules.add(Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev)?;
    }
    rules = rules.add(Path::new("/sys/devices/system/cpu"), run)?;
    rules = rules.add(Path::new("/sys/fs/cgroup"), run)?;
    if grant.network {
        for place in RESOLVER {
            rules = rules.add(Path::new(place), run)?;
        }
    }
    rules = rules.add(&private.scratch(), AccessFs::from_all(WANTED))?;
    for file in &grant.files {
        let access = match file.access {
            Access::Read => run,
            Access::Write => AccessFs::from_all(WANTED),
        };
        if alone && file.extent == Extent::Tree {
            rules = rules.add_but(&file.path, access, kept)?;
        } else if !(alone && (kept.hides(&file.path) || kept.freezes(&file.path))) {
            rules = rules.add(&file.path, access)?;
        }
    }
    Ok(rules.0)
}

/// A ruleset in the making.
struct Rules(RulesetCreated);

impl Rules {
    /// Adds one rule; what does not exist needs none.
    fn add(self, path: &Path, access: BitFlags<AccessFs>) -> Result<Self, landlock::RulesetError> {
        let Ok(place) = PathFd::new(path) else { return Ok(self) };
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(WANTED) };
        self.0.add_rule(PathBeneath::new(place, access)).map(Self)
    }

    /// Adds a tree without what is kept out of it: entry by entry where there is something of the kind.
    fn add_but(
        self,
        path: &Path,
        access: BitFlags<AccessFs>,
        kept: &Kept,
    ) -> Result<Self, landlock::RulesetError> {
        if kept.hides(path) {
            return Ok(self);
        }
        if kept.freezes(path) {
            return self.add(path, access & AccessFs::from_read(WANTED));
        }
        if !kept.touches(path) {
            return self.add(path, access);
        }
        let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
        let rules = self.add(path, AccessFs::ReadDir.into())?;
        entries.map(|entry| entry.path()).try_fold(rules, |rules, path| rules.add_but(&path, access, kept))
    }
}

/// What git reads of the home folder.
fn git(home: Option<&str>) -> impl Iterator<Item = PathBuf> {
    let home = home.map(Path::new).filter(|home| home.is_absolute()).into_iter();
    home.flat_map(|home| GIT.map(|name| home.join(name)))
}

/// Whether rules let a file or folder beside the grant be read, by either name.
fn is_open(path: &Path, fence: &Fence) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let whole = FileGrant {
        path: real.clone(),
        named: path.to_path_buf(),
        access: Access::Read,
        extent: Extent::Tree,
    };
    [path, &real].iter().all(|path| fence.judge_for_command(path, Access::Read, &whole).is_ok())
}

/// The folders of the path to programs, each with the libraries that lie beside a folder named `bin`.
fn programs(path: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        if folder.ends_with("bin")
            && let Some(above) = folder.parent().filter(|above| above.parent().is_some())
        {
            folders.extend(["lib", "libexec"].map(|beside| above.join(beside)));
        }
        folders.push(folder);
    }
    folders
}

/// Folders that are shared with others, seen empty or as the command's own. The one that holds the command's own folders
/// is apart: it goes last, since what is in it cannot be named any more after it.
fn shared(
    grant: &CommandGrant,
    private: &Private,
    scratch: &mut PathBuf,
) -> io::Result<(Vec<Mount>, Option<Mount>)> {
    let own = private.scratch();
    let (mut mounts, mut last) = (Vec::new(), None);
    for folder in SHARED.map(Path::new) {
        // Only a folder of its own: /var/tmp may be a link to /tmp, and is then done.
        let is_own = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
        let granted = grant.files.iter().map(|file| &file.path).chain([&grant.working_directory]);
        let needed = granted.into_iter().any(|path| path.starts_with(folder));
        let scratched = SCRATCH.iter().any(|scratch| folder == Path::new(scratch));
        let holds_own = own.starts_with(folder);
        let looked_up = grant.network && folder == Path::new("/run");
        if !is_own || needed || looked_up || (holds_own && !scratched) {
            continue;
        }
        let nothing = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        let (source, flags) = if scratched { (own.clone(), None) } else { (private.empty(), Some(nothing)) };
        let mount = Mount::Over { source: text(&source)?, target: text(folder)?, flags };
        if holds_own {
            *scratch = folder.to_path_buf();
            last = Some(mount);
        } else {
            mounts.push(mount);
        }
    }
    Ok((mounts, last))
}

/// The folders on the way to what is kept: under another name a rule would not know them.
fn pinned(grant: &CommandGrant, kept: &Kept) -> io::Result<Vec<Mount>> {
    let mut folders: Vec<&Path> = Vec::new();
    for tree in grant.files.iter().filter(|file| file.access == Access::Write) {
        let inside = kept.all().filter(|path| path.starts_with(&tree.path));
        folders.extend(inside.flat_map(|path| {
            path.ancestors().skip(1).take_while(|above| above.starts_with(&tree.path) && *above != tree.path)
        }));
    }
    // The outer ones first, which sorting does.
    folders.sort_unstable();
    folders.dedup();
    folders.into_iter().map(|folder| Ok(Mount::Pin { target: text(folder)? })).collect()
}

/// What rules keep out, each under something that cannot be opened, or cannot be written.
fn masked(kept: &Kept, private: &Private) -> io::Result<Vec<Mount>> {
    let nothing = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let mut mounts = Vec::new();
    for path in &kept.hidden {
        // A device where there are no devices: opening it fails for everybody.
        let found = path.symlink_metadata()?;
        let source = if found.is_dir() { private.empty() } else { PathBuf::from("/dev/null") };
        mounts.push(Mount::Over { source: text(&source)?, target: text(path)?, flags: Some(nothing) });
    }
    for path in &kept.frozen {
        let now = rustix::fs::statvfs(path)?.f_flag;
        let mut flags = MountFlags::RDONLY;
        // A user's own namespace may not lift what its parent has set.
        for (set, keep) in [
            (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
            (StatVfsMountFlags::NODEV, MountFlags::NODEV),
            (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
            (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
            (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
            (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
        ] {
            flags.set(keep, now.contains(set));
        }
        mounts.push(Mount::Freeze { target: text(path)?, flags });
    }
    Ok(mounts)
}

pub(super) fn identity() -> Identity {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    Identity { user: format!("{user} {user} 1\n").into(), group: format!("{group} {group} 1\n").into() }
}

/// No socket of any kind can be made, but pairs; and nothing that makes them by another way.
fn no_sockets() -> Result<BpfProgram, seccompiler::BackendError> {
    let any = vec![SeccompRule::new(vec![SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Ge,
        0,
    )?])?];
    let rules = [libc::SYS_socket, libc::SYS_io_uring_setup].map(|call| (call, any.clone()));
    let refuse = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::Allow,
        refuse,
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}
