//! The sandbox: one component's compiled code, and a fresh instance of it for each phase of each call that
//! holds exactly the grant it is given and nothing else. Step 3 of the path (under [`Grant::none`]) and
//! step 9 (under the grant of the call).
//!
//! Leaves to others: which grant a call gets (`permission`), where components come from (`registry`).
//!
//! [`Grant::none`]: crate::permission::Grant::none

mod bounds;
mod cache;
mod component;
mod engine;
pub mod filesystem;
mod imports;
mod instance;
mod log;
mod meter;
pub mod network;
mod phase;
pub mod process;
mod sealed;
mod state;
mod storage;

pub use component::{Bytes, Component, LoadError, MAX_COMPONENT};
pub use engine::{Engine, EngineError};
pub use filesystem::Seen;
pub use instance::{Finished, GuestError, Visit};
pub use phase::{KnownFile, Phase, ProgressSink, Session};
pub use process::Processes;
pub use sealed::SealedFolder;
