//! The rules of this folder, in pairs: what is granted works, what is not is refused and untouched.

#![expect(clippy::disallowed_methods, reason = "tests make and look at files of their own")]

mod change;
mod guest;
mod race;
mod reach;
mod replace;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fault::Fault;
use super::listing::Listing;
use super::open::How;
use super::opened::Opened;
use super::{Files, stream};
use crate::config::{Level, PermissionOptions, RawRule, RuleEffect, RuleSource};
use crate::contract::{Access, Extent};
use crate::permission::{Fence, FileGrant, Grant, Policy};

/// A scratch folder with `ws` (granted by most tests) and `out` (by none) in it.
struct Scratch {
    _dir: tempfile::TempDir,
    top: PathBuf,
}

impl Scratch {
    fn new(files: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for folder in ["ws", "out"] {
            fs::create_dir(top.join(folder)).unwrap();
        }
        let scratch = Self { _dir: dir, top };
        for file in files {
            scratch.put(file, file);
        }
        scratch
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    fn put(&self, path: &str, content: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), content).unwrap();
    }

    fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.path(path)).is_ok()
    }

    fn grant(&self, path: &str, access: Access, extent: Extent) -> FileGrant {
        let named = self.path(path);
        let mut real = named.clone();
        let mut rest = PathBuf::new();
        while !real.exists() {
            rest = Path::new(real.file_name().unwrap()).join(rest);
            real.pop();
        }
        let real = real.canonicalize().unwrap();
        let path = if rest.as_os_str().is_empty() { real } else { real.join(rest.components().as_path()) };
        FileGrant { path, named, access, extent }
    }

    fn read_tree(&self) -> Files {
        self.files(&[self.grant("ws", Access::Read, Extent::Tree)], &[], &[])
    }

    fn write_tree(&self) -> Files {
        self.write_tree_but(&[], &[])
    }

    /// The whole of `ws` to write, but for these. Names with a slash are anchored.
    fn write_tree_but(&self, denied: &[&str], guarded: &[&str]) -> Files {
        self.files(&[self.grant("ws", Access::Write, Extent::Tree)], denied, guarded)
    }

    fn fence(&self, denied: &[&str], guarded: &[&str]) -> Arc<Fence> {
        let rule = |rule: &&str| RawRule {
            effect: RuleEffect::Deny,
            text: if rule.contains('/') {
                format!("Read(/{}/**)", self.path(rule).display())
            } else {
                format!("Read(/{}/**/{rule})", self.top.display())
            },
            source: RuleSource { level: Level::CommandLine, file: None, line: None, root: self.top.clone() },
        };
        let options = PermissionOptions {
            rules: denied.iter().map(rule).collect(),
            own_files: guarded.iter().map(|path| self.path(path)).collect(),
            ..PermissionOptions::default()
        };
        let (policy, problems) = Policy::new(&options, &self.path("ws"));
        assert!(problems.is_empty(), "{problems:?}");
        policy.fence()
    }

    fn files(&self, files: &[FileGrant], denied: &[&str], guarded: &[&str]) -> Files {
        let fence = self.fence(denied, guarded);
        let grant = Grant::for_test(files.to_vec(), fence);
        Files::new(Arc::new(grant), self.path("ws"))
    }
}

const READ: How = How {
    follow: true,
    create: false,
    exclusive: false,
    truncate: false,
    directory: false,
    read: true,
    write: false,
};
const WRITE: How = How { write: true, ..READ };
const CREATE: How = How { create: true, ..WRITE };
const TRUNCATE: How = How { truncate: true, ..WRITE };

impl Files {
    /// The preopened folder of this name.
    fn preopen(&self, name: &Path) -> Opened {
        let preopens = self.ground.preopens().unwrap();
        let found = preopens.into_iter().find(|opened| opened.named == name);
        found.unwrap_or_else(|| panic!("no preopen `{}`", name.display()))
    }

    fn ws(&self) -> Opened {
        self.preopen(&self.cwd)
    }

    fn open(&self, path: &str, how: How) -> Result<Opened, Fault> {
        self.ground.open(&self.ws(), path, how)
    }

    fn read(&self, path: &str) -> Result<String, Fault> {
        let opened = self.open(path, READ)?;
        Ok(String::from_utf8(stream::read_at(&opened, 0, 1024)?.to_vec()).unwrap())
    }

    fn list(&self, base: &Opened) -> Vec<String> {
        let mut listing = Listing::new(Arc::clone(&self.ground), base).unwrap();
        let mut names: Vec<String> =
            std::iter::from_fn(|| listing.next().unwrap()).map(|entry| entry.name).collect();
        names.sort();
        names
    }
}

#[track_caller]
fn refused<T>(result: Result<T, Fault>) -> String {
    match result {
        Err(Fault::Refused(refusal)) => refusal.0,
        Err(other) => panic!("not refused but: {other}"),
        Ok(_) => panic!("not refused"),
    }
}
