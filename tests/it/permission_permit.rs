//! Permits: who is asked, what an answer is bound to, and what holds inside what was granted.

use std::path::Path;
use std::sync::Mutex;

use async_trait::async_trait;
use mortise::config::RuleEffect;
use mortise::contract::{Access, Extent, Rejection};
use mortise::permission::{
    Answer, Authorizer, Effect, Grant, Mode, Nobody, Permit, Policy, Question, Refused, RefusedKind, permit,
};

use crate::permission_cases::{Call, Scratch};

/// Somebody who says the same to everything, after doing something.
struct Somebody<F: Fn() + Send + Sync> {
    answer: Answer,
    meanwhile: F,
    asked: Mutex<Vec<Question>>,
}

impl<F: Fn() + Send + Sync> Somebody<F> {
    fn who(answer: Answer, meanwhile: F) -> Self {
        Self { answer, meanwhile, asked: Mutex::new(Vec::new()) }
    }

    fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl<F: Fn() + Send + Sync> Authorizer for Somebody<F> {
    async fn authorize(&self, question: &Question) -> Answer {
        (self.meanwhile)();
        self.asked.lock().unwrap().push(question.clone());
        self.answer.clone()
    }
}

fn run(policy: &Policy, call: &Call, authorizer: &dyn Authorizer) -> Result<Permit, Refused> {
    run_with(policy, call, authorizer, |_| Ok(Vec::new()))
}

fn run_with(
    policy: &Policy,
    call: &Call,
    authorizer: &dyn Authorizer,
    preview: impl FnOnce(Grant) -> Result<Vec<String>, Rejection>,
) -> Result<Permit, Refused> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let request = call.request();
    runtime.block_on(permit(policy, &request, authorizer, async |grant| preview(grant)))
}

#[test]
fn a_permit_may_be_awaited_on_any_thread() {
    fn sendable<T: Send>(task: T) -> T {
        task
    }
    let (policy, call) = (Scratch::new().policy(), Call::reads("a.rs"));
    let request = call.request();
    let task = sendable(permit(&policy, &request, &Nobody, async |_| Ok(Vec::new())));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(task).unwrap().decision().effect, Effect::Allow);
}

#[test]
fn ask_with_nobody_there_is_deny_with_the_line_that_would_allow_it() {
    let scratch = Scratch::new();
    let refused = run(&scratch.policy(), &Call::reads("/etc/passwd"), &Nobody).unwrap_err();
    assert_eq!((refused.kind, refused.decision.effect), (RefusedKind::Denied, Effect::Deny));
    let line = r#"add to mortise.toml [permissions] allow = ["Read(//etc/passwd)"]"#;
    assert!(refused.operator.contains(line), "{}", refused.operator);
    let scratch = scratch.allow("Read(//etc/passwd)");
    assert!(run(&scratch.policy(), &Call::reads("/etc/passwd"), &Nobody).is_ok());
}

#[test]
fn what_is_denied_is_never_asked_and_what_is_allowed_neither() {
    let policy = Scratch::new().deny("Read(.env)").policy();
    let person = Somebody::who(Answer::Once, || {});
    assert!(run(&policy, &Call::reads(".env"), &person).is_err());
    assert!(run(&policy, &Call::reads("a.rs"), &person).is_ok());
    assert_eq!(person.questions(), 0);
    assert!(run(&policy, &Call::writes("a.rs"), &person).is_ok());
    assert_eq!(person.questions(), 1);
}

#[test]
fn a_yes_for_the_session_is_not_asked_twice_and_a_yes_once_is() {
    let policy = Scratch::new().policy();
    let once = Somebody::who(Answer::Once, || {});
    for _ in 0..2 {
        assert!(run(&policy, &Call::writes("a.rs"), &once).is_ok());
    }
    assert_eq!(once.questions(), 2);
    let session = Somebody::who(Answer::Session, || {});
    let before = policy.revision();
    for _ in 0..2 {
        assert!(run(&policy, &Call::writes("a.rs"), &session).is_ok());
    }
    assert_eq!(session.questions(), 1);
    assert_ne!(policy.revision(), before);
    assert!(run(&policy, &Call::writes("src/other.rs"), &Nobody).is_err());
}

#[test]
fn a_no_reaches_the_model_with_its_reason() {
    let policy = Scratch::new().policy();
    let person = Somebody::who(Answer::Deny { reason: Some("use the other file".into()) }, || {});
    let refused = run(&policy, &Call::writes("a.rs"), &person).unwrap_err();
    assert!(refused.model.contains("use the other file"));
}

#[test]
fn an_answer_is_void_when_what_it_was_about_has_changed() {
    let scratch = Scratch::new();
    let target = scratch.ws().join("target");
    let policy = scratch.policy();
    // A symlink put in the way while the operator thinks.
    let outside = scratch.base().join("outside/secret");
    let swap = Somebody::who(Answer::Once, || {
        let _ = std::os::unix::fs::symlink(&outside, &target);
    });
    let refused = run(&policy, &Call::writes("target"), &swap).unwrap_err();
    assert_eq!(refused.kind, RefusedKind::Stale);
    // A mode, or a rule, changed meanwhile.
    let policy = scratch.policy();
    let mode = Somebody::who(Answer::Once, || policy.set_mode(Mode::AcceptEdits));
    assert_eq!(run(&policy, &Call::runs("make"), &mode).unwrap_err().kind, RefusedKind::Stale);
    let rule = Somebody::who(Answer::Session, || {
        policy.add_session_rules(RuleEffect::Deny, &["Edit(a.rs)".to_owned()]);
    });
    assert_eq!(run(&policy, &Call::runs("make"), &rule).unwrap_err().kind, RefusedKind::Stale);
    assert_eq!(run(&policy, &Call::writes("a.rs"), &rule).unwrap_err().kind, RefusedKind::Denied);
    // Another question's yes voids nothing.
    let other = Somebody::who(Answer::Once, || {
        policy.add_session_rules(RuleEffect::Allow, &["Edit(b.rs)".to_owned()]);
    });
    assert!(run(&policy, &Call::runs("make"), &other).is_ok());
}

#[test]
fn a_preview_holds_only_what_may_be_read_unasked() {
    let seen = |scratch: Scratch, call: Call| {
        let mut call = call;
        call.descriptor.previews = true;
        let mut files = None;
        let person = Somebody::who(Answer::Once, || {});
        let _ = run_with(&scratch.policy(), &call, &person, |grant| {
            files = Some((grant.files().to_vec(), grant.egress().len(), grant.command().is_some()));
            Ok(vec!["-a\n+b".to_owned()])
        });
        files.unwrap()
    };
    let (files, egress, command) = seen(Scratch::new(), Call::writes("a.rs").url("https://x.org", "GET"));
    assert_eq!((files.len(), egress, command), (1, 0, false));
    assert_eq!(files[0].access, Access::Read);
    assert_eq!(seen(Scratch::new(), Call::writes("../outside/x")).0, []);
    assert_eq!(seen(Scratch::new().ask("Read(a.rs)"), Call::writes("a.rs")).0, []);
    assert_eq!(seen(Scratch::new(), Call::writes("a.rs").unaccepted()).0, []);
}

#[test]
fn a_preview_that_rejects_ends_the_call_before_anyone_is_asked() {
    let mut call = Call::writes("a.rs");
    call.descriptor.previews = true;
    let person = Somebody::who(Answer::Once, || {});
    let rejection = Rejection { message: "no such text".into(), code: None };
    let refused = run_with(&Scratch::new().policy(), &call, &person, |_| Err(rejection.clone())).unwrap_err();
    assert_eq!(refused.kind, RefusedKind::Rejected(rejection));
    assert_eq!(person.questions(), 0);
}

/// The grant of a call on a tree of the project.
fn tree(scratch: &Scratch, access: Access) -> Grant {
    let call = Call::of("my-tool").path(".", access, Extent::Tree);
    let person = Somebody::who(Answer::Once, || {});
    run(&scratch.policy(), &call, &person).unwrap().into_parts().1
}

#[test]
fn deny_rules_hold_inside_a_granted_tree() {
    let scratch = Scratch::new()
        .deny("Read(.env)")
        .deny("Read(keys/**)")
        .deny("Edit(lock)")
        .deny("my-tool(mine/**)")
        .deny("other-tool(src/**)");
    let grant = tree(&scratch, Access::Write);
    let judge = |path: &str, access| grant.judge_path(&scratch.ws().join(path), access).is_ok();
    for path in [".env", ".ENV", "src/.env", "keys", "src/keys/a", "mine/x", "../ws-evil/x"] {
        assert!(!judge(path, Access::Read) && !judge(path, Access::Write), "{path}");
    }
    assert!(judge("lock", Access::Read) && !judge("lock", Access::Write));
    assert!(judge("src/a.rs", Access::Read) && judge("src/a.rs", Access::Write));
    assert!(grant.fence().may_contain_denied());
    assert!(grant.fence().literal_roots().iter().any(|root| *root == scratch.ws()));
    assert!(!tree(&Scratch::new(), Access::Read).fence().may_contain_denied());
}

#[test]
fn what_would_be_asked_below_a_granted_tree_must_be_named() {
    let scratch = Scratch::new().ask("Edit(src/**)").ask("Edit(secret.txt)");
    let grant = tree(&scratch, Access::Write);
    let own = |grant: &Grant, path: &str| grant.judge_path(&scratch.ws().join(path), Access::Write).is_ok();
    assert!(!own(&grant, "src/x") && !own(&grant, "secret.txt") && own(&grant, "a.rs"));
    let person = Somebody::who(Answer::Once, || {});
    let named = |call: &Call| run(&scratch.policy(), call, &person).unwrap().into_parts().1;
    assert!(own(&named(&Call::writes("secret.txt")), "secret.txt"));
    let below = named(&Call::of("t").path("src", Access::Write, Extent::Tree));
    assert!(own(&below, "src/x") && !own(&below, "src/secret.txt"));
}

#[test]
fn own_and_protected_files_are_not_written_through_a_tree() {
    let mut scratch = Scratch::new();
    scratch.options.own_files = vec![scratch.ws().join("conf/mortise.toml"), scratch.ws().join("plugins")];
    let grant = tree(&scratch, Access::Write);
    let write = |path: &str| grant.judge_path(&scratch.ws().join(path), Access::Write).is_ok();
    for path in ["conf/mortise.toml", "Plugins/x.wasm", ".git/hooks/x", ".bashrc"] {
        assert!(!write(path), "{path}");
    }
    assert!(write("conf/other.toml") && write(".gitignore"));
    let guards = |path: &str| grant.fence().guards_below(&scratch.ws().join(path));
    assert!(guards("conf") && guards("plugins") && guards("plugins/x") && !guards("src"));
}

#[test]
fn a_rename_that_would_carry_something_out_of_a_rules_sight_is_told() {
    let scratch = Scratch::new().deny("Read(a/b*/secret)").deny("Read(.env)").deny("Read(**/key/x)");
    let fence = scratch.policy().fence();
    let below = |path: &str| fence.guards_below(&scratch.ws().join(path));
    assert!(below("a") && below("a/b1") && below("src/key") && !below("src") && !below("a/c"));
    let moves = |from: &str, to: &str| fence.guards_move(&scratch.ws().join(from), Path::new(to));
    assert!(moves("src", "/elsewhere") && !moves("src", scratch.ws().join("lib").to_str().unwrap()));
}

#[test]
fn a_grant_that_holds_nothing_lets_nothing_through() {
    let grant = Grant::none(mortise::config::Limits::default());
    assert!(grant.is_empty() && grant.judge_path(Path::new("/etc/passwd"), Access::Read).is_err());
    assert!(grant.fence().guards_below(Path::new("/a")));
}
