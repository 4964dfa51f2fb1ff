//! The binary on a machine of its own: an empty home, a project to work in, nothing of the real user's. Only
//! compiled code is shared with the other tests.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::cache_home;

/// One user's machine. Gone when it is dropped.
pub(crate) struct Machine {
    folder: TempDir,
}

/// What came of one run of the binary.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "project", "tmp", "bin"] {
            fs::create_dir(machine.path(folder)).unwrap();
        }
        machine
    }

    /// A place on the machine. The binary works in `project`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Puts a test guest's component at a place.
    pub(crate) fn plugin(&self, guest: &str, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(component(guest), &path).unwrap();
        path
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mortise-under-test"));
        command.args(args).current_dir(self.path("project")).env_clear().stdin(Stdio::null());
        command.env("HOME", self.path("home")).env("XDG_CACHE_HOME", cache_home());
        command.env("XDG_CONFIG_HOME", self.path("home/config"));
        command.env("XDG_DATA_HOME", self.path("home/data"));
        command.env("XDG_STATE_HOME", self.path("home/state"));
        command.env("TMPDIR", self.path("tmp")).env("PATH", self.path("bin"));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.command(args).output().unwrap().into()
    }

    /// What a line typed into a shell prints; it must end well. `mortise` is the binary.
    pub(crate) fn shell(&self, line: &str) -> String {
        let binary = self.command(&[]);
        let mut shell = Command::new("/bin/sh");
        shell
            .arg("-c")
            .arg(format!("mortise() {{ '{}' \"$@\"; }}; {line}", env!("CARGO_BIN_EXE_mortise-under-test")));
        shell.current_dir(self.path("project")).env_clear().stdin(Stdio::null());
        shell.envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Ran::from(shell.output().unwrap()).exits(0).out
    }

    /// With a text on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    }
}

impl Ran {
    /// Standard output as JSON; the run must have ended well.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:#?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Asserts on the exit code; a failure shows all that was said.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A test guest's component: `word_count`, or one of `tests/guests`.
pub(crate) fn component(guest: &str) -> PathBuf {
    let folder = Path::new(env!("MORTISE_TEST_GUESTS"));
    let inner = if guest == "word_count" { folder.to_path_buf() } else { folder.join("examples") };
    inner.join(guest).with_extension("wasm")
}
