//! Execution: the pure steps of one call. Each is a function of what it is given, so that the pipeline reads
//! as the list of them: validate (2), strip (5), observe (6), and the capping of results (10).
//!
//! Leaves to others: the decision (`permission`), running a tool (`sandbox`), many calls (`orchestration`).

mod coerce;
mod error;
mod explain;
mod fuel;
mod graph;
mod nearest;
mod observe;
mod results;
mod schema;
mod shape;
mod spill;
mod strip;
mod unknown;
mod validate;

pub use coerce::{Note, coerce};
pub use error::{Audience, CallError};
pub use nearest::nearest;
pub use observe::{Surroundings, observe, revert};
pub use results::{Capped, cap, check_structured};
pub use schema::{MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, Schema, SchemaError};
pub use spill::Spill;
pub use strip::{HOST_FIELDS, HOST_PREFIXES, Stripped, strip};
pub use validate::{InvalidInput, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, Problem, Valid, validate};
