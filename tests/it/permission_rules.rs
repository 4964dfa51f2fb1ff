//! Rules: how they are read, which paths, hosts and texts they match, and what is said of those that cannot.

use mortise::config::RuleEffect;
use mortise::contract::{Access, Extent, Subject};
use mortise::permission::{Effect, Policy};
use proptest::prelude::*;

use crate::permission_cases::{Call, Scratch, raw};

/// Whether an allow rule lets a read outside the working directory through.
fn allows(rule: &str, path: &str) -> bool {
    let scratch = Scratch::new();
    let rule = rule.replace("BASE", scratch.base().to_str().unwrap());
    let path = path.replace("BASE", scratch.base().to_str().unwrap());
    // A write, since reading at home needs no rule.
    let scratch = scratch.allow(&rule);
    scratch.effect(&Call::writes(path)) == Effect::Allow
}

fn denies(rule: &str, path: &str) -> bool {
    let scratch = Scratch::new();
    let rule = rule.replace("BASE", scratch.base().to_str().unwrap());
    let path = path.replace("BASE", scratch.base().to_str().unwrap());
    let scratch = scratch.deny(&rule);
    scratch.effect(&Call::reads(path)) == Effect::Deny
}

#[test]
fn allow_patterns_match_by_the_letter() {
    for (rule, path) in [
        ("Edit(src/**)", "src/new.rs"),
        ("Edit(src/**)", "./src/deep/../deep/b.rs"),
        ("Edit(a.rs)", "a.rs"),
        ("Edit(a.rs)", "src/deep/a.rs"),
        ("Edit(./a.rs)", "a.rs"),
        ("Edit(*.rs)", "src/deep/b.rs"),
        ("Edit(src/*/b.rs)", "src/deep/b.rs"),
        ("Edit(/src/**)", "src/x"),
        ("Edit(~/key)", "~/key"),
        ("Edit(~/**)", "~/new/key"),
        ("Edit(/BASE/outside/*)", "BASE/outside/secret"),
        ("Edit(../outside/**)", "../outside/secret"),
        ("Edit(**)", "src/deep/b.rs"),
        ("Edit(src/[a-c].rs)", "src/b.rs"),
        ("Edit(src/\\[id\\].rs)", "src/[id].rs"),
        ("Edit(a b)", "a b"),
    ] {
        assert!(allows(rule, path), "{rule} should allow {path}");
    }
}

#[test]
fn allow_patterns_match_nothing_else() {
    for (rule, path) in [
        ("Edit(src/**)", "srcx/a"),
        ("Edit(src/**)", "lib/src/a"),
        ("Edit(src/**)", "Src/a.rs"),
        ("Edit(src/**)", "src/../a.rs"),
        ("Edit(src)", "src/a.rs"),
        ("Edit(./a.rs)", "src/a.rs"),
        ("Edit(src/*)", "src/deep/b.rs"),
        ("Edit(src/?)", "src//"),
        ("Edit(~/key)", "key"),
        ("Edit(/src/**)", "/src/x"),
        ("Edit(**)", "../ws-evil/x"),
        ("Edit(/BASE/ws/**)", "BASE/ws-evil/x"),
        ("Edit(s[!x]c/a)", "s/c/a"),
        ("Edit(s[+-9]c)", "s/c"),
        ("Edit({a,b})", "a"),
        ("Read(src/**)", "src/a.rs"),
    ] {
        assert!(!allows(rule, path), "{rule} should not allow {path}");
    }
}

#[test]
fn deny_patterns_cover_case_ancestors_and_any_depth() {
    for (rule, path) in [
        ("Read(.env)", ".env"),
        ("Read(./.env)", ".env"),
        ("Read(.env)", "src/deep/.env"),
        ("Read(.env)", ".ENV"),
        ("Read(.env)", ".env/inside"),
        ("Read(secrets/**)", "secrets"),
        ("Read(secrets/**)", "src/secrets/a"),
        ("Read(secrets/)", "src/secrets/a/b"),
        ("Read(src/**)", "src"),
        ("Read(src/*)", "src/deep/b.rs"),
        ("Read(Über)", "üBER"),
        ("Read(**/Σ*)", "ΑΣ/σ"),
        ("Read({a,b}.rs)", "a.rs"),
        ("Read({a,b}.rs)", "{a,b}.rs"),
        ("Read(x/[id]/y)", "x/[id]/y"),
        ("Read(x/[id/y)", "x/[id/y"),
        ("Read(x\\)", "x\\"),
        ("Read(~/**)", "~/key"),
        ("Read(~/**)", "$HOME/key"),
        ("Read(~/**)", "@../home/key"),
        ("Read(~/**)", "../home/key"),
        ("Read(/BASE/outside/**)", "../outside/secret"),
        ("Read(//**)", "a.rs"),
    ] {
        assert!(denies(rule, path), "{rule} should deny {path}");
    }
}

#[test]
fn deny_patterns_leave_siblings_alone() {
    for (rule, path) in [
        ("Read(.env)", ".environment"),
        ("Read(.env)", "a.env"),
        ("Read(/BASE/ws/**)", "BASE/ws-evil/x"),
        ("Read(/src/**)", "lib/src/x"),
        ("Read(src/*.rs)", "src/deep/b.rs"),
        ("Edit(.env)", ".env"),
    ] {
        assert!(!denies(rule, path), "{rule} should not deny {path}");
    }
}

#[test]
fn a_deny_rule_holds_for_names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new().deny("Read(.env)");
    let odd = scratch.base().join("ws").join(std::ffi::OsStr::from_bytes(b"\xc3\x9c\xff"));
    let file = mortise::permission::FileGrant {
        path: scratch.ws(),
        named: scratch.ws(),
        access: Access::Read,
        extent: Extent::Tree,
    };
    let fence = scratch.policy().fence();
    assert!(fence.judge(&odd.join(".ENV"), Access::Read, &file).is_err());
    assert!(fence.judge(&odd.join("env"), Access::Read, &file).is_ok());
}

#[test]
fn a_rule_on_a_symlink_denies_what_it_leads_to() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink(scratch.ws().join("src"), scratch.ws().join("link")).unwrap();
    let scratch = scratch.deny("Read(link/**)");
    assert_eq!(scratch.effect(&Call::reads("src/deep/b.rs")), Effect::Deny);
    assert_eq!(scratch.effect(&Call::reads("a.rs")), Effect::Allow);
}

#[test]
fn domain_rules_match_hosts_in_every_spelling() {
    for (rule, url, fits) in [
        ("domain:docs.rs", "https://docs.rs/x", true),
        ("domain:docs.rs", "https://DOCS.RS./x", true),
        ("domain:Docs.Rs.", "http://docs.rs:8080/", true),
        ("domain:docs.rs", "https://evil-docs.rs/", false),
        ("domain:docs.rs", "https://sub.docs.rs/", false),
        ("domain:docs.rs", "https://docs.rs.evil.org/", false),
        ("domain:*.x.org", "https://a.x.org/", true),
        ("domain:*.x.org", "https://a.b.x.org/", true),
        ("domain:*.x.org", "https://x.org/", false),
        ("domain:*.x.org", "https://evilx.org/", false),
        ("domain:api-*.x.org", "https://api-1.x.org/", true),
        ("domain:api-*.x.org", "https://api-1.y.x.org/", false),
        ("domain:bücher.example", "https://xn--bcher-kva.example/", true),
        ("domain:127.0.0.1", "http://0x7f.1/", true),
        ("domain:127.0.0.1", "http://2130706433/", true),
        ("domain:::1", "http://[0:0::1]/", true),
        ("domain:*.0.0.1", "http://127.0.0.1/", false),
        ("domain:*", "https://any.org/", true),
        ("domain:*", "http://127.0.0.1/", false),
    ] {
        let scratch = Scratch::new().allow(&format!("WebFetch({rule})"));
        let expected = if fits { Effect::Allow } else { Effect::Ask };
        assert_eq!(scratch.effect(&Call::fetches(url)), expected, "{rule} on {url}");
    }
}

#[test]
fn urls_that_hide_something_are_opaque() {
    let scratch = Scratch::new().allow("WebFetch(domain:*)");
    for url in
        ["https://user@docs.rs/", "file:///etc/passwd", "ht\ntps://docs.rs", "docs.rs", "https://u:p@x"]
    {
        let (decision, grant) = scratch.decide(&Call::fetches(url));
        assert_eq!(decision.effect, Effect::Ask, "{url}");
        assert!(grant.egress.is_empty() && decision.suggestions.is_empty(), "{url}");
    }
    assert_eq!(scratch.effect(&Call::fetches("https://docs.rs")), Effect::Allow);
}

#[test]
fn command_rules_keep_word_boundaries() {
    for (rule, command, fits) in [
        ("npm run test *", "npm run test", true),
        ("npm run test *", "npm run test -- -u", true),
        ("npm run test *", "npm run tester", false),
        ("npm run test:*", "npm run test x", true),
        ("make*", "makeinfo", true),
        ("make *", "makeinfo", false),
        ("git * main", "git checkout main", true),
        ("git * main", "git checkout other", false),
        ("git * main *", "git push main now", true),
        ("make all", "make all", true),
        ("make all", "make all -s", false),
        ("make \\*", "make *", true),
        ("make \\*", "make a", false),
    ] {
        let scratch = Scratch::new().allow(&format!("Bash({rule})"));
        let expected = if fits { Effect::Allow } else { Effect::Ask };
        assert_eq!(scratch.effect(&Call::runs(command)), expected, "{rule} on {command}");
    }
}

#[test]
fn a_denied_command_is_found_in_every_part_and_behind_every_wrapper() {
    let scratch = Scratch::new().deny("Bash(rm *)");
    for command in [
        "rm x",
        "echo a; rm b",
        "ls && rm -rf x",
        "ls\nrm x",
        "FOO=1 rm b",
        "sudo rm b",
        "nice -n 5 rm b",
        "/bin/rm b",
        "env rm b",
        "echo $(rm b)",
        "echo `rm b`",
        "{ rm -rf x; }",
        "(rm x)",
        "\"rm\" x",
        "r\\m x",
        "rm$IFS-rf",
        "rm\tx",
        "find . -exec rm {} +",
    ] {
        assert_eq!(scratch.effect(&Call::runs(command)), Effect::Deny, "{command:?}");
    }
    for command in ["make", "rmdir x", "make arm x"] {
        assert_eq!(scratch.effect(&Call::runs(command)), Effect::Ask, "{command:?}");
    }
    // Whatever tool would run it.
    let other = Call::of("my-shell").subject(Subject::Command { command: "rm x".to_owned() });
    assert_eq!(scratch.effect(&other), Effect::Deny);
}

#[test]
fn a_command_too_long_for_any_system_is_asked_and_never_granted() {
    let scratch = Scratch::new().allow("Bash(make *)");
    for command in
        ["make \0", &format!("make {}", "a".repeat(65_536)), &format!("make ({}", "a ".repeat(1_001))]
    {
        let (decision, grant) = scratch.decide(&Call::runs(command));
        assert_eq!((decision.effect, grant.command), (Effect::Ask, None));
    }
    assert_eq!(scratch.effect(&Call::runs("make a")), Effect::Allow);
}

#[test]
fn a_rule_may_name_any_tool_with_any_content() {
    let tool = || Call::of("my-tool");
    let cases = [
        ("my-tool(src/**)", tool().path("src/x", Access::Write, Extent::File), true),
        ("my-tool(src/**)", tool().path("lib/x", Access::Write, Extent::File), false),
        ("my-tool(domain:x.org)", tool().url("https://x.org/", "POST"), true),
        ("my-tool(domain:x.org)", tool().url("https://y.org/", "POST"), false),
        ("my-tool(deploy *)", tool().subject(Subject::Text { text: "deploy staging".into() }), true),
        ("my-tool(deploy *)", tool().subject(Subject::Text { text: "destroy".into() }), false),
        ("mcp__srv", Call::of("mcp__srv__go"), true),
        ("mcp__srv__*", Call::of("mcp__srv__go"), true),
        ("mcp__srv", Call::of("mcp__srvx__go"), false),
        ("mcp__srv__g*", Call::of("mcp__srv__go"), true),
        ("Task", Call::of("Agent"), true),
    ];
    for (rule, call, fits) in cases {
        let allowed = Scratch::new().allow(rule).effect(&call) == Effect::Allow;
        assert_eq!(allowed, fits, "allow {rule}");
        let denied = Scratch::new().deny(rule).effect(&call) == Effect::Deny;
        assert_eq!(denied, fits, "deny {rule}");
    }
    // What a plugin says it was once called tightens, and opens nothing.
    let former = tool().alias("old-tool");
    assert_eq!(Scratch::new().allow("old-tool").effect(&former), Effect::Ask);
    assert_eq!(Scratch::new().deny("old-tool").effect(&former), Effect::Deny);
}

#[test]
fn whole_tool_denies_hide_by_every_name_and_content_denies_do_not() {
    let hides = |rule: &str, names: &[&str]| {
        Scratch::new().deny(rule).policy().hides(names.iter().copied()).is_some()
    };
    for rule in ["Bash", "Bash(*)", "*", "B*", "Old"] {
        assert!(hides(rule, &["Bash", "Old"]), "{rule}");
    }
    for rule in ["Bash(rm *)", "Read", "bash"] {
        assert!(!hides(rule, &["Bash", "Old"]), "{rule}");
    }
}

#[test]
fn rules_that_can_never_match_are_named_with_the_right_spelling() {
    for (rule, hint) in [
        ("Write(src/**)", "`Edit(src/**)`"),
        ("NotebookEdit(a)", "`Edit(a)`"),
        ("MultiEdit(a)", "`Edit(a)`"),
        ("Glob(src/**)", "`Read(src/**)`"),
        ("Read(/etc/**)", "`Read(//etc/**)`"),
        ("Read()", "every call"),
        ("Read(", "Tool(content)"),
        ("Read)", "Tool(content)"),
        ("(x)", "Tool(content)"),
        ("Bash(:*)", "leave out the parentheses"),
        ("Read(!x)", "\\!x"),
        ("WebFetch(https://x.org)", "domain:"),
        ("WebFetch(domain:https://x.org)", "a host alone"),
        ("WebFetch(domain:x.org:80)", "a host alone"),
        ("WebSearch(x)", "every call"),
        ("B*", "name each tool"),
        ("Read(*/../x)", "name the folder"),
        ("Re ad", "one tool"),
    ] {
        let problems = Scratch::new().allow(rule).problems();
        let [problem] = problems.as_slice() else { panic!("{rule}: {problems:?}") };
        assert!(problem.fatal && problem.hint.contains(hint), "{problem}");
    }
    for rule in [
        "Read",
        "Read(*)",
        "Read(src/**)",
        "Write",
        "mcp__a__*",
        "WebFetch(domain:*.x.org)",
        "Read(//tmp/**)",
    ] {
        assert_eq!(Scratch::new().allow(rule).problems(), [], "{rule}");
    }
}

#[test]
fn a_rule_on_an_unknown_tool_is_named_with_the_nearest() {
    let policy = Scratch::new().deny("Grpe").deny("Grep").deny("mcp__later__x").policy();
    let problems = policy.unknown_tools(&["Grep", "Glob"]);
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.hint.contains("`Grep`") && !problem.fatal, "{problem}");
}

fn rule_text() -> impl Strategy<Value = String> {
    let inner = prop_oneof![
        "[a-c/*.~!\\\\\\[\\]{},? -]{0,12}",
        Just("**".to_owned()),
        Just("src/**".to_owned()),
        Just("domain:*.x.org".to_owned()),
        ".{0,20}",
    ];
    let tool = prop_oneof![
        Just("Read"),
        Just("Edit"),
        Just("Write"),
        Just("WebFetch"),
        Just("Bash"),
        Just("my-tool"),
        Just("mcp__s")
    ];
    prop_oneof![
        (tool.clone(), inner).prop_map(|(tool, inner)| format!("{tool}({inner})")),
        tool.prop_map(str::to_owned),
        ".{0,30}",
    ]
}

fn calls() -> Vec<Call> {
    vec![
        Call::reads("a"),
        Call::reads("a/b c"),
        Call::lists("src"),
        Call::writes("src/x"),
        Call::writes("~/b"),
        Call::fetches("https://a.x.org/"),
        Call::runs("a b"),
        Call::of("my-tool").path("a.b", Access::Write, Extent::Tree),
        Call::of("mcp__s__t"),
    ]
}

fn effects(rules: &[(RuleEffect, String)]) -> Vec<Effect> {
    let scratch = rules.iter().fold(Scratch::new(), |scratch, (effect, text)| scratch.rule(*effect, text));
    calls().iter().map(|call| scratch.effect(call)).collect()
}

fn some_rules() -> impl Strategy<Value = Vec<(RuleEffect, String)>> {
    let effect = prop_oneof![Just(RuleEffect::Allow), Just(RuleEffect::Ask), Just(RuleEffect::Deny)];
    prop::collection::vec((effect, rule_text()), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_deny_rule_more_never_allows_more(rules in some_rules(), more in rule_text()) {
        let before = effects(&rules);
        let mut rules = rules;
        rules.push((RuleEffect::Deny, more));
        for (before, after) in before.into_iter().zip(effects(&rules)) {
            prop_assert!(after >= before, "{rules:?}: {before:?} became {after:?}");
        }
    }

    #[test]
    fn an_allow_rule_more_never_lifts_a_deny_or_ask_rule(rules in some_rules(), more in rule_text()) {
        let ruled: Vec<_> = rules.iter().filter(|(effect, _)| *effect != RuleEffect::Allow).cloned().collect();
        let before = effects(&ruled);
        let quiet = effects(&[]);
        let mut all = ruled;
        all.push((RuleEffect::Allow, more));
        for ((before, quiet), after) in before.into_iter().zip(quiet).zip(effects(&all)) {
            prop_assert!(before != Effect::Deny || after == Effect::Deny);
            // What only a rule made an ask stays one.
            prop_assert!(!(before == Effect::Ask && quiet == Effect::Allow) || after == Effect::Ask);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>(), path in any::<String>()) {
        let scratch = Scratch::new();
        let mut options = scratch.options.clone();
        for effect in [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny] {
            for tool in ["Read", "Edit", "WebFetch", "Bash", "x"] {
                options.rules.push(raw(effect, &format!("{tool}({text})"), &scratch.ws()));
            }
            options.rules.push(raw(effect, &text, &scratch.ws()));
        }
        let (policy, _) = Policy::new(&options, &scratch.ws());
        let call = Call::reads(path.as_str());
        let (decision, _) = mortise::permission::prospect(&policy, &call.request());
        prop_assert!(!decision.reason.is_empty());
    }
}
