//! Builds the guests that tests and benchmarks need: the smallest plugin of the SDK, and the hostile ones.

#[path = "../host/build/guests.rs"]
mod guests;

use std::env;
use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let selection = ["-p", "word_count", "-p", "mortise-test-guests", "--lib", "--examples"];
    let built = guests::build(&root, &selection, "test-guest", &["sdk/rust/examples", "tests/guests"]);
    println!("cargo::rustc-env=MORTISE_TEST_GUESTS={}", built.display());
}
