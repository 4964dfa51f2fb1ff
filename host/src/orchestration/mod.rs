//! Orchestration: the calls of a turn. For now one after another, in the order they were declared; the seam
//! for running safe ones side by side is [`run_in_order`]'s signature.
//!
//! Leaves to others: everything about one call (`execution`).

use crate::execution::{Attendance, Call, CallResult, Pipeline};
use crate::registry::Pool;

/// Runs the calls of one turn. There is exactly one result for each call, in the order they were declared; a
/// cancelled turn has results for the calls that never started, too.
pub async fn run_in_order(
    pipeline: &Pipeline,
    pool: &Pool,
    calls: Vec<Call>,
    attendance: &Attendance,
    mut delivered: impl FnMut(&CallResult),
) -> Vec<CallResult> {
    let mut results = Vec::with_capacity(calls.len());
    let mut stop: Option<String> = None;
    for call in calls {
        let result = match &stop {
            Some(why) => CallResult::not_run(call, why),
            None if attendance.cancel.is_cancelled() => CallResult::interrupted(call),
            None => pipeline.run(pool, call, attendance.clone()).await,
        };
        stop = stop.or_else(|| result.stop.clone());
        delivered(&result);
        results.push(result);
    }
    results
}
