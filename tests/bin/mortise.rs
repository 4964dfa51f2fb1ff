//! The binary as users have it: the same one line as `host/src/main.rs`, here because cargo tells a test where a
//! binary is only if both are in one package.

use std::process::ExitCode;

fn main() -> ExitCode {
    mortise::surfaces::cli::main()
}
