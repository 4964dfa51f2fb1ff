//! The path of one call where others have a say in it: hooks before and after, a classifier, the operator. What they
//! say is heard, and none of it lifts a rule.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mortise::config::{Config, Level, RawRule, RuleEffect, RuleSource};
use mortise::contract::{Answers, Descriptor, Failure, Field, FieldRole, Invocation, Outcome};
use mortise::execution::{Attendance, Call, CallResult, Ending};
use mortise::hooks::{
    AfterEvent, AfterVerdict, BeforeEvent, BeforeVerdict, Classifier, Happening, Hooks, Intent, Opinion,
    Speculation,
};
use mortise::host::{Host, HostBuilder};
use mortise::permission::{Answer, Authorizer, Effect, Question};
use mortise::registry::{NativeCall, NativeTool};
use mortise::sandbox::Session;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{config_in, text_of};

/// A project with a file to read and one that is denied.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        std::fs::write(project.path("open.txt"), "tenon\n").unwrap();
        std::fs::write(project.path(".env"), "KEY=mortar\n").unwrap();
        project
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn config(&self, rules: &[(RuleEffect, &str)]) -> Config {
        let mut config = config_in(self.0.path());
        config.permission.rules =
            rules.iter().map(|(effect, text)| rule(self.0.path(), *effect, text)).collect();
        config
    }

    fn host(&self, rules: &[(RuleEffect, &str)]) -> HostBuilder {
        Host::builder().config(self.config(rules))
    }

    /// In mode `auto`, with this classifier.
    fn auto(&self, rules: &[(RuleEffect, &str)], classifier: Arc<dyn Classifier>) -> HostBuilder {
        let mut config = self.config(rules);
        config.permission.mode = Some("auto".into());
        Host::builder().config(config).classifier(classifier)
    }
}

fn rule(root: &Path, effect: RuleEffect, text: &str) -> RawRule {
    let source = RuleSource { level: Level::CommandLine, file: None, line: None, root: root.to_owned() };
    RawRule { effect, text: text.to_owned(), source }
}

const NO_ENV: (RuleEffect, &str) = (RuleEffect::Deny, "Read(.env)");

async fn call(host: &Host, name: &str, input: Value) -> CallResult {
    host.call(Call { id: "toolu_1".into(), name: name.into(), input }).await
}

async fn read(host: &Host, file: &str) -> CallResult {
    call(host, "Read", json!({ "file_path": file })).await
}

async fn write(host: &Host) -> CallResult {
    call(host, "Write", json!({"file_path": "new.txt", "content": "x"})).await
}

type Before = dyn Fn(&BeforeEvent) -> Vec<BeforeVerdict> + Send + Sync;
type After = dyn Fn(&AfterEvent) -> Vec<AfterVerdict> + Send + Sync;

/// Hooks that say what they are told to, and remember what they heard.
struct Script {
    before: Box<Before>,
    after: Box<After>,
    must_succeed: bool,
    heard: Mutex<Vec<AfterEvent>>,
}

fn before(say: impl Fn(&BeforeEvent) -> Vec<BeforeVerdict> + Send + Sync + 'static) -> Arc<Script> {
    let (before, after): (Box<Before>, Box<After>) = (Box::new(say), Box::new(|_| Vec::new()));
    Arc::new(Script { before, after, must_succeed: false, heard: Mutex::default() })
}

fn after(say: impl Fn(&AfterEvent) -> Vec<AfterVerdict> + Send + Sync + 'static) -> Arc<Script> {
    let (before, after): (Box<Before>, Box<After>) = (Box::new(|_| Vec::new()), Box::new(say));
    Arc::new(Script { before, after, must_succeed: false, heard: Mutex::default() })
}

#[async_trait]
impl Hooks for Script {
    async fn before(&self, event: &BeforeEvent) -> Vec<BeforeVerdict> {
        (self.before)(event)
    }

    async fn after(&self, event: &AfterEvent) -> Vec<AfterVerdict> {
        self.heard.lock().unwrap().push(event.clone());
        (self.after)(event)
    }

    fn on_failure_block(&self) -> bool {
        self.must_succeed
    }
}

fn wants(intent: Intent) -> Vec<BeforeVerdict> {
    vec![BeforeVerdict::PermissionIntent {
        intent,
        reason: Some("house style".into()),
        hook: "scripted".into(),
    }]
}

fn rewrites(input: Value) -> Arc<Script> {
    before(move |_| vec![BeforeVerdict::UpdatedInput { input: input.clone(), hook: "scripted".into() }])
}

/// Somebody who always says yes, and remembers what was asked.
#[derive(Default)]
struct Yes(Mutex<Vec<Question>>);

impl Yes {
    fn asked(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

#[async_trait]
impl Authorizer for Yes {
    async fn authorize(&self, question: &Question) -> Answer {
        self.0.lock().unwrap().push(question.clone());
        Answer::Once
    }
}

// Before the call

#[tokio::test]
async fn a_hook_that_rewrites_to_a_denied_path_is_denied() {
    let project = Project::new();
    std::os::unix::fs::symlink(".env", project.path("link")).unwrap();
    let absolute = project.path(".env").display().to_string();
    for spelling in [".env", "./.env", "sub/../.env", "link", &absolute] {
        let host =
            project.host(&[NO_ENV]).hooks(rewrites(json!({"file_path": spelling}))).build().await.unwrap();
        let result = read(&host, "open.txt").await;
        assert_eq!(result.ending, Ending::Denied, "{spelling}: {result:#?}");
        assert!(!text_of(&result).contains("mortar"));
    }
    // The other way round the rewrite is what runs.
    let host =
        project.host(&[NO_ENV]).hooks(rewrites(json!({"file_path": "open.txt"}))).build().await.unwrap();
    let result = read(&host, ".env").await;
    assert!(result.ending == Ending::Done && text_of(&result).contains("tenon"), "{result:#?}");
    assert!(result.notes.iter().any(|note| note.contains("rewrote")), "the operator is told: {result:#?}");
}

#[tokio::test]
async fn a_rewrite_is_validated_like_any_input() {
    let project = Project::new();
    let host = project.host(&[]).hooks(rewrites(json!({"file": "open.txt"}))).build().await.unwrap();
    let result = read(&host, "open.txt").await;
    assert!(result.ending == Ending::Invalid && text_of(&result).contains("file_path"), "{result:#?}");
}

#[tokio::test]
async fn a_rewrite_to_a_path_outside_is_asked_although_the_first_one_was_not() {
    let project = Project::new();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    let yes = Arc::new(Yes::default());
    let hooks = rewrites(json!({"file_path": elsewhere.path()}));
    let host = project.host(&[]).hooks(hooks).authorizer(yes.clone()).build().await.unwrap();
    read(&host, "open.txt").await;
    let asked = yes.0.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].input["file_path"], json!(elsewhere.path()), "what is asked about is what would run");
}

#[tokio::test]
async fn a_hook_cannot_set_what_only_the_host_may() {
    let project = Project::new();
    let input = json!({"file_path": "open.txt", "dangerouslyDisableSandbox": true});
    let host = project.host(&[]).hooks(rewrites(input)).build().await.unwrap();
    let result = read(&host, "open.txt").await;
    // Read does not know the field: it is refused as any unknown one, and runs nowhere.
    assert_eq!(result.ending, Ending::Invalid, "{result:#?}");
}

#[tokio::test]
async fn a_hooks_allow_does_not_undo_a_deny_rule() {
    let project = Project::new();
    for intent in [Intent::Allow, Intent::Ask] {
        let host = project
            .host(&[NO_ENV])
            .hooks(before(move |_| wants(intent)))
            .authorizer(Arc::new(Yes::default()));
        assert_eq!(read(&host.build().await.unwrap(), ".env").await.ending, Ending::Denied, "{intent}");
    }
}

#[tokio::test]
async fn a_hooks_allow_does_not_undo_an_ask_rule() {
    let project = Project::new();
    let ask = [(RuleEffect::Ask, "Read(open.txt)")];
    let host = project.host(&ask).hooks(before(|_| wants(Intent::Allow))).build().await.unwrap();
    assert_eq!(read(&host, "open.txt").await.ending, Ending::Denied, "an ask rule asks, and nobody is there");
}

#[tokio::test]
async fn a_hook_may_approve_what_no_rule_speaks_of() {
    let project = Project::new();
    let asked = project.host(&[]).build().await.unwrap();
    assert_eq!(write(&asked).await.ending, Ending::Denied);
    let host = project.host(&[]).hooks(before(|_| wants(Intent::Allow))).build().await.unwrap();
    assert_eq!(write(&host).await.ending, Ending::Done);
    assert_eq!(std::fs::read_to_string(project.path("new.txt")).unwrap(), "x");
}

#[tokio::test]
async fn a_hook_that_asks_or_denies_is_heard() {
    let project = Project::new();
    let yes = Arc::new(Yes::default());
    let host = project.host(&[]).hooks(before(|_| wants(Intent::Ask))).authorizer(yes.clone());
    assert_eq!(read(&host.build().await.unwrap(), "open.txt").await.ending, Ending::Done);
    let reason = yes.0.lock().unwrap()[0].decision.reason.clone();
    assert!(yes.asked() == 1 && reason.contains("house style"), "{reason}");
    for say in [wants(Intent::Deny), wants(Intent::Defer), vec![BeforeVerdict::Stop]] {
        let host = project.host(&[(RuleEffect::Allow, "Read")]).hooks(before(move |_| say.clone()));
        let result = read(&host.authorizer(yes.clone()).build().await.unwrap(), "open.txt").await;
        assert!(result.ending == Ending::Denied && text_of(&result).contains("hook"), "{result:#?}");
        assert_eq!(yes.asked(), 1, "and nobody is asked");
    }
}

#[tokio::test]
async fn a_hook_that_fails_has_no_say_and_the_rules_still_hold() {
    let project = Project::new();
    let host = project.host(&[NO_ENV]).hooks(before(|_| panic!("a broken hook"))).build().await.unwrap();
    assert_eq!(read(&host, ".env").await.ending, Ending::Denied);
    assert_eq!(write(&host).await.ending, Ending::Denied, "it is no allow");
    let result = read(&host, "open.txt").await;
    assert!(
        result.ending == Ending::Done && result.notes.iter().any(|note| note.contains("hook")),
        "{result:#?}"
    );

    let (say, hear): (Box<Before>, Box<After>) =
        (Box::new(|_| panic!("a broken hook")), Box::new(|_| Vec::new()));
    let script = Script { before: say, after: hear, must_succeed: true, heard: Mutex::default() };
    let host = project.host(&[]).hooks(Arc::new(script)).build().await.unwrap();
    assert_eq!(read(&host, "open.txt").await.ending, Ending::Denied, "one that must succeed denies");
}

#[tokio::test]
async fn what_a_hook_says_goes_to_whom_it_is_meant_for() {
    let project = Project::new();
    let host = project.host(&[]).hooks(before(|_| {
        vec![
            BeforeVerdict::Message("for the person".into()),
            BeforeVerdict::AdditionalContext("for the model".into()),
            BeforeVerdict::PreventContinuation,
            BeforeVerdict::StopReason("enough".into()),
        ]
    }));
    let result = read(&host.build().await.unwrap(), "open.txt").await;
    assert_eq!(result.ending, Ending::Done);
    assert_eq!(result.context, ["for the model"]);
    assert!(
        result.notes.contains(&"for the person".to_owned()) && !text_of(&result).contains("for the"),
        "{result:#?}"
    );
    assert_eq!(result.stop.as_deref(), Some("enough"));
}

/// A tool with a path, which says what it was given.
struct Echo;

#[async_trait]
impl NativeTool for Echo {
    fn describe(&self) -> Descriptor {
        let schema =
            json!({"type": "object", "properties": {"path": {"type": "string"}, "note": {"type": "string"}}});
        let fields = vec![Field { pointer: "/path".into(), role: FieldRole::Path }];
        Descriptor { fields, ..Descriptor::new("echo", "Echoes.", schema) }
    }

    fn inspect(&self, call: &Invocation, _: &Session) -> Answers {
        let classify = format!("a word of the tool's on {}", call.input["note"]);
        Answers { classify, ..Answers::default() }
    }

    async fn call(&self, call: &Invocation, _: &NativeCall) -> Result<Outcome, Failure> {
        if call.input["note"] == "fail" {
            return Err(Failure::Failed(Outcome::text("it did not work")));
        }
        Ok(Outcome::text(call.input.to_string()))
    }
}

#[tokio::test]
async fn hooks_see_the_twin_and_the_tool_gets_what_the_model_wrote() {
    let project = Project::new();
    let twin = project.path("sub/open.txt");
    let seen = twin.clone();
    let hooks = before(move |event| {
        assert_eq!(event.input["path"], json!(seen));
        let mut input = event.input.clone();
        input["note"] = "added".into();
        vec![BeforeVerdict::UpdatedInput { input, hook: "scripted".into() }]
    });
    let allow = [(RuleEffect::Allow, "echo")];
    let host = project.host(&allow).hooks(hooks.clone()).tool(Arc::new(Echo)).build().await.unwrap();
    let result = call(&host, "echo", json!({"path": "./sub/../sub/open.txt"})).await;
    assert_eq!(text_of(&result), r#"{"path":"./sub/../sub/open.txt","note":"added"}"#);
    assert_eq!(hooks.heard.lock().unwrap()[0].input, json!({"path": twin, "note": "added"}));
}

// After the call

#[tokio::test]
async fn a_hook_after_the_call_adds_and_replaces() {
    let project = Project::new();
    let hooks = after(|_| {
        vec![
            AfterVerdict::UpdatedOutput { output: json!("replaced"), hook: "scripted".into() },
            AfterVerdict::AdditionalContext("added".into()),
            AfterVerdict::BlockingError { reason: "lint".into(), hook: "scripted".into() },
            AfterVerdict::StoppedContinuation { reason: Some("enough".into()) },
        ]
    });
    let allow = [(RuleEffect::Allow, "echo")];
    let host = project.host(&allow).hooks(hooks).tool(Arc::new(Echo)).build().await.unwrap();
    let result = call(&host, "echo", json!({"note": "x"})).await;
    assert_eq!((result.ending, text_of(&result).as_str()), (Ending::Done, "replaced"));
    assert_eq!(
        (result.context, result.stop.as_deref()),
        (vec!["lint".to_owned(), "added".to_owned()], Some("enough"))
    );
}

#[tokio::test]
async fn an_output_that_is_not_of_the_tools_shape_is_not_taken() {
    let project = Project::new();
    let hooks =
        after(|_| vec![AfterVerdict::UpdatedOutput { output: json!({"x": 1}), hook: "scripted".into() }]);
    let host = project.host(&[]).hooks(hooks).build().await.unwrap();
    let result = read(&host, "open.txt").await;
    assert!(text_of(&result).contains("tenon"), "{result:#?}");
    assert!(result.notes.iter().any(|note| note.contains("shape")), "{result:#?}");
}

#[tokio::test]
async fn hooks_after_hear_how_it_went_and_nothing_of_what_never_ran() {
    let project = Project::new();
    let hooks = after(|_| Vec::new());
    let rules = [(RuleEffect::Allow, "echo"), NO_ENV];
    let host = project.host(&rules).hooks(hooks.clone()).tool(Arc::new(Echo)).build().await.unwrap();
    call(&host, "echo", json!({"note": "fine"})).await;
    call(&host, "echo", json!({"note": "fail"})).await;
    read(&host, ".env").await;
    call(&host, "Nobody", json!({})).await;
    call(&host, "Read", json!({"file": 1})).await;
    let heard = hooks.heard.lock().unwrap();
    let happened: Vec<_> = heard.iter().map(|event| event.happening.clone()).collect();
    let succeeded = Happening::Succeeded { response: json!(r#"{"note":"fine"}"#) };
    let failed = Happening::Failed { error: "it did not work".into(), interrupted: false };
    assert_eq!(happened, [succeeded, failed]);
}

// The classifier

type Judge = dyn Fn(&Speculation) -> Opinion + Send + Sync;

/// A classifier that says what it is told to, and remembers what it read.
struct Judges {
    judge: Box<Judge>,
    read: Mutex<Vec<Speculation>>,
}

fn judges(judge: impl Fn(&Speculation) -> Opinion + Send + Sync + 'static) -> Arc<Judges> {
    Arc::new(Judges { judge: Box::new(judge), read: Mutex::default() })
}

#[async_trait]
impl Classifier for Judges {
    async fn classify(&self, speculation: &Speculation) -> Opinion {
        self.read.lock().unwrap().push(speculation.clone());
        (self.judge)(speculation)
    }
}

/// One that never answers.
struct Silent;

#[async_trait]
impl Classifier for Silent {
    async fn classify(&self, _: &Speculation) -> Opinion {
        std::future::pending().await
    }
}

#[tokio::test]
async fn in_mode_auto_what_is_harmless_runs_unasked_and_what_is_doubtful_does_not() {
    let project = Project::new();
    let yes = Arc::new(Yes::default());
    let host =
        project.auto(&[], judges(|_| Opinion::Harmless)).authorizer(yes.clone()).build().await.unwrap();
    assert_eq!(write(&host).await.ending, Ending::Done);
    assert_eq!(yes.asked(), 0);
    let doubtful = judges(|_| Opinion::Doubtful("it looks odd".into()));
    let host = project.auto(&[], doubtful).build().await.unwrap();
    let result = call(&host, "Write", json!({"file_path": "other.txt", "content": "x"})).await;
    assert!(result.ending == Ending::Denied && text_of(&result).contains("it looks odd"), "{result:#?}");
    assert!(!project.path("other.txt").exists());
}

#[tokio::test]
async fn a_classifier_that_fails_or_cannot_say_never_allows() {
    let project = Project::new();
    let unsure: [fn() -> Opinion; 2] = [|| panic!("a broken classifier"), || Opinion::Unknown];
    for unsure in unsure {
        let alone = project.auto(&[], judges(move |_| unsure())).build().await.unwrap();
        assert_eq!(write(&alone).await.ending, Ending::Denied, "nobody is there to be asked");
        assert!(!project.path("new.txt").exists());
        let yes = Arc::new(Yes::default());
        let asked =
            project.auto(&[], judges(move |_| unsure())).authorizer(yes.clone()).build().await.unwrap();
        assert_eq!((write(&asked).await.ending, yes.asked()), (Ending::Done, 1));
        std::fs::remove_file(project.path("new.txt")).unwrap();
    }
}

#[tokio::test]
async fn no_opinion_lifts_a_rule_or_opens_what_decides_what_runs_next() {
    let project = Project::new();
    let rules = [NO_ENV, (RuleEffect::Ask, "Edit(new.txt)"), (RuleEffect::Deny, "Edit(locked/**)")];
    let host = project.auto(&rules, judges(|_| Opinion::Harmless)).build().await.unwrap();
    assert_eq!(read(&host, ".env").await.ending, Ending::Denied);
    assert_eq!(write(&host).await.ending, Ending::Denied, "an ask rule asks a person");
    for file in ["locked/a.txt", ".git/hooks/pre-commit"] {
        let result = call(&host, "Write", json!({"file_path": file, "content": "x"})).await;
        assert_eq!(result.ending, Ending::Denied, "{file}: {result:#?}");
    }
}

#[tokio::test]
async fn nobody_waits_for_a_classifier_whose_opinion_is_not_needed() {
    let project = Project::new();
    let rules = [NO_ENV, (RuleEffect::Allow, "Edit(new.txt)")];
    let host = project.auto(&rules, Arc::new(Silent)).build().await.unwrap();
    assert_eq!(read(&host, "open.txt").await.ending, Ending::Done);
    assert_eq!(read(&host, ".env").await.ending, Ending::Denied);
    assert_eq!(write(&host).await.ending, Ending::Done);
}

#[tokio::test]
async fn a_call_that_waits_for_a_classifier_can_be_cancelled() {
    struct Cancels(Mutex<Option<tokio::sync::oneshot::Sender<()>>>);

    #[async_trait]
    impl Classifier for Cancels {
        async fn classify(&self, _: &Speculation) -> Opinion {
            let started = self.0.lock().unwrap().take();
            started.unwrap().send(()).unwrap();
            std::future::pending().await
        }
    }

    let project = Project::new();
    let (started, asked) = tokio::sync::oneshot::channel();
    let host = project.auto(&[], Arc::new(Cancels(Mutex::new(Some(started))))).build().await.unwrap();
    let attendance = Attendance::default();
    let cancel = attendance.cancel.clone();
    let input = json!({"file_path": "new.txt", "content": "x"});
    let running = host.call_attended(Call { id: "toolu_1".into(), name: "Write".into(), input }, attendance);
    let (result, ()) = tokio::join!(running, async {
        asked.await.unwrap();
        cancel.cancel();
    });
    assert_eq!(result.ending, Ending::Interrupted);
    assert!(!project.path("new.txt").exists());
}

#[tokio::test]
async fn a_classifier_is_asked_in_mode_auto_alone() {
    let project = Project::new();
    let classifier = judges(|_| Opinion::Harmless);
    let host = project.host(&[]).classifier(classifier.clone()).build().await.unwrap();
    assert_eq!(write(&host).await.ending, Ending::Denied);
    assert!(classifier.read.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_classifier_reads_what_the_host_wrote_and_the_tools_words_apart() {
    let project = Project::new();
    let classifier = judges(|_| Opinion::Harmless);
    let host = project.auto(&[], classifier.clone()).tool(Arc::new(Echo)).build().await.unwrap();
    call(&host, "echo", json!({"note": "paint it"})).await;
    let read = classifier.read.lock().unwrap();
    assert_eq!((read.len(), read[0].tool.as_str()), (1, "echo"));
    assert!(read[0].text.contains("paint it") && !read[0].text.contains("a word of the tool's"), "{read:#?}");
    assert_eq!(read[0].added, r#"a word of the tool's on "paint it""#);
}

#[tokio::test]
async fn a_rewrite_voids_the_opinion_on_the_input_before_it() {
    let project = Project::new();
    let harmless =
        judges(
            |speculation| {
                if speculation.text.contains("harmless.txt") { Opinion::Harmless } else { Opinion::Unknown }
            },
        );
    let input = json!({"file_path": "new.txt", "content": "x"});
    let host = project.auto(&[], harmless).hooks(rewrites(input)).build().await.unwrap();
    let result = call(&host, "Write", json!({"file_path": "harmless.txt", "content": "x"})).await;
    assert_eq!(result.ending, Ending::Denied, "{result:#?}");
    assert!(!project.path("new.txt").exists() && !project.path("harmless.txt").exists());
}

// The path as a whole

#[tokio::test]
async fn what_is_explained_is_what_happens() {
    let project = Project::new();
    let rules = [NO_ENV, (RuleEffect::Ask, "Read(ask.txt)"), (RuleEffect::Allow, "Edit(out/**)")];
    std::fs::write(project.path("ask.txt"), "").unwrap();
    let host = project.host(&rules).build().await.unwrap();
    for (tool, input, effect) in [
        ("Read", json!({"file_path": "open.txt"}), Effect::Allow),
        ("Read", json!({"file_path": ".env"}), Effect::Deny),
        ("Read", json!({"file_path": "ask.txt"}), Effect::Ask),
        ("Read", json!({"file_path": "/etc/hostname"}), Effect::Ask),
        ("Write", json!({"file_path": "out/a.txt", "content": ""}), Effect::Allow),
        ("Write", json!({"file_path": "a.txt", "content": ""}), Effect::Ask),
        ("Glob", json!({"pattern": "*"}), Effect::Allow),
        ("Glob", json!({"pattern": 5, "nonsense": true}), Effect::Deny),
        ("Nobody", json!({}), Effect::Deny),
    ] {
        let call = Call { id: "toolu_1".into(), name: tool.into(), input };
        let explained = host.explain(call.clone()).await;
        assert_eq!(explained.decision, effect, "{call:?}: {explained:#?}");
        let result = host.call(call.clone()).await;
        assert_eq!(result.ending == Ending::Done, effect == Effect::Allow, "{call:?}: {result:#?}");
    }
}

#[tokio::test]
async fn every_result_of_a_core_tool_has_the_shape_that_it_promises() {
    let project = Project::new();
    let host = project.host(&[(RuleEffect::Allow, "Edit(**)")]).build().await.unwrap();
    for (tool, input) in [
        ("Write", json!({"file_path": "new.txt", "content": "one\n"})),
        ("Write", json!({"file_path": "new.txt", "content": "one\ntwo\n"})),
        ("Read", json!({"file_path": "new.txt"})),
        ("Read", json!({"file_path": "new.txt", "offset": 2, "limit": 1})),
        ("Edit", json!({"file_path": "new.txt", "old_string": "two", "new_string": "three"})),
        ("Edit", json!({"file_path": "new.txt", "old_string": "e", "new_string": "E", "replace_all": true})),
        ("Glob", json!({"pattern": "**/*"})),
        ("Glob", json!({"pattern": "*.none"})),
        ("Grep", json!({"pattern": "tenon"})),
        ("Grep", json!({"pattern": "tenon", "output_mode": "content", "-n": true, "-C": 1})),
        ("Grep", json!({"pattern": "tenon", "output_mode": "count"})),
        ("Grep", json!({"pattern": "nowhere at all"})),
    ] {
        let result = call(&host, tool, input.clone()).await;
        assert_eq!(result.ending, Ending::Done, "{tool} {input}: {result:#?}");
        assert!(result.structured.is_some(), "{tool} {input}: {result:#?}");
    }
}
