//! Surfaces: where calls come in and results go out. The only layer that writes to standard output. Every
//! surface hands its calls to the same [`crate::host::Host`]; none has a path of its own.
//!
//! Leaves to others: everything that happens to a call.

pub mod cli;
pub mod messages;
mod visible;

pub use visible::{visible, visible_lines};
