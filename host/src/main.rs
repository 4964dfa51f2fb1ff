//! The binary `mortise`: parse, run, exit code. All of it is in `surfaces::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mortise::surfaces::cli::main()
}
