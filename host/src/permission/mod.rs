//! Permission: rules become a policy, a policy and one call become a decision, a decision becomes a grant.
//! Step 8 of the path. The only layer that can make a [`Grant`] that holds anything.
//!
//! Leaves to others: where rules are written (`config`), holding a guest to its grant (`sandbox`).

mod authorizer;
mod command;
mod compose;
mod decide;
mod decision;
mod domain;
mod fence;
mod grant;
mod mode;
mod parse;
mod path_set;
mod pattern;
mod permit;
mod policy;
mod protected;
mod request;
mod resolve;
mod rule;
mod shelf;
mod shell;
mod subject;
mod suggest;
mod text;
mod words;

pub use authorizer::{Answer, Authorizer, Nobody, Question};
pub use decision::{Consulted, Decision, Effect, RuleRef};
pub use fence::Fence;
pub use grant::{CommandGrant, EgressGrant, FileGrant, Grant, GrantSummary, Refusal};
pub use mode::Mode;
pub use parse::Problem;
pub use permit::{Permit, Refused, RefusedKind, permit, prospect};
pub use policy::Policy;
pub use request::{ClassifierOpinion, HookIntent, Request};
pub use rule::Rule;
pub use shell::Line;
pub use subject::{PathForms, Resolved};
