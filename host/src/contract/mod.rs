//! The contract `mortise:tool` as the host sees it: what a tool says of itself, how it answers for one
//! input, and what a call leaves behind. Every word a guest leaves out gets its fail-closed default here,
//! in one table ([`defaults`]), so that no later layer ever meets an unanswered question.
//!
//! Leaves to others: running guests (`sandbox`), believing them (`permission`).

mod answers;
pub(crate) mod bindings;
mod content;
mod convert;
pub mod defaults;
mod descriptor;
mod outcome;
pub mod schema;
mod version;
mod view;

pub use answers::{Access, Activity, Answers, Extent, PathSubject, Rejection, Subject, UrlSubject, Verdict};
pub use content::{Blob, Content, Embedded, Link, Message, Role};
pub use convert::Nonsense;
pub use descriptor::{Descriptor, Field, FieldRole, Loading, Need, OnInterrupt, ResultLimit};
pub use outcome::{Failure, Invocation, Outcome, Progress};
pub use schema::{InvalidInput, Schema, SchemaError, Valid};
pub(crate) use schema::{bytes, shorten};
pub use version::{CONTRACT_VERSION, Contract, ContractError};
pub use view::View;
