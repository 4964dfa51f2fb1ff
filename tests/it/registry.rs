//! The pool: which names tools may bear, in which order they stand, and what keeps one out.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use mortise::config::{Config, Level, PluginFolder, RawRule, RuleEffect, RuleSource, ToolOptions};
use mortise::contract::{Answers, Descriptor, Failure, Invocation, Loading, Outcome};
use mortise::execution::{Call, CallResult, Ending};
use mortise::host::Host;
use mortise::registry::{Entry, NativeCall, NativeTool, Origin, State};
use mortise::sandbox::Session;
use serde_json::{Value, json};

use crate::binary::component;
use crate::support::{config_in, text_of};

/// A tool of the embedding program that says under which name it was called.
struct Native(Descriptor);

#[async_trait]
impl NativeTool for Native {
    fn describe(&self) -> Descriptor {
        self.0.clone()
    }

    fn inspect(&self, _: &Invocation, _: &Session) -> Answers {
        Answers { read_only: true, ..Answers::default() }
    }

    async fn call(&self, call: &Invocation, _: &NativeCall) -> Result<Outcome, Failure> {
        Ok(Outcome::text(format!("{} ran", call.tool)))
    }
}

fn descriptor(name: &str) -> Descriptor {
    Descriptor::new(name, "A tool.", json!({"type": "object"}))
}

fn formerly(name: &str, former: &[&str]) -> Descriptor {
    Descriptor { aliases: former.iter().map(|&name| name.to_owned()).collect(), ..descriptor(name) }
}

fn rule(effect: RuleEffect, text: &str) -> RawRule {
    let source = RuleSource { level: Level::CommandLine, file: None, line: None, root: "/".into() };
    RawRule { effect, text: text.to_owned(), source }
}

async fn host_of(config: Config, tools: impl IntoIterator<Item = Descriptor>) -> Host {
    let builder = Host::builder().config(config);
    tools
        .into_iter()
        .fold(builder, |builder, tool| builder.tool(Arc::new(Native(tool))))
        .build()
        .await
        .unwrap()
}

/// A host with these native tools beside the core ones.
async fn host(tools: impl IntoIterator<Item = Descriptor>) -> Host {
    host_of(config_in(Path::new("/")), tools).await
}

/// A host with these native tools alone, under these rules.
async fn ruled(rules: &[(RuleEffect, &str)], tools: impl IntoIterator<Item = Descriptor>) -> Host {
    let mut config = config_in(Path::new("/"));
    config.registry.embedded = false;
    config.permission.rules = rules.iter().map(|(effect, text)| rule(*effect, text)).collect();
    host_of(config, tools).await
}

/// A configuration with one accepted plugin folder.
fn with_plugins(folder: &Path) -> Config {
    let mut config = config_in(folder);
    config.registry.folders = vec![PluginFolder { path: folder.to_owned(), accepted: true }];
    config
}

async fn call(host: &Host, name: &str) -> CallResult {
    host.call(Call { id: "toolu_1".into(), name: name.into(), input: json!({}) }).await
}

/// Why the entry of this name is broken; `None`: it is not.
fn fault(host: &Host, name: &str) -> Option<String> {
    host.pool().entries().iter().filter(|entry| entry.name == name).find_map(|entry| match &entry.state {
        State::Broken(why) => Some(why.clone()),
        _ => None,
    })
}

fn callable(host: &Host) -> Vec<String> {
    host.pool().tools().iter().map(|tool| tool.descriptor.name.clone()).collect()
}

// Names

#[tokio::test]
async fn a_name_that_is_not_plain_is_refused() {
    let long = "a".repeat(65);
    for name in
        ["", "9lives", "_a", "-a", "a b", "a.b", "a/b", "a\n", "a\u{0}", "Re\u{430}d", "caf\u{e9}", &long]
    {
        let host = host([descriptor(name), descriptor("fine")]).await;
        // The list calls it by where it comes from, and quotes what it would be called.
        let why = fault(&host, "native").unwrap_or_else(|| panic!("{name:?} passed"));
        assert!(why.contains("[A-Za-z][A-Za-z0-9_-]{0,63}"), "{why}");
        assert!(!why.contains(char::is_control), "{why:?}");
        assert_eq!(call(&host, "fine").await.ending, Ending::Done);
        assert_ne!(call(&host, name).await.ending, Ending::Done);
    }
    for name in ["a", "A", "a-b_C9", &"a".repeat(64)] {
        assert_eq!(call(&host([descriptor(name)]).await, name).await.ending, Ending::Done, "{name}");
    }
}

#[tokio::test]
async fn the_prefix_of_mcp_servers_is_kept_for_them() {
    for name in ["mcp__", "mcp__server__tool", "MCP__server", "Mcp__x"] {
        let host = host([descriptor(name), formerly("newer", &[name])]).await;
        assert!(fault(&host, name).unwrap().contains("MCP"), "{name}");
        assert!(fault(&host, "newer").unwrap().contains("MCP"), "a former name counts, too: {name}");
    }
    for name in ["mcp", "mcp_server", "mcpServer", "my_mcp__x"] {
        assert_eq!(fault(&host([descriptor(name)]).await, name), None);
    }
}

#[tokio::test]
async fn a_twin_by_case_or_by_look_is_refused() {
    for (first, twin) in [
        ("build", "Build"),
        ("build", "BUILD"),
        ("go_to", "go-to"),
        ("file1", "filel"),
        ("file1", "fileI"),
        ("Ill", "lll"),
        ("list0", "listO"),
        ("listO", "listo"),
    ] {
        let host = host([descriptor(first), descriptor(twin)]).await;
        let why = fault(&host, twin).unwrap_or_else(|| panic!("{twin} passed beside {first}"));
        assert!(why.contains(&format!("`{first}`")), "{why}");
        assert_eq!(call(&host, first).await.ending, Ending::Done);
        assert_ne!(call(&host, twin).await.ending, Ending::Done);
    }
    let host = host([descriptor("file1"), descriptor("file2"), descriptor("files")]).await;
    assert!(
        ["file1", "file2", "files"].iter().all(|name| fault(&host, name).is_none()),
        "others are no twins"
    );
}

#[tokio::test]
async fn nothing_takes_the_place_of_an_embedded_tool() {
    let tools = ["Read", "read", "Grep", "G1ob", "Wr\u{456}te"].map(descriptor);
    let former = ["Edit", "edit"].iter().map(|name| formerly(&format!("better-{}", name.len()), &[name]));
    let host = host(tools.into_iter().chain(former.take(1))).await;
    assert_eq!(callable(&host), ["Bash", "Edit", "Glob", "Grep", "Read", "TaskStop", "Write"]);
    assert!(fault(&host, "Read").unwrap().contains("embedded:read"));
    assert!(fault(&host, "better-4").unwrap().contains("embedded:edit"));
    for name in ["Read", "Grep", "Edit"] {
        assert!(matches!(host.pool().find(name).unwrap().origin, Origin::Embedded(_)));
    }
}

#[tokio::test]
async fn a_newcomer_does_not_take_the_name_of_an_accepted_tool() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut config = with_plugins(folder.path());
    config.registry.folders[0].accepted = false;
    config.registry.state = Some(at("accepted.json"));
    fs::copy(component("registry_first"), at("z.wasm")).unwrap();
    host_of(config.clone(), []).await.accept("registry_changing").await.unwrap();
    fs::copy(component("registry_second"), at("a.wasm")).unwrap();
    let host = host_of(config.clone(), []).await;
    assert_eq!(text_of(&call(&host, "registry_changing").await), "the first");
    assert!(fault(&host, "registry_changing").unwrap().contains("z.wasm"), "{:#?}", host.pool().entries());
    // Among equals the order of the files decides.
    config.registry.state = None;
    let host = host_of(config, []).await;
    assert!(fault(&host, "registry_changing").unwrap().contains("a.wasm"), "{:#?}", host.pool().entries());
}

#[tokio::test]
async fn one_plugin_may_hold_good_names_and_bad_ones() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(component("registry_names"), folder.path().join("names.wasm")).unwrap();
    let host = host_of(with_plugins(folder.path()), []).await;
    for bad in ["MCP__server__tool", "read", "G1ob", "Write"] {
        assert!(fault(&host, bad).is_some(), "{bad:?}: {:#?}", host.pool().entries());
    }
    let pool = host.pool();
    let malformed = pool.entries().iter().filter(|entry| entry.name == "names" && !entry.state.is_callable());
    assert_eq!(malformed.count(), 2, "{:#?}", pool.entries());
    assert_eq!(
        callable(&host),
        ["Bash", "Edit", "Glob", "Grep", "Read", "TaskStop", "Write", "registry_plain"]
    );
    assert_eq!(text_of(&call(&host, "registry_plain").await), "registry_plain");
}

// Former names

#[tokio::test]
async fn a_tool_answers_to_its_former_name_under_its_present_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(component("registry_former"), folder.path().join("former.wasm")).unwrap();
    let host = host_of(with_plugins(folder.path()), []).await;
    for name in ["registry_present", "registry_former"] {
        let result = call(&host, name).await;
        assert_eq!(
            (result.tool.as_str(), text_of(&result)),
            ("registry_present", "registry_present".to_owned())
        );
    }
}

#[tokio::test]
async fn a_former_name_is_borne_once() {
    let host = host([
        formerly("alpha", &["old"]),
        formerly("beta", &["old"]),
        formerly("gamma", &["OLD"]),
        formerly("delta", &["alpha"]),
        formerly("self", &["self"]),
        formerly("twice", &["was", "Was"]),
        descriptor("old"),
    ])
    .await;
    assert_eq!(fault(&host, "alpha"), None);
    for late in ["beta", "gamma", "delta", "self", "twice", "old"] {
        assert!(fault(&host, late).is_some(), "{late}");
    }
    assert_eq!(call(&host, "old").await.tool, "alpha");
}

#[tokio::test]
async fn a_rule_on_a_former_name_binds_the_tool() {
    let tool = || [formerly("present", &["former"])];
    let read_only = ruled(&[(RuleEffect::Allow, "former")], tool()).await;
    assert_eq!(call(&read_only, "present").await.ending, Ending::Done);
    for name in ["former", "form*", "present"] {
        let host = ruled(&[(RuleEffect::Allow, "present"), (RuleEffect::Deny, name)], tool()).await;
        for called in ["present", "former"] {
            assert_eq!(call(&host, called).await.ending, Ending::Denied, "deny {name}, called {called}");
        }
        let host = ruled(&[(RuleEffect::Allow, "present"), (RuleEffect::Ask, name)], tool()).await;
        for called in ["present", "former"] {
            assert_eq!(
                call(&host, called).await.ending,
                Ending::Denied,
                "ask {name}, nobody there: {called}"
            );
        }
    }
}

#[tokio::test]
async fn a_former_name_never_revives_what_was_denied_or_switched_off() {
    // The denied tool keeps its name: who claims it as a former one is refused.
    let tools = || [descriptor("denied"), formerly("heir", &["denied"])];
    let host = ruled(&[(RuleEffect::Deny, "denied"), (RuleEffect::Allow, "heir")], tools()).await;
    assert!(callable(&host).is_empty(), "{:#?}", host.pool().entries());
    for name in ["denied", "heir"] {
        assert_ne!(call(&host, name).await.ending, Ending::Done);
    }
    // So is the name of a tool that is switched off.
    let mut config = config_in(Path::new("/"));
    let off = ToolOptions { enabled: Some(false), ..ToolOptions::default() };
    config.registry.tools.insert("denied".into(), off);
    let host = host_of(config, tools()).await;
    assert!(fault(&host, "heir").is_some());
    assert_ne!(call(&host, "denied").await.ending, Ending::Done);
    // And where the denied one is gone, its rule still holds for the heir.
    let host = ruled(&[(RuleEffect::Deny, "denied")], [formerly("heir", &["denied"])]).await;
    assert_eq!(call(&host, "heir").await.ending, Ending::Denied);
    assert_eq!(call(&ruled(&[], [formerly("heir", &["denied"])]).await, "denied").await.ending, Ending::Done);
}

#[tokio::test]
async fn an_option_on_a_former_name_binds_the_tool_where_it_tightens() {
    let mut config = config_in(Path::new("/"));
    let off = ToolOptions { enabled: Some(false), ..ToolOptions::default() };
    config.registry.tools.insert("former".into(), off);
    let host = host_of(config, [formerly("present", &["former"])]).await;
    for name in ["present", "former"] {
        assert_ne!(call(&host, name).await.ending, Ending::Done, "{name}");
    }
}

// What keeps a tool out

fn state(host: &Host, name: &str) -> State {
    host.pool().entries().iter().find(|entry| entry.name == name).unwrap().state.clone()
}

#[tokio::test]
async fn a_tool_that_is_switched_off_is_listed_and_not_callable() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(component("registry_former"), folder.path().join("former.wasm")).unwrap();
    let mut config = with_plugins(folder.path());
    let off = ToolOptions { enabled: Some(false), ..ToolOptions::default() };
    config.registry.tools.insert("Grep".into(), off);
    // What its plugin has switched off cannot be switched on: there is nothing that would know how to run.
    let on = ToolOptions { enabled: Some(true), ..ToolOptions::default() };
    config.registry.tools.insert("registry_off".into(), on);
    let host = host_of(config, []).await;
    for (name, by) in [("Grep", "the configuration"), ("registry_off", "the plugin")] {
        let State::Disabled(why) = state(&host, name) else { panic!("{:?}", state(&host, name)) };
        assert!(why.contains(by), "{why}");
        let result = call(&host, name).await;
        assert!(result.ending == Ending::Broken && text_of(&result).contains("switched off"), "{result:#?}");
    }
    assert_eq!(callable(&host), ["Bash", "Edit", "Glob", "Read", "TaskStop", "Write", "registry_present"]);
}

#[tokio::test]
async fn a_denied_tool_is_listed_with_its_rule_and_not_shown_to_the_model() {
    let host = ruled(
        &[(RuleEffect::Deny, "alpha"), (RuleEffect::Deny, "beta(x)")],
        ["alpha", "beta"].map(descriptor),
    )
    .await;
    let State::Denied(rule) = state(&host, "alpha") else { panic!("{:?}", state(&host, "alpha")) };
    assert_eq!(rule.text, "alpha");
    assert_eq!(state(&host, "beta"), State::Ready, "a rule on some calls leaves the tool there");
    let result = call(&host, "alpha").await;
    assert_eq!(result.ending, Ending::Denied);
    assert!(!text_of(&result).contains("A tool."));
}

#[tokio::test]
async fn what_a_descriptor_must_be_is_checked() {
    let schema = |schema: Value| Descriptor { input_schema: schema, ..descriptor("odd") };
    for (odd, says) in [
        (Descriptor { description: " \n".into(), ..descriptor("odd") }, "no description"),
        (Descriptor { description: "x".repeat(16_385), ..descriptor("odd") }, "16384 is the most"),
        (schema(json!({"type": "string"})), "object"),
        (schema(json!("object")), ""),
    ] {
        let host = host([odd, descriptor("fine")]).await;
        let broken: Vec<Entry> =
            host.pool().entries().iter().filter(|entry| !entry.state.is_callable()).cloned().collect();
        assert_eq!(broken.len(), 1, "{says}");
        let State::Broken(why) = &broken[0].state else { panic!("{broken:#?}") };
        assert!(why.contains(says), "{why}");
        assert_eq!(call(&host, "fine").await.ending, Ending::Done);
    }
    let most = Descriptor { description: "x".repeat(16_384), ..descriptor("long") };
    assert_eq!(call(&host([most]).await, "long").await.ending, Ending::Done);
}

// Folders

#[tokio::test]
async fn a_folder_entry_that_is_not_what_it_seems_is_refused_and_the_rest_is_there() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |name: &str| folder.path().join(name);
    fs::copy(component("word_count"), at("words.wasm")).unwrap();
    fs::copy(component("registry_first"), outside.path().join("first.wasm")).unwrap();
    symlink(outside.path().join("first.wasm"), at("link.wasm")).unwrap();
    symlink("nowhere.wasm", at("dangling.wasm")).unwrap();
    fs::copy(component("registry_second"), at("writable.wasm")).unwrap();
    fs::set_permissions(at("writable.wasm"), fs::Permissions::from_mode(0o666)).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe.wasm"), rustix::fs::Mode::RUSR).unwrap();
    fs::create_dir(at("folder.wasm")).unwrap();
    fs::write(at("empty.wasm"), "").unwrap();
    fs::write(at("notes.txt"), "no plugin").unwrap();
    let host = host_of(with_plugins(folder.path()), []).await;
    for (name, says) in [
        ("link", "out of the plugin folder"),
        ("dangling", "cannot be read"),
        ("writable", "chmod o-w"),
        ("pipe", "not a regular file"),
        ("folder", "not a regular file"),
        ("empty", ""),
    ] {
        let why = fault(&host, name).unwrap_or_else(|| panic!("{name} passed: {:#?}", host.pool().entries()));
        assert!(why.contains(says), "{name}: {why}");
    }
    assert!(!host.pool().entries().iter().any(|entry| entry.name == "notes"));
    assert_eq!(callable(&host).last().unwrap(), "word_count");
}

#[tokio::test]
async fn a_component_of_another_contract_version_is_broken_and_the_others_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    // The same component, but for the version in the names of its exports and imports.
    let mut bytes = fs::read(component("spin")).unwrap();
    let (name, version) = (b"mortise:tool/toolset@0.1.0", b"0.7.0");
    let found = |bytes: &[u8]| bytes.windows(name.len()).position(|window| window == name);
    assert!(found(&bytes).is_some());
    while let Some(at) = found(&bytes) {
        bytes[at + name.len() - version.len()..at + name.len()].copy_from_slice(version);
    }
    fs::write(folder.path().join("a.wasm"), bytes).unwrap();
    fs::copy(component("word_count"), folder.path().join("b.wasm")).unwrap();
    let host = host_of(with_plugins(folder.path()), []).await;
    let why = fault(&host, "a").unwrap();
    assert!(why.contains("0.7.0") && why.contains("0.1.0"), "{why}");
    assert_eq!(callable(&host), ["Bash", "Edit", "Glob", "Grep", "Read", "TaskStop", "Write", "word_count"]);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_listed_as_broken() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config_in(folder.path());
    let absent = folder.path().join("absent");
    config.registry.folders = vec![PluginFolder { path: absent, accepted: true }];
    let host = host_of(config, [descriptor("fine")]).await;
    assert!(fault(&host, "absent").unwrap().contains("cannot be listed"));
    assert_eq!(call(&host, "fine").await.ending, Ending::Done);
}

#[tokio::test]
async fn the_pool_is_in_one_order_whatever_the_files_are_called() {
    let pool = async |files: [(&str, &str); 3]| {
        let folder = tempfile::tempdir().unwrap();
        for (guest, file) in files {
            fs::copy(component(guest), folder.path().join(file)).unwrap();
        }
        let host = host_of(with_plugins(folder.path()), ["omega", "alpha"].map(descriptor)).await;
        let pool = host.pool();
        pool.entries().iter().map(mortise::surfaces::messages::definition).collect::<Vec<_>>()
    };
    let one =
        pool([("word_count", "a.wasm"), ("registry_first", "b.wasm"), ("registry_former", "c.wasm")]).await;
    let other =
        pool([("registry_former", "a.wasm"), ("registry_first", "z.wasm"), ("word_count", "b.wasm")]).await;
    let names: Vec<_> = one.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "Read",
        "TaskStop",
        "Write",
        "alpha",
        "omega",
        "registry_changing",
        "registry_companion",
        "registry_off",
        "registry_present",
        "word_count",
    ];
    assert_eq!(names, expected);
    assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&other).unwrap());
}

#[tokio::test]
async fn a_reload_sees_the_folder_as_it_is_and_leaves_the_old_pool_alone() {
    let folder = tempfile::tempdir().unwrap();
    let host = host_of(with_plugins(folder.path()), []).await;
    let before = host.pool();
    fs::copy(component("registry_first"), folder.path().join("plugin.wasm")).unwrap();
    assert!(host.reload().await.find("registry_changing").is_some());
    assert_eq!(text_of(&call(&host, "registry_changing").await), "the first");
    fs::remove_file(folder.path().join("plugin.wasm")).unwrap();
    assert!(host.reload().await.find("registry_changing").is_none());
    assert!(before.find("registry_changing").is_none());
}

#[tokio::test]
async fn bytes_that_changed_after_the_check_are_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plugin.wasm");
    fs::copy(component("registry_first"), &file).unwrap();
    let mut config = with_plugins(folder.path());
    // Nothing compiled is at hand: the call has to go back to the file.
    config.sandbox.cache = None;
    let host = host_of(config, []).await;
    fs::copy(component("registry_second"), &file).unwrap();
    let result = call(&host, "registry_changing").await;
    assert_ne!(text_of(&result), "the second", "{result:#?}");
    host.reload().await;
    assert_eq!(host.pool().find("registry_changing").unwrap().descriptor.needs.len(), 1);
}

// Native tools

#[tokio::test]
async fn a_native_tool_is_listed_as_one_and_takes_the_same_path() {
    let schema =
        json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]});
    let tool = Descriptor { input_schema: schema, ..descriptor("native_tool") };
    let host = host([tool]).await;
    let pool = host.pool();
    let entry = pool.entries().iter().find(|entry| entry.name == "native_tool").unwrap();
    assert_eq!(
        (entry.source.as_str(), entry.digest.as_str(), &entry.state),
        ("native", "native", &State::Ready)
    );
    assert!(entry.traits.contains(&"native".to_owned()), "{entry:#?}");
    let call = async |input: Value| {
        host.call(Call { id: "toolu_1".into(), name: "native_tool".into(), input }).await
    };
    let done = call(json!({"count": "5"})).await;
    assert_eq!((done.ending, text_of(&done)), (Ending::Done, "native_tool ran".to_owned()));
    let steps: Vec<_> = done.trail.iter().map(|step| step.step).collect();
    assert_eq!(steps.len(), 10, "{steps:?}");
    let invalid = call(json!({"cuont": 5})).await;
    assert!(invalid.ending == Ending::Invalid && text_of(&invalid).contains("count"), "{invalid:#?}");
}

#[tokio::test]
async fn a_native_tool_that_may_change_things_is_asked_about() {
    struct Writes;

    #[async_trait]
    impl NativeTool for Writes {
        fn describe(&self) -> Descriptor {
            descriptor("writes")
        }

        async fn call(&self, _: &Invocation, _: &NativeCall) -> Result<Outcome, Failure> {
            Ok(Outcome::text("written"))
        }
    }

    let host = async |rules: &[(RuleEffect, &str)]| {
        let mut config = config_in(Path::new("/"));
        config.permission.rules = rules.iter().map(|(effect, text)| rule(*effect, text)).collect();
        Host::builder().config(config).tool(Arc::new(Writes)).build().await.unwrap()
    };
    let asked = call(&host(&[]).await, "writes").await;
    assert!(asked.ending == Ending::Denied && text_of(&asked).contains("writes"), "{asked:#?}");
    assert_eq!(call(&host(&[(RuleEffect::Allow, "writes")]).await, "writes").await.ending, Ending::Done);
    let both = [(RuleEffect::Allow, "writes"), (RuleEffect::Deny, "writes")];
    assert_eq!(call(&host(&both).await, "writes").await.ending, Ending::Denied);
}

#[tokio::test]
async fn a_deferred_tool_stays_deferred_only_once_it_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(component("word_count"), folder.path().join("words.wasm")).unwrap();
    let mut config = with_plugins(folder.path());
    config.registry.folders[0].accepted = false;
    let host = host_of(config, [Descriptor { loading: Loading::Deferred, ..descriptor("later") }]).await;
    assert_eq!(state(&host, "later"), State::Deferred);
    assert_eq!(state(&host, "word_count"), State::New);
}
