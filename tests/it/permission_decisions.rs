//! Decisions: the ladder, the modes, what runs unasked, and the attacks on all of it.

use std::os::unix::fs::symlink;
use std::time::Duration;

use mortise::config::{ToolLimits, ToolOptions};
use mortise::contract::{Access, Extent, Need, Subject, Verdict};
use mortise::permission::{ClassifierOpinion, Effect, HookIntent, prospect};

use crate::permission_cases::{Call, Scratch};

#[test]
fn deny_beats_ask_beats_allow_in_whatever_order() {
    let call = Call::reads("src/x");
    let scratch = Scratch::new().allow("Read(src/**)").ask("Read(src/x)");
    assert_eq!(scratch.effect(&call), Effect::Ask);
    let (decision, _) = Scratch::new().deny("Read(src/**)").ask("Read(src/x)").allow("Read").decide(&call);
    assert_eq!(decision.effect, Effect::Deny);
    assert_eq!(decision.rule.unwrap().text, "Read(src/**)");
    assert_eq!(Scratch::new().allow("Read(src/**)").effect(&call), Effect::Allow);
}

#[test]
fn reading_at_home_runs_unasked_and_elsewhere_is_asked_with_the_line() {
    let mut scratch = Scratch::new();
    assert_eq!(scratch.effect(&Call::reads("src/deep/b.rs")), Effect::Allow);
    assert_eq!(scratch.effect(&Call::lists(".")), Effect::Allow);
    assert_eq!(scratch.effect(&Call::reads("../ws-evil/x")), Effect::Ask);
    let (decision, _) = scratch.decide(&Call::reads("/etc/passwd"));
    assert_eq!(decision.suggestions, ["Read(//etc/passwd)"]);
    // A call that may write is asked, though all it names is read.
    assert_eq!(scratch.effect(&Call::of("t").path("a.rs", Access::Read, Extent::File)), Effect::Ask);
    let outside = scratch.base().join("outside");
    scratch.options.additional_directories.push(outside);
    assert_eq!(scratch.effect(&Call::reads("../outside/secret")), Effect::Allow);
}

#[test]
fn what_is_suggested_allows_and_allows_nothing_else() {
    let calls = [
        Call::reads("../outside/secret"),
        Call::reads("../outside/[a]*{b}?\\c !#x "),
        Call::lists("../outside"),
        Call::lists("/"),
        Call::writes("new (1).rs"),
        Call::fetches("https://x.org/a"),
        Call::runs("make \\* a:*b"),
        Call::of("Skill").subject(Subject::Text { text: "deploy *".into() }),
        Call::of("bare"),
    ];
    for call in calls {
        let (decision, _) = Scratch::new().decide(&call);
        assert_eq!(decision.effect, Effect::Ask, "{decision:?}");
        assert!(!decision.suggestions.is_empty(), "{decision:?}");
        let scratch = Scratch::new();
        // Another scratch, so the suggestions are made anew.
        let lines = scratch.decide(&call).0.suggestions;
        let scratch = lines.iter().fold(scratch, |scratch, line| scratch.allow(line));
        assert_eq!(scratch.problems(), [], "{lines:?}");
        assert_eq!(scratch.effect(&call), Effect::Allow, "{lines:?}");
        for other in [Call::reads("../outside/other"), Call::writes("new"), Call::runs("make x a:b")] {
            let covered = lines.iter().any(|line| line.ends_with("/**)")) && other.answers.read_only;
            assert!(covered || scratch.effect(&other) == Effect::Ask, "{lines:?}");
        }
    }
}

#[test]
fn a_symlink_to_a_denied_file_is_denied_by_both_names() {
    // C1
    let scratch = Scratch::new();
    symlink(scratch.base().join("outside/secret"), scratch.ws().join("link")).unwrap();
    assert_eq!(scratch.effect(&Call::reads("link")), Effect::Ask);
    for rule in ["Read(link)", "Read(../outside/**)", "Read(secret)", "Read(~/../outside/secret)"] {
        let scratch = Scratch::new().deny(rule);
        symlink(scratch.base().join("outside/secret"), scratch.ws().join("link")).unwrap();
        let denied = scratch.effect(&Call::reads("link")) == Effect::Deny;
        // `secret` is a bare name below the working directory only.
        assert_eq!(denied, rule != "Read(secret)", "{rule}");
    }
}

#[test]
fn a_new_file_below_a_linked_folder_is_judged_where_it_would_lie() {
    // C2
    let scratch = Scratch::new().allow("Edit(link/**)").mode("acceptEdits");
    symlink(scratch.base().join("outside"), scratch.ws().join("link")).unwrap();
    assert_eq!(scratch.effect(&Call::writes("link/new")), Effect::Ask, "allow needs both spellings");
    assert_eq!(scratch.effect(&Call::writes("src/new")), Effect::Allow);
    let scratch = scratch.allow("Edit(../outside/**)");
    assert_eq!(scratch.effect(&Call::writes("link/new")), Effect::Allow);
    let scratch = scratch.deny("Edit(../outside/new)");
    assert_eq!(scratch.effect(&Call::writes("link/new")), Effect::Deny);
}

#[test]
fn dot_dot_after_a_symlink_goes_where_the_kernel_goes() {
    let scratch = Scratch::new().deny("Read(~/key)");
    symlink(scratch.base().join("home"), scratch.ws().join("link")).unwrap();
    assert_eq!(scratch.effect(&Call::reads("link/../home/key")), Effect::Deny);
    assert_eq!(scratch.effect(&Call::reads("link/../ws/a.rs")), Effect::Allow);
    symlink("loop", scratch.ws().join("loop")).unwrap();
    assert_eq!(scratch.effect(&Call::reads("loop/x")), Effect::Ask);
}

#[test]
fn a_sibling_with_the_same_beginning_is_outside() {
    // C3, H3
    let scratch = Scratch::new();
    let evil = scratch.base().join("ws-evil/x");
    assert_eq!(scratch.effect(&Call::reads(&evil)), Effect::Ask);
    let allowed = format!("Edit(/{}/**)", scratch.ws().display());
    assert_eq!(scratch.allow(&allowed).effect(&Call::writes(&evil)), Effect::Ask);
}

#[test]
fn a_denied_file_is_denied_in_every_spelling() {
    // C11, C19
    let scratch = Scratch::new();
    let key = scratch.base().join("home/key");
    let scratch = scratch.deny(&format!("Read(/{})", key.display()));
    let absolute = key.to_str().unwrap().to_owned();
    for path in
        ["../home/key", "@../home/key", "~/key", "$HOME/key", "${HOME}/key", "/..//", "src/../../home/KEY"]
    {
        let expected = if path == "/..//" { Effect::Ask } else { Effect::Deny };
        assert_eq!(scratch.effect(&Call::reads(path)), expected, "{path}");
    }
    assert_eq!(scratch.effect(&Call::reads(format!("/{absolute}"))), Effect::Deny);
    assert_eq!(scratch.effect(&Call::writes(&absolute)), Effect::Deny, "a read deny blocks writing");
    for path in ["\\\\host\\share", "\\??\\C:\\x", "C:\\x", "a::$DATA", "a\0b", "a\nb", ""] {
        let (decision, grant) = scratch.decide(&Call::reads(path));
        assert_eq!(decision.effect, Effect::Ask, "{path:?}");
        assert!(grant.files.is_empty() && decision.suggestions.is_empty(), "{path:?}");
    }
}

#[test]
fn the_hosts_own_files_are_never_written_whether_or_not_they_exist() {
    // H21
    let mut scratch = Scratch::new().allow("Edit").allow("Edit(**)").mode("bypassPermissions");
    scratch.options.own_files =
        vec![scratch.ws().join("mortise.toml"), scratch.ws().join("plugins"), scratch.ws().join("src/own")];
    for path in ["mortise.toml", "MORTISE.toml", "plugins/new.wasm", "plugins", "src/own/x/y"] {
        assert_eq!(scratch.effect(&Call::writes(path)), Effect::Deny, "{path}");
    }
    assert_eq!(scratch.effect(&Call::writes("src/new")), Effect::Allow);
    assert_eq!(scratch.effect(&Call::reads("mortise.toml")), Effect::Allow);
}

#[test]
fn a_verdict_only_tightens() {
    // H23
    let verdict = |scratch: Scratch, verdict: Verdict| {
        let mut call = Call::reads("a.rs");
        call.answers.verdict = Some(verdict);
        scratch.effect(&call)
    };
    let bypass = || Scratch::new().allow("Read").mode("bypassPermissions");
    assert_eq!(verdict(bypass(), Verdict::Ask("x".into())), Effect::Ask);
    assert_eq!(verdict(bypass(), Verdict::Deny("x".into())), Effect::Deny);
    assert_eq!(verdict(Scratch::new().deny("Read"), Verdict::Ask("x".into())), Effect::Deny);
    assert_eq!(bypass().effect(&Call::reads("a.rs")), Effect::Allow);
}

#[test]
fn a_call_that_lies_about_reading_is_asked_and_gets_nothing_to_write_with() {
    // H22
    let lie =
        Call::of("liar").read_only().path("a.rs", Access::Write, Extent::File).url("https://x.org", "POST");
    let (decision, grant) = Scratch::new().decide(&lie);
    assert_eq!(decision.effect, Effect::Ask);
    assert!(grant.files.iter().all(|file| file.access == Access::Read) && !grant.files.is_empty());
    assert!(grant.egress.iter().all(|origin| origin.safe_methods) && !grant.egress.is_empty());
    assert_eq!(Scratch::new().mode("plan").effect(&lie), Effect::Deny);
}

#[test]
fn each_mode_decides_what_no_rule_speaks_of() {
    let cases = [
        // mode, read at home, write at home, write elsewhere, protected write, command
        ("default", [Effect::Allow, Effect::Ask, Effect::Ask, Effect::Ask, Effect::Ask]),
        ("acceptEdits", [Effect::Allow, Effect::Allow, Effect::Ask, Effect::Ask, Effect::Ask]),
        ("plan", [Effect::Allow, Effect::Deny, Effect::Deny, Effect::Deny, Effect::Deny]),
        ("auto", [Effect::Allow, Effect::Ask, Effect::Ask, Effect::Ask, Effect::Ask]),
        ("dontAsk", [Effect::Allow, Effect::Deny, Effect::Deny, Effect::Deny, Effect::Deny]),
        ("bypassPermissions", [Effect::Allow; 5]),
    ];
    let calls = [
        Call::reads("a.rs"),
        Call::writes("a.rs"),
        Call::writes("../outside/x"),
        Call::writes(".git/hooks/x"),
        Call::runs("make"),
    ];
    for (mode, expected) in cases {
        let scratch = Scratch::new().mode(mode);
        let found: Vec<Effect> = calls.iter().map(|call| scratch.effect(call)).collect();
        assert_eq!(found, expected, "{mode}");
        // Deny rules hold in all of them.
        let denying = Scratch::new().mode(mode).deny("Read(a.rs)");
        assert_eq!(denying.effect(&calls[0]), Effect::Deny, "{mode}");
    }
    let (decision, _) = Scratch::new().mode("dontAsk").decide(&Call::runs("make"));
    assert!(decision.reason.contains(r#"allow = ["Bash(make)"]"#), "{}", decision.reason);
}

#[test]
fn bypass_still_asks_what_only_a_person_may_approve() {
    let bypass = || Scratch::new().mode("bypassPermissions");
    let mut call = Call::of("AskUserQuestion");
    assert_eq!(bypass().effect(&call), Effect::Allow);
    assert_eq!(bypass().ask("AskUserQuestion").effect(&call), Effect::Ask);
    assert_eq!(bypass().effect(&call.clone().unaccepted()), Effect::Ask);
    call.answers.needs_user = true;
    assert_eq!(bypass().effect(&call), Effect::Ask);
    assert_eq!(Scratch::new().allow("AskUserQuestion").effect(&call), Effect::Ask);
}

#[test]
fn a_tool_that_needs_nothing_runs_unasked_once_accepted() {
    let call = Call::of("word_count").needs(vec![]);
    assert_eq!(Scratch::new().effect(&call), Effect::Allow);
    assert_eq!(Scratch::new().mode("plan").effect(&call), Effect::Allow);
    assert_eq!(Scratch::new().effect(&call.clone().unaccepted()), Effect::Ask);
    assert_eq!(Scratch::new().deny("word_count").effect(&call.clone().unaccepted()), Effect::Deny);
    assert_eq!(Scratch::new().ask("word_*").effect(&call), Effect::Ask);
    // What runs in the host's own process is held by nothing.
    let scratch = Scratch::new();
    let mut request = call.request();
    request.native = true;
    assert_eq!(prospect(&scratch.policy(), &request).0.effect, Effect::Ask);
}

#[test]
fn a_tool_that_names_nothing_is_decided_by_its_name_and_gets_nothing() {
    let call = Call::of("quiet").read_only();
    let (decision, grant) = Scratch::new().decide(&call);
    assert_eq!((decision.effect, decision.suggestions), (Effect::Ask, vec!["quiet".to_owned()]));
    assert!(grant.files.is_empty() && grant.egress.is_empty() && grant.command.is_none());
    assert_eq!(Scratch::new().allow("quiet").effect(&call), Effect::Allow);
}

#[test]
fn every_subject_must_be_allowed_and_any_may_be_denied() {
    let both = Call::of("copy")
        .path("src/a", Access::Read, Extent::File)
        .path("lib/b", Access::Write, Extent::File)
        .url("https://x.org", "GET");
    let scratch = || Scratch::new().allow("Edit(lib/**)");
    assert_eq!(scratch().effect(&both), Effect::Ask);
    assert_eq!(scratch().allow("WebFetch(domain:x.org)").effect(&both), Effect::Allow);
    assert_eq!(scratch().allow("copy").deny("WebFetch(domain:x.org)").effect(&both), Effect::Deny);
    assert_eq!(scratch().allow("copy").ask("Read(src/a)").effect(&both), Effect::Ask);
}

#[test]
fn a_tree_is_allowed_only_by_a_rule_that_covers_all_of_it() {
    let tree = |path: &str| Call::of("t").path(path, Access::Write, Extent::Tree);
    for (rule, path, fits) in [
        ("Edit(src/**)", "src", true),
        ("Edit(src/**)", "src/deep", true),
        ("Edit(src/deep/**)", "src", false),
        ("Edit(src/**/*.rs)", "src", false),
        ("Edit(src)", "src", false),
        ("Edit(src/*)", "src/deep", false),
        ("Edit(**)", ".", true),
        ("Edit(**)", "..", false),
    ] {
        let allowed = Scratch::new().allow(rule).effect(&tree(path)) == Effect::Allow;
        assert_eq!(allowed, fits, "{rule} on {path}");
    }
}

#[test]
fn an_allow_rule_never_opens_what_decides_what_runs_next() {
    let scratch = Scratch::new().allow("Write").allow("Edit(**)").mode("acceptEdits");
    for path in [".git/config", "src/.GIT/hooks/x", ".bashrc", ".npmrc", ".mcp.json", ".bazelrc", ".claude/x"]
    {
        let (decision, _) = scratch.decide(&Call::writes(path));
        assert_eq!(decision.effect, Effect::Ask, "{path}");
        assert!(decision.suggestions.is_empty(), "{path}");
        assert_eq!(scratch.effect(&Call::reads(path)), Effect::Allow, "{path}");
    }
    for path in [".gitignore", "git/x", ".claude/worktrees/a/b", "a.rs"] {
        assert_eq!(scratch.effect(&Call::writes(path)), Effect::Allow, "{path}");
    }
}

#[test]
fn a_hook_can_ask_or_approve_but_never_lift_a_rule() {
    let decide = |scratch: Scratch, call: &Call, hook: HookIntent| {
        let mut request = call.request();
        request.hook = hook;
        prospect(&scratch.policy(), &request).0.effect
    };
    let write = Call::writes("a.rs");
    assert_eq!(decide(Scratch::new(), &write, HookIntent::Allow), Effect::Allow);
    assert_eq!(decide(Scratch::new().deny("Edit(a.rs)"), &write, HookIntent::Allow), Effect::Deny);
    assert_eq!(decide(Scratch::new().ask("Edit(a.rs)"), &write, HookIntent::Allow), Effect::Ask);
    assert_eq!(decide(Scratch::new(), &write.clone().unaccepted(), HookIntent::Allow), Effect::Ask);
    assert_eq!(decide(Scratch::new(), &Call::writes(".git/x"), HookIntent::Allow), Effect::Ask);
    let ask = HookIntent::Ask("why".into());
    assert_eq!(decide(Scratch::new().allow("Write"), &write, ask.clone()), Effect::Ask);
    assert_eq!(decide(Scratch::new().deny("Write"), &write, ask), Effect::Deny);
}

#[test]
fn the_classifier_counts_in_auto_mode_alone() {
    let decide = |mode: &str, opinion| {
        let call = Call::writes("a.rs");
        let mut request = call.request();
        request.classifier = Some(opinion);
        prospect(&Scratch::new().mode(mode).policy(), &request).0.effect
    };
    assert_eq!(decide("auto", ClassifierOpinion::Allow), Effect::Allow);
    assert_eq!(decide("auto", ClassifierOpinion::Deny("x".into())), Effect::Deny);
    assert_eq!(decide("default", ClassifierOpinion::Allow), Effect::Ask);
}

#[test]
fn standing_grants_need_acceptance_and_a_need_and_no_rule_against_them() {
    let options = ToolOptions {
        files: vec![("data".into(), true)],
        egress: vec!["https://api.x.org".into(), "http://127.0.0.1:8080".into()],
        limits: ToolLimits { time: Some(Duration::from_secs(1)), ..ToolLimits::default() },
        ..ToolOptions::default()
    };
    let grant = |mut scratch: Scratch, call: Call| {
        scratch.options.private_origins.push("127.0.0.1:8080".into());
        let mut request = call.request();
        request.options = Some(&options);
        prospect(&scratch.policy(), &request).1
    };
    let call = || Call::of("weather");
    let full = grant(Scratch::new(), call());
    assert_eq!((full.files.len(), full.egress.len()), (1, 2));
    assert_eq!(full.files[0].access, Access::Write);
    assert_eq!(full.egress.iter().filter(|origin| origin.private).count(), 1);
    assert_eq!(full.limits.time, Duration::from_secs(1));
    let none = grant(Scratch::new(), call().unaccepted());
    assert!(none.files.is_empty() && none.egress.is_empty());
    let needy = call().needs(vec![Need::ReadFiles, Need::HttpRead(vec!["https://*.x.org".into()])]);
    let less = grant(Scratch::new(), needy);
    assert_eq!(less.files[0].access, Access::Read);
    assert_eq!((less.egress.len(), less.egress[0].safe_methods), (1, true));
    let ruled = grant(Scratch::new().deny("WebFetch(domain:api.x.org)").ask("Read(data/**)"), call());
    assert_eq!((ruled.files.len(), ruled.egress.len()), (0, 1));
}

#[test]
fn a_grant_holds_no_more_than_needs_and_subjects() {
    let call = Call::of("t")
        .path("a.rs", Access::Write, Extent::File)
        .url("https://x.org/p", "POST")
        .subject(Subject::Command { command: "make".into() });
    let with = |needs| Scratch::new().decide(&call.clone().needs(needs)).1;
    let nothing = with(vec![]);
    assert!(nothing.files.is_empty() && nothing.egress.is_empty() && nothing.command.is_none());
    assert_eq!(with(vec![Need::ReadFiles]).files[0].access, Access::Read);
    assert_eq!(with(vec![Need::WriteFiles]).files[0].access, Access::Write);
    assert!(with(vec![Need::HttpRead(vec![])]).egress[0].safe_methods);
    assert_eq!(with(vec![Need::HttpWrite(vec!["https://y.org".into()])]).egress, []);
    let origin = &with(vec![Need::HttpWrite(vec!["https://x.org:443".into()])]).egress[0];
    assert_eq!((origin.host.as_str(), origin.port, origin.safe_methods), ("x.org", 443, false));
    assert_eq!(with(vec![Need::RunCommands]).command.map(|command| command.line).as_deref(), Some("make"));
    let two = call.clone().subject(Subject::Command { command: "other".into() });
    assert_eq!(Scratch::new().decide(&two).1.command, None);
}
