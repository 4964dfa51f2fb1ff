//! Write tools for AI agents as sandboxed WebAssembly components.
//!
//! A *plugin* is a component that Mortise loads; each of its *tools* fills in a questionnaire (what am I, what would
//! this input touch, is it safe beside others?) and has one ability, `call`. You write a type, implement [`Tool`] for
//! it and name it in [`export!`]. There is no WIT to write and no `unsafe`.
//!
//! # The smallest plugin, whole
//!
//! `Cargo.toml`:
//!
//! ```toml
//! [package]
//! name = "word_count"
//! edition = "2024"
//!
//! [lib]
//! crate-type = ["cdylib", "rlib"]   # the component, and what `cargo test` links
//!
//! [dependencies]
//! mortise-sdk = "0.1"
//! schemars = "1"
//! serde = { version = "1", features = ["derive"] }
//! ```
//!
//! `src/lib.rs`:
//!
//! ```
//! use mortise_sdk::{Answers, Failure, Invocation, Outcome, Rejection, Tool};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! pub struct Input {
//!     /// The text whose words are counted.
//!     text: String,
//! }
//!
//! pub struct WordCount;
//!
//! impl Tool for WordCount {
//!     type Input = Input;
//!     const NAME: &'static str = "word_count";
//!     const DESCRIPTION: &'static str = "Counts the words of a text.";
//!
//!     fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
//!         Ok(Answers::new().read_only().concurrency_safe().closed_world())
//!     }
//!
//!     fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
//!         Ok(input.text.split_whitespace().count().to_string().into())
//!     }
//! }
//!
//! mortise_sdk::export!(WordCount);
//! # fn main() {}
//! ```
//!
//! `rustup target add wasm32-wasip2`, then `cargo build --release --target wasm32-wasip2`; drop the `.wasm` into a
//! plugin folder and `mortise call word_count '{"text":"one two"}'` answers `2`.
//!
//! # Input
//!
//! [`Tool::Input`] is the parser and the schema at once: `serde` reads it, `schemars` describes it to the model, doc
//! comments become the descriptions of its fields. `#[serde(deny_unknown_fields)]` makes a misspelt field an error
//! that the model sees instead of one that is silently ignored. Make optional fields `Option<T>`.
//!
//! # What a tool says of itself
//!
//! [`Tool::describe`] is handed a [`Descriptor`] with name, description and schema filled in and adds what the tool
//! *needs*, which fields are paths, how long a result may be. [`Tool::inspect`] answers for one input. What is not said
//! counts as the unsafe answer: not read-only, not safe beside others, touches nothing, so reaches nothing.
//!
//! ```
//! # use mortise_sdk::*;
//! # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Input { file: String }
//! # struct Lines;
//! # impl Tool for Lines {
//! # type Input = Input;
//! # const NAME: &'static str = "lines";
//! # const DESCRIPTION: &'static str = "Counts the lines of a file.";
//! fn describe(descriptor: Descriptor) -> Descriptor {
//!     descriptor.path_field("file").needs(Need::ReadFiles)
//! }
//!
//! fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
//!     paths::refuse_by_name(&input.file)?;
//!     Ok(Answers::new()
//!         .read_only()
//!         .concurrency_safe()
//!         .closed_world()
//!         .subject(Subject::read_file(&input.file))
//!         .title(format!("Counting lines of {}", paths::shown(&input.file))))
//! }
//!
//! fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
//!     let text = std::fs::read_to_string(paths::resolve(&input.file)?)?;
//!     Ok(text.lines().count().to_string().into())
//! }
//! # }
//! ```
//!
//! The *subjects* are what the operator's rules are matched against, and the call's sandbox is built from exactly
//! those that were allowed: a file that is not named cannot be opened. Inside, `std::fs` sees the paths of the host.
//!
//! # Results and errors
//!
//! [`Outcome`] carries text or other [`Content`] for the model and, if wanted, a structured value for programs whose
//! schema is declared with [`Descriptor::output`]. [`Failure`] tells apart what the model can put right
//! ([`Failure::reject`]), what was tried in vain ([`Failure::fail`], and what `?` makes of an I/O error) and a call that
//! was stopped ([`Failure::Interrupted`], from [`progress::checkpoint`]).
//!
//! # What the host lends
//!
//! [`session`] (working directory, configuration, what was read before), [`log`], [`progress`], [`files`] (atomic
//! replacement), [`http`], [`process`] (the approved command), [`storage`]. Each answers only where the phase and the grant of this very call allow.
//!
//! # Tests
//!
//! A plugin is an ordinary crate: `cargo test` runs it natively, with `testing` in the host's place.
//!
//! ```
//! # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Input { text: String }
//! # struct WordCount;
//! # impl mortise_sdk::Tool for WordCount {
//! # type Input = Input;
//! # const NAME: &'static str = "word_count";
//! # const DESCRIPTION: &'static str = "";
//! # fn call(input: Input, _: &mortise_sdk::Invocation) -> Result<mortise_sdk::Outcome, mortise_sdk::Failure> {
//! #     Ok(input.text.split_whitespace().count().to_string().into()) }
//! # }
//! use mortise_sdk::testing;
//!
//! let outcome = testing::call::<WordCount>(serde_json::json!({"text": "one two"})).unwrap();
//! assert_eq!(testing::text(&outcome.content), "2");
//! ```

// The export macro and the bindings name this crate from outside, as an author's crate does.
extern crate self as mortise_sdk;

mod answers;
#[doc(hidden)]
pub mod bindings;
mod descriptor;
mod export;
mod failure;
pub mod files;
pub mod http;
pub mod log;
mod outcome;
pub mod paths;
pub mod process;
pub mod progress;
mod schema;
pub mod session;
pub mod storage;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod tool;

pub use bindings::exports::mortise::tool::toolset::View;
pub use bindings::mortise::tool::types::{
    Access, Activity, Answers, Blob, Content, Descriptor, Embedded, Extent, Field, FieldRole, Invocation,
    Link, Loading, Message, Need, OnInterrupt, Outcome, PathSubject, Progress, Rejection, ResultLimit, Role,
    Subject, UrlSubject, Verdict,
};
pub use failure::{Failure, OrFail};
pub use tool::Tool;

pub use {schemars, serde_json};

/// What [`export!`] expands to; not for authors.
#[doc(hidden)]
pub mod __private {
    pub use crate::bindings::exports::mortise::tool::toolset::{Guest, View};
    pub use crate::bindings::mortise::tool::types::Failure as ContractFailure;
    pub use crate::tool::dispatch;
}

/// The host as the wrappers see it: the component's imports, or on any other target the stand-in.
#[cfg(target_family = "wasm")]
pub(crate) mod host {
    pub(crate) use crate::bindings::mortise::tool::{files, http, log, process, reporting, session, storage};

    /// The home folder, if the host has told.
    pub(crate) fn home() -> Option<String> {
        std::env::var("HOME").ok().filter(|home| !home.is_empty())
    }
}
#[cfg(not(target_family = "wasm"))]
pub(crate) use testing::stand_in as host;
