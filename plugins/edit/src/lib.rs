//! The tools Write and Edit: a text file put in place whole, or changed where an exact text stands.
//!
//! Both read the file as it is (`current.rs`: it must be known to the session and unchanged), work out the new text
//! (`endings.rs`, `matching.rs`), tell a model that missed why (`hints.rs`), hand the whole file to the host's atomic
//! replacement, and say what changed (`patch.rs`).
#![allow(clippy::disallowed_methods, reason = "inside the sandbox, std::fs is the files of the grant")]

mod current;
mod difference;
mod edit;
mod endings;
mod hints;
mod matching;
mod nearest;
mod patch;
mod write;

pub use edit::Edit;
pub use write::Write;

mortise_sdk::export!(Write, Edit);

#[cfg(test)]
mod tests;
