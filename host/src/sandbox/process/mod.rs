//! Commands as a guest has them, step 9 of the path: the one line that was granted, in a shell of its own, confined
//! by the kernel to what was granted with it.
//!
//! ```text
//! process.start (calls) ─► processes ─► spawn ─► confine (masks, Landlock, namespaces) ─► descend ─► the shell
//!                                         └────► task ◄─ reader ◄─ its output ─► capture (a file of the session)
//! ```
//!
//! Nothing that a command starts outlives it, and no command outlives its call unless it is left running, in the
//! session's table (`processes`), which ends with the session.
//!
//! Leaves to others: which line is granted and what it may reach (`permission`).

mod calls;
mod capture;
mod confine;
mod descend;
mod masks;
mod processes;
mod reader;
mod running;
mod spawn;
mod support;
mod task;
mod waiting;

#[cfg(test)]
mod tests;

pub use processes::Processes;
pub use support::{NamespaceKind, Support};
pub(super) use waiting::Waiting;
