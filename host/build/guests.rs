//! Builds crates of this workspace into components, from within a build script. The host does so for the core
//! plugins, the tests for their hostile guests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-wasip2";

/// Builds what cargo's arguments in `selection` name, under `profile`, and says in which folder the components are.
/// The script runs again when anything in the `sources` folders, the SDK, the contract or the lock file changes.
pub(crate) fn build(root: &Path, selection: &[&str], profile: &str, sources: &[&str]) -> PathBuf {
    for source in sources.iter().chain(&["sdk/rust/src", "wit", "Cargo.toml", "Cargo.lock"]) {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    ensure_target();
    // A target folder of its own: the outer cargo holds the lock of the other one.
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let target = out.ancestors().nth(4).expect("OUT_DIR is deep inside the target folder").join("guests");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["build", "--locked", "--quiet", "--target", TARGET, "--profile", profile]);
    cargo.arg("--target-dir").arg(&target);
    cargo.args(selection);
    // What the outer cargo set for the outer build is not meant for guests.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let outer = text.starts_with("CARGO_") && !matches!(&*text, "CARGO_HOME" | "CARGO_NET_OFFLINE");
        if outer
            || matches!(
                &*text,
                "RUSTFLAGS" | "RUSTC" | "RUSTC_WRAPPER" | "RUSTC_WORKSPACE_WRAPPER" | "TARGET"
            )
        {
            cargo.env_remove(&name);
        }
    }
    let status = cargo.status().unwrap_or_else(|error| panic!("cargo cannot be run: {error}"));
    assert!(status.success(), "the guests did not build; hint: see the errors above");
    target.join(TARGET).join(profile)
}

/// Makes sure that the compiler can make components, adding the target if rustup may.
fn ensure_target() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let has = || {
        let printed = Command::new(&rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
        printed.is_ok_and(|printed| Path::new(String::from_utf8_lossy(&printed.stdout).trim()).exists())
    };
    if has() {
        return;
    }
    let added = Command::new("rustup").args(["target", "add", TARGET]).status();
    if !(added.is_ok_and(|added| added.success()) && has()) {
        panic!("the compiler cannot build for {TARGET}; hint: run `rustup target add {TARGET}`");
    }
}
