//! The registry: where tools come from, and the pool that a model is shown. Step 1 of the path looks names up
//! here.
//!
//! Leaves to others: running tools (`sandbox`), deciding about calls (`permission`).

mod acceptance;
mod assembly;
mod catalogue;
mod descriptors;
mod embedded;
mod folder;
mod names;
mod native;
mod pool;
mod sources;
mod tool;
mod traits;

pub use acceptance::{Acceptance, Record, Standing};
pub use assembly::Registry;
pub use names::NameError;
pub use native::{NativeCall, NativeTool};
pub use pool::{Entry, Pool, State};
pub use tool::{Origin, Tool};
