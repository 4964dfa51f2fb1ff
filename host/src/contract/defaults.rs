//! What a tool's silence means: the whole table, fail-closed.
//!
//! | question | default |
//! |---|---|
//! | enabled | [`ENABLED`] |
//! | concurrency-safe | [`CONCURRENCY_SAFE`] |
//! | read-only | [`READ_ONLY`] |
//! | destructive | [`DESTRUCTIVE`] |
//! | open-world | [`OPEN_WORLD`] |
//! | needs-user | [`NEEDS_USER`] |
//! | subjects | none: the call can touch nothing |
//! | result-limit | [`RESULT_LIMIT`] characters |
//! | loading | eager |
//! | on-interrupt | cancel |
//! | strict, idempotent, previews | false |
//! | classify | empty |
//! | title | the tool's name |

/// A tool that says nothing is offered to the model.
pub const ENABLED: bool = true;
/// A call that says nothing runs alone.
pub const CONCURRENCY_SAFE: bool = false;
/// A call that says nothing may change things.
pub const READ_ONLY: bool = false;
/// A call that says nothing destroys nothing.
pub const DESTRUCTIVE: bool = false;
/// A call that says nothing deals with the outside.
pub const OPEN_WORLD: bool = true;
/// A call that says nothing may be approved by a rule.
pub const NEEDS_USER: bool = false;
/// Unicode scalar values of a result that are handed over before it is spilled.
pub const RESULT_LIMIT: u32 = 30_000;
/// Whether the grammar may be constrained, the call repeated, or a preview asked for.
pub const STRICT: bool = false;
/// See [`STRICT`].
pub const IDEMPOTENT: bool = false;
/// See [`STRICT`].
pub const PREVIEWS: bool = false;
