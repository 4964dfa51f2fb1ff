//! What a warm start of `mortise list` costs with 100 plugins: the whole process, beside a process that reads their
//! files and does nothing with them.

mod measure;

use std::path::Path;
use std::process::{Command, Stdio};

use measure::{Contender, compare};

const PLUGINS: usize = 100;

fn main() {
    if let Some(folder) = std::env::args().skip_while(|argument| argument != "--read").nth(1) {
        return read_all(Path::new(&folder));
    }
    let scratch = tempfile::tempdir().unwrap();
    let plugins = scratch.path().join("plugins");
    write_plugins(&plugins);
    let mortise = env!("CARGO_BIN_EXE_mortise-under-test");
    let list = || {
        let mut command = Command::new(mortise);
        command.args(["list", "--json", "--no-embedded", "--plugins"]).arg(&plugins);
        command.current_dir(scratch.path()).env("HOME", scratch.path()).env_remove("XDG_CACHE_HOME");
        command
    };
    let listed = list().output().unwrap();
    let found = String::from_utf8_lossy(&listed.stdout).matches("\"input_schema\"").count();
    assert_eq!(found, PLUGINS, "{}", String::from_utf8_lossy(&listed.stderr));

    let this = std::env::current_exe().unwrap();
    let run = |command: &mut Command| {
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
    };
    let listing = Contender::new("mortise list --json, 100 plugins", |times| {
        (0..times).for_each(|_| run(&mut list()));
    });
    let reading = Contender::new("a process that reads their files", |times| {
        (0..times).for_each(|_| run(Command::new(&this).arg("--read").arg(&plugins)));
    });
    compare("A warm start of list with 100 plugins", 3.0, 31, 3, [listing, reading]);
}

/// The same small plugin a hundred times, each with a name and so with bytes of its own.
fn write_plugins(folder: &Path) {
    let bytes = std::fs::read(format!("{}/word_count.wasm", env!("MORTISE_TEST_GUESTS"))).unwrap();
    let name = b"word_count";
    std::fs::create_dir_all(folder).unwrap();
    for number in 0..PLUGINS {
        let other = format!("word_c{number:04}");
        let mut bytes = bytes.clone();
        let places: Vec<usize> =
            (0..bytes.len() - name.len()).filter(|at| bytes[*at..].starts_with(name)).collect();
        for at in places {
            bytes[at..at + name.len()].copy_from_slice(other.as_bytes());
        }
        std::fs::write(folder.join(&other).with_extension("wasm"), bytes).unwrap();
    }
}

fn read_all(folder: &Path) {
    let mut total = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        total += std::hint::black_box(std::fs::read(entry.unwrap().path()).unwrap()).len();
    }
    println!("{total}");
}
