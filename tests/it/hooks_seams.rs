//! Hooks: how many verdicts become one resolution, and that a broken hook costs only its opinion.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mortise::hooks::{
    AfterEvent, AfterVerdict, BeforeEvent, BeforeVerdict, Block, Classifier, Conflict, HOOK_TIMEOUT,
    Happening, Hooks, Intent, NoClassifier, NoHooks, Opinion, Speculation, guarded, guarded_classifier,
    resolve_after, resolve_before,
};
use mortise::permission::Mode;
use serde_json::{Value, json};

fn intent(intent: Intent, hook: &str) -> BeforeVerdict {
    BeforeVerdict::PermissionIntent { intent, reason: Some(format!("{hook} says so")), hook: hook.into() }
}

fn rewrite(hook: &str, input: Value) -> BeforeVerdict {
    BeforeVerdict::UpdatedInput { input, hook: hook.into() }
}

#[test]
fn the_strongest_intent_counts_in_every_order() {
    let strongest_first = [Intent::Deny, Intent::Defer, Intent::Ask, Intent::Allow];
    for (rank, strong) in strongest_first.iter().enumerate() {
        for weak in &strongest_first[rank..] {
            for order in [[*strong, *weak], [*weak, *strong]] {
                let said = order.iter().map(|said| intent(*said, &said.to_string())).collect();
                let stance = resolve_before(said).permission.unwrap();
                assert_eq!(stance.intent, *strong);
                assert!(stance.hooks.iter().all(|hook| *hook == strong.to_string()));
            }
        }
    }
    assert_eq!(resolve_before(vec![]).permission, None);
}

#[test]
fn hooks_that_agree_are_all_named() {
    let stance =
        resolve_before(vec![intent(Intent::Ask, "a"), intent(Intent::Allow, "b"), intent(Intent::Ask, "c")]);
    let stance = stance.permission.unwrap();
    assert_eq!(
        (stance.hooks, stance.reasons),
        (vec!["a".into(), "c".into()], vec!["a says so".into(), "c says so".to_owned()])
    );
}

#[test]
fn the_rewrite_declared_last_wins_and_conflicts_are_reported() {
    let said =
        vec![rewrite("a", json!({"x": 1})), rewrite("b", json!({"x": 2})), rewrite("c", json!({"x": 2}))];
    let resolution = resolve_before(said);
    assert_eq!(resolution.input, Some(json!({"x": 2})));
    assert_eq!(resolution.conflicts, [Conflict { passed_over: "a".into(), taken: "c".into() }]);
}

#[test]
fn everything_else_before_a_call_is_kept_in_order() {
    let resolution = resolve_before(vec![
        BeforeVerdict::AdditionalContext("one".into()),
        BeforeVerdict::Message("note".into()),
        BeforeVerdict::StopReason("first".into()),
        BeforeVerdict::PreventContinuation,
        BeforeVerdict::AdditionalContext("two".into()),
        BeforeVerdict::StopReason("second".into()),
    ]);
    assert_eq!(resolution.contexts, ["one", "two"]);
    assert_eq!(resolution.messages, ["note"]);
    assert_eq!(resolution.stop_reason.as_deref(), Some("first"));
    assert!(resolution.prevent_continuation && !resolution.stop);
    assert!(resolve_before(vec![BeforeVerdict::Stop]).stop);
}

#[test]
fn what_is_said_after_a_call_is_folded() {
    let resolution = resolve_after(vec![
        AfterVerdict::Cancelled { hook: "a".into() },
        AfterVerdict::BlockingError { reason: "lint".into(), hook: "b".into() },
        AfterVerdict::StoppedContinuation { reason: None },
        AfterVerdict::StoppedContinuation { reason: Some("enough".into()) },
        AfterVerdict::AdditionalContext("one".into()),
        AfterVerdict::UpdatedOutput { output: json!(1), hook: "c".into() },
        AfterVerdict::UpdatedOutput { output: json!(2), hook: "d".into() },
    ]);
    assert_eq!(resolution.cancelled, ["a"]);
    assert_eq!(resolution.blocks, [Block { hook: "b".into(), reason: "lint".into() }]);
    assert!(resolution.stopped);
    assert_eq!(resolution.stop_reason.as_deref(), Some("enough"));
    assert_eq!(resolution.contexts, ["one"]);
    assert_eq!(resolution.output, Some(json!(2)));
    assert_eq!(resolution.conflicts, [Conflict { passed_over: "c".into(), taken: "d".into() }]);
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Panics,
    Hangs,
}

struct Scripted {
    fault: Fault,
    must_succeed: bool,
}

impl Scripted {
    async fn happen(&self) {
        match self.fault {
            Fault::None => {}
            Fault::Panics => panic!("a hook that panics"),
            Fault::Hangs => std::future::pending().await,
        }
    }
}

#[async_trait]
impl Hooks for Scripted {
    async fn before(&self, _event: &BeforeEvent) -> Vec<BeforeVerdict> {
        self.happen().await;
        vec![intent(Intent::Allow, "scripted")]
    }

    async fn after(&self, _event: &AfterEvent) -> Vec<AfterVerdict> {
        self.happen().await;
        vec![AfterVerdict::AdditionalContext("seen".into())]
    }

    fn on_failure_block(&self) -> bool {
        self.must_succeed
    }
}

fn before() -> BeforeEvent {
    BeforeEvent {
        session: "s".into(),
        call: "c".into(),
        tool: "Read".into(),
        input: json!({}),
        working_directory: "/work".into(),
        mode: Mode::Default,
    }
}

fn after() -> AfterEvent {
    AfterEvent {
        session: "s".into(),
        call: "c".into(),
        tool: "Read".into(),
        input: json!({}),
        working_directory: "/work".into(),
        mode: Mode::Default,
        happening: Happening::Succeeded { response: json!("x") },
        duration: Duration::ZERO,
    }
}

fn under_guard(fault: Fault, must_succeed: bool) -> impl Hooks {
    let timeout = if fault == Fault::Hangs { Duration::from_millis(5) } else { HOOK_TIMEOUT };
    guarded(Arc::new(Scripted { fault, must_succeed }), timeout)
}

#[tokio::test]
async fn a_sound_hook_is_heard_through_the_guard() {
    let hooks = under_guard(Fault::None, true);
    assert_eq!(hooks.before(&before()).await, [intent(Intent::Allow, "scripted")]);
    assert_eq!(hooks.after(&after()).await, [AfterVerdict::AdditionalContext("seen".into())]);
}

#[tokio::test]
async fn a_hook_that_panics_or_hangs_has_no_say() {
    for fault in [Fault::Panics, Fault::Hangs] {
        let hooks = under_guard(fault, false);
        let resolution = resolve_before(hooks.before(&before()).await);
        assert_eq!((resolution.permission, resolution.stop, resolution.input), (None, false, None));
        assert_eq!(resolution.messages.len(), 1);
        assert_eq!(resolve_after(hooks.after(&after()).await).cancelled.len(), 1);
    }
}

#[tokio::test]
async fn a_hook_that_must_succeed_denies_when_it_panics_or_hangs() {
    for fault in [Fault::Panics, Fault::Hangs] {
        let hooks = under_guard(fault, true);
        let stance = resolve_before(hooks.before(&before()).await).permission.unwrap();
        assert_eq!(stance.intent, Intent::Deny);
        assert_eq!(resolve_after(hooks.after(&after()).await).blocks.len(), 1);
    }
}

#[async_trait]
impl Classifier for Scripted {
    async fn classify(&self, _speculation: &Speculation) -> Opinion {
        self.happen().await;
        Opinion::Harmless
    }
}

#[tokio::test]
async fn a_classifier_that_panics_or_hangs_has_no_opinion() {
    let speculation =
        Speculation { call: "c".into(), tool: "T".into(), text: "x".into(), added: String::new() };
    for (fault, opinion) in [
        (Fault::None, Opinion::Harmless),
        (Fault::Panics, Opinion::Unknown),
        (Fault::Hangs, Opinion::Unknown),
    ] {
        let timeout = if fault == Fault::Hangs { Duration::from_millis(5) } else { HOOK_TIMEOUT };
        let classifier = guarded_classifier(Arc::new(Scripted { fault, must_succeed: false }), timeout);
        assert_eq!(classifier.classify(&speculation).await, opinion);
    }
}

#[tokio::test]
async fn nobody_has_nothing_to_say() {
    assert!(
        NoHooks.idle()
            && NoHooks.before(&before()).await.is_empty()
            && NoHooks.after(&after()).await.is_empty()
    );
    let speculation =
        Speculation { call: "c".into(), tool: "T".into(), text: "x".into(), added: String::new() };
    assert!(NoClassifier.idle());
    assert_eq!(NoClassifier.classify(&speculation).await, Opinion::Unknown);
}
