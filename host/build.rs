//! Builds the core plugins from source and writes the table that embeds them. No binary is kept in git.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its surroundings and writes what it makes"
)]

#[path = "build/guests.rs"]
mod guests;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use sha2::{Digest, Sha256};

/// Folders of `plugins/` that are embedded.
const CORE: [&str; 4] = ["read", "edit", "search", "bash"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let selection: Vec<&str> = CORE.iter().flat_map(|plugin| ["-p", plugin]).collect();
    let built = guests::build(&root, &selection, "guest", &["plugins"]);
    let mut table = String::from("/// The core set.\npub(super) static EMBEDDED: &[Embedded] = &[\n");
    for plugin in CORE {
        let file = built.join(plugin).with_extension("wasm");
        let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let digest = format!("sha256:{:x}", Sha256::digest(&bytes));
        let file = file.display().to_string();
        writeln!(
            table,
            "    Embedded {{ name: {plugin:?}, bytes: include_bytes!({file:?}), digest: {digest:?} }},"
        )
        .expect("a string takes all");
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("embedded.rs"), table).expect("the build folder can be written");
}
