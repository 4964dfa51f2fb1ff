//! One file per layer and surface.

mod permission_cases;
mod permission_decisions;
mod permission_permit;
mod permission_rules;
