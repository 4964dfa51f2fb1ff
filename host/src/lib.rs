//! Mortise is the runtime that AI agents' tools live in.
//!
//! Every tool is a WebAssembly component, in any language, dropped into a folder. It fills in a questionnaire
//! (what am I, what would this input touch, am I safe beside others?) and has one ability, `call`. The host does
//! the rest: it validates, asks hooks, decides permission, turns the decision into a sandbox, runs, and reports.
//!
//! **What it is for.** Programs that let a model call tools they did not write: agents, servers, command lines.
//! A call reaches exactly what the decision about *this* call granted.
//!
//! **What it is not.** No agent loop, no model client, no container for whole programs, no defence against an
//! operator: whoever writes the rules is believed.
//!
//! # The smallest program
//!
//! ```
//! use mortise::{Call, Host, Sources, load};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("notes.txt"), "mortise and tenon\n")?;
//! # let folder = folder.path();
//! let config = load(&Sources { working_directory: folder.to_path_buf(), ..Sources::default() })?;
//! let host = Host::builder().config(config).build().await?;
//! let call = Call { id: "toolu_1".into(), name: "Grep".into(), input: json!({ "pattern": "tenon" }) };
//! let result = host.call(call).await;
//! assert!(!result.ending.is_error());
//! # Ok(()) }) }
//! ```
//!
//! An embedding program adds tools of its own with [`HostBuilder::tool`], answers questions with
//! [`HostBuilder::authorizer`], and runs a whole turn with [`Host::run`]. It builds its own tool set out of the
//! same parts as the command line does: there is no second path.
//!
//! # The path of one call
//!
//! ```text
//! surface → executor → pipeline → executor → surface
//!
//! pipeline (`execution/pipeline.rs` reads as these ten lines):
//!   1 resolve      name or former name → tool; a tool whose schema was not sent gets a hint, not a bare error
//!   2 validate     input against its JSON Schema, model slips coerced ("5" → 5, "true" → true), unknown fields refused
//!   3 inspect      the questionnaire, filled in by a powerless instance; its own rejection ends here
//!   4 speculate    the classifier starts now, beside hooks and prompts; its answer is used only if needed
//!   5 strip        fields only the host may set
//!   6 observe      the host's normalised twin of the input (absolute paths, from the descriptor's `fields`) and the subjects, for hooks and
//!                  rules; the original goes on to the tool, and what a hook leaves equal to the twin reverts to the original
//!   7 before-hooks may pass, rewrite, ask, deny, stop, add context
//!   8 permit       deny → ask → mode → allow → the operator (who sees the tool's preview); the tool's verdict may tighten; yields Decision and Grant
//!   9 call         a fresh instance that holds exactly the Grant
//!  10 after-hooks  observe, add context, replace output; then the result is capped, spilled if large, and returned
//! ```
//!
//! # Invariants
//!
//! Each names the test that guards it, in `tests/it`.
//!
//! 1. No guest code runs before its contract version is checked, and only ever under a Grant; introspection runs
//!    under `Grant::none()`. — `what_is_no_plugin_is_listed_with_its_reason`
//! 2. A Store needs a Grant; a Grant comes only from `permission`; a grant is subjects ∩ decision ∩ what the tool
//!    needs ∩ the operator's ceiling. — `a_grant_holds_no_more_than_needs_and_subjects`
//! 3. Permission sees the final input: a rewrite by a hook is validated, inspected and decided again. —
//!    `a_hook_that_rewrites_to_a_denied_path_is_denied`
//! 4. Deny beats ask beats allow, from whatever source. Ask with nobody to ask is deny. A hook can never undo a deny
//!    or ask rule or widen a grant. — `a_hooks_allow_does_not_undo_a_deny_rule`
//! 5. Whatever is missing, malformed, slow or trapped counts as the unsafe answer (not read-only, not
//!    concurrency-safe, no subjects). — `crash_in_the_questionnaire_counts_as_unanswered`
//! 6. Every call ends in exactly one outcome, also when cancelled, discarded or trapped; results leave in the order
//!    the calls arrived. — `each_call_of_a_turn_gets_one_result_in_order`
//! 7. Shared context changes in the order calls were declared, never in the order they finished. —
//!    `context_changes_in_the_order_of_the_calls`
//! 8. Library, CLI and MCP take the same pipeline. There is no second path. — `only_the_pipeline_calls_tools`
//! 9. A guest never panics, stalls or bloats the host; no call, however hostile, changes what another sees. —
//!    `guest_that_spins_is_stopped_when_its_time_is_up`
//! 10. Nothing but a surface writes to stdout. — `nothing_but_a_surface_writes_to_stdout`

pub mod config;
pub mod contract;
pub mod execution;
pub mod hooks;
pub mod host;
pub mod orchestration;
pub mod permission;
pub mod registry;
pub mod sandbox;
pub mod surfaces;

pub use config::{Config, Sources, load};
pub use contract::{Content, Outcome};
pub use execution::{Attendance, Call, CallResult, Ending, Explanation};
pub use host::{Host, HostBuilder, HostError};
pub use permission::{Answer, Authorizer, Question};
pub use registry::NativeTool;

/// The programs of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
