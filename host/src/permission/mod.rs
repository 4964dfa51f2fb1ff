//! Permission: rules become a policy, a policy and one call become a decision, a decision becomes a grant.
//! Step 8 of the path. The only layer that can make a [`Grant`] that holds anything.
//!
//! Leaves to others: where rules are written (`config`), holding a guest to its grant (`sandbox`).

mod authorizer;
mod decision;
mod fence;
mod grant;
mod mode;
mod subject;

pub use authorizer::{Answer, Authorizer, Nobody, Question};
pub use decision::{Decision, Effect, RuleRef};
pub use fence::Fence;
pub use grant::{EgressGrant, FileGrant, Grant, Refusal};
pub use mode::Mode;
pub use subject::{PathForms, Resolved};
