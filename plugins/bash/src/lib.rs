//! The tools Bash and TaskStop: a command line run whole, and the end of one that was left running.
//!
//! `bash.rs` runs it and says what came of it; `output.rs` keeps what is shown of its output; `line.rs` knows as much
//! of the shell as that needs; `sed.rs` does one form of `sed -i` so that it can be shown first. What the line may reach, and whether it runs at all, is for the host to say.

mod bash;
mod line;
mod output;
mod sed;
mod stop;

pub use bash::Bash;
pub use stop::TaskStop;

mortise_sdk::export!(Bash, TaskStop);

#[cfg(test)]
mod tests;
