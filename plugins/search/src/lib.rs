//! The tools Glob and Grep: files by name and by content, on the library crates of ripgrep.
//!
//! `place.rs` says where a search begins, `walk.rs` goes through the folders, `newest.rs` keeps what was changed last.
//! Grep adds `query.rs` (what is looked for, checked before anything is opened), `filter.rs` (which files), `sink.rs`
//! (what one file holds) and `page.rs` (which part of it all is shown).
#![allow(clippy::disallowed_methods, reason = "inside the sandbox, std::fs is the files of the grant")]

mod filter;
mod glob;
mod grep;
mod newest;
mod page;
mod place;
mod query;
mod sink;
mod walk;

pub use glob::Glob;
pub use grep::Grep;

mortise_sdk::export!(Glob, Grep);

#[cfg(test)]
mod tests;
