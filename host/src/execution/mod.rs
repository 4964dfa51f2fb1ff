//! Execution: the path of one call. `pipeline` reads as its ten steps; `approach` has the steps up to 6, `decide`
//! 7 and 8, `work` 9 and 10; the rest are pure functions of what they are given.
//!
//! Leaves to others: the decision (`permission`), running a tool (`sandbox`), many calls (`orchestration`).

mod approach;
mod call;
mod decide;
mod dry_run;
mod ending;
mod error;
mod observe;
mod pipeline;
mod results;
mod session;
mod spill;
mod strip;
mod trail;
mod work;

pub use call::{Call, CallResult, Ending, StepReport};
pub use dry_run::Explanation;
pub use error::{Audience, CallError};
pub use observe::{Surroundings, observe, revert};
pub use pipeline::{Attendance, Pipeline};
pub use results::{Capped, cap, check_structured};
pub use session::SessionMemory;
pub use spill::Spill;
pub use strip::{HOST_FIELDS, HOST_PREFIXES, Stripped, strip};
