//! One file per layer and surface.

mod binary;
mod config;
mod execution_errors;
mod execution_observe;
mod execution_results;
mod execution_schema;
mod execution_validate;
mod hooks_seams;
mod orchestration;
mod path;
mod permission_cases;
mod permission_decisions;
mod permission_permit;
mod permission_rules;
mod pipeline;
mod readme;
mod registry;
mod sandbox_honesty;
mod sandbox_limits;
mod sandbox_loading;
mod sandbox_reach;
mod support;
mod surfaces_cli;
mod surfaces_messages;
mod surfaces_trust;
mod tidy;
