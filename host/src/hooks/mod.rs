//! Hooks: what the operator's own logic says of a call, in words that are closed. Steps 4, 7 and 10 of the
//! path ask through the seams here; whatever a hook is (a script, an address, a component, a function), its
//! raw answer becomes one of seven kinds before a call and one of five after it, and is folded into one
//! resolution by a pure function.
//!
//! Decides nothing. Leaves to others: what a hook's intent is worth against the rules (`permission`), what a
//! rewrite or a stop does to the call (`execution`).

mod classifier;
mod guard;
mod resolve;
mod seam;
mod verdict;

pub use classifier::{Classifier, NoClassifier, Opinion, Speculation};
pub use guard::{CLASSIFIER_TIMEOUT, Guarded, GuardedClassifier, HOOK_TIMEOUT, guarded, guarded_classifier};
pub use resolve::{
    AfterResolution, BeforeResolution, Block, Conflict, Stance, resolve_after, resolve_before,
};
pub use seam::{AfterEvent, BeforeEvent, Happening, Hooks, NoHooks};
pub use verdict::{AfterVerdict, BeforeVerdict, Intent};
