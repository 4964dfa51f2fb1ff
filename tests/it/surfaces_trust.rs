//! What the operator has accepted of plugins: nothing runs unasked out of a configured folder before it was accepted,
//! and nothing that changed since.

use std::path::PathBuf;

use serde_json::Value;

use crate::binary::{Machine, Ran};

/// A machine whose user has configured a plugin folder, which is not the same as naming one.
fn configured() -> Machine {
    let machine = Machine::new();
    let folder = machine.path("plugins");
    std::fs::create_dir(&folder).unwrap();
    machine.write("home/config/mortise/mortise.toml", &format!("[plugins]\nfolders = [{folder:?}]\n"));
    machine
}

fn call(machine: &Machine) -> Ran {
    machine.run(&["call", "registry_changing", "{}"])
}

fn state(machine: &Machine, tool: &str) -> String {
    let listed = machine.run(&["list"]).exits(0).out;
    let row = listed.lines().find(|line| line.starts_with(tool)).unwrap_or_default();
    row.split_whitespace().nth(1).unwrap_or("absent").to_owned()
}

fn record(machine: &Machine) -> PathBuf {
    machine.path("home/state/mortise/plugins.json")
}

#[test]
fn a_new_plugin_asks_until_it_is_accepted() {
    let machine = configured();
    machine.plugin("registry_first", "plugins/changing.wasm");
    assert_eq!(state(&machine, "registry_changing"), "new");
    let asked = call(&machine).exits(3);
    assert!(
        asked.out.is_empty() && asked.err.contains("mortise trust plugin registry_changing"),
        "{asked:#?}"
    );

    let accepted = machine.run(&["trust", "plugin", "registry_changing"]).exits(0);
    let at = |text: &str| accepted.out.find(text).unwrap_or_else(|| panic!("no `{text}` in {accepted:#?}"));
    let shown = [at("plugins/changing.wasm"), at("sha256:"), at("registry_changing"), at("needs nothing")];
    assert!(
        shown.is_sorted() && at("Says which one it is.") < at("accepted until its bytes change"),
        "{accepted:#?}"
    );

    assert_eq!(state(&machine, "registry_changing"), "ready");
    assert_eq!(call(&machine).exits(0).out, "the first\n");
}

#[test]
fn a_plugin_is_accepted_with_all_its_tools() {
    let machine = configured();
    machine.plugin("registry_first", "plugins/changing.wasm");
    machine.plugin("word_count", "plugins/words.wasm");
    machine.run(&["trust", "plugin", "registry_companion"]).exits(0);
    assert_eq!(call(&machine).exits(0).out, "the first\n");
    assert_eq!(machine.run(&["call", "registry_companion", "{}"]).exits(0).out, "the companion\n");
    assert_eq!(state(&machine, "word_count"), "new", "another plugin of the folder is another matter");
}

#[test]
fn other_bytes_under_an_accepted_name_ask_again() {
    let machine = configured();
    machine.plugin("registry_first", "plugins/changing.wasm");
    machine.run(&["trust", "plugin", "registry_changing"]).exits(0);
    call(&machine).exits(0);

    machine.plugin("registry_second", "plugins/changing.wasm");
    let listed = machine.run(&["list"]).exits(0);
    assert_eq!(state(&machine, "registry_changing"), "changed");
    assert!(listed.out.contains("also needs ReadFiles"), "{listed:#?}");
    let asked = call(&machine).exits(3);
    assert!(asked.err.contains("mortise trust plugin registry_changing"), "{asked:#?}");
    // What was granted to the name is suspended, too.
    machine.run(&["call", "registry_changing", "{}", "--allow", "registry_changing"]).exits(3);

    let accepted = machine.run(&["trust", "plugin", "registry_changing"]).exits(0);
    assert!(accepted.out.contains("also needs ReadFiles"), "{accepted:#?}");
    let call = machine.run(&["call", "registry_changing", "{}", "--allow", "registry_changing"]);
    assert_eq!(call.exits(0).out, "the second\n");
    // The bytes of before are others than those accepted now.
    machine.plugin("registry_first", "plugins/changing.wasm");
    assert_eq!(state(&machine, "registry_changing"), "changed");
}

#[test]
fn what_is_accepted_is_listed_and_can_be_taken_back() {
    let machine = configured();
    machine.plugin("registry_first", "plugins/changing.wasm");
    machine.plugin("word_count", "plugins/words.wasm");
    let none = machine.run(&["trust", "--list"]).exits(0);
    assert!(none.out.contains("nothing is accepted"), "{none:#?}");
    machine.run(&["trust", "plugin", "registry_changing"]).exits(0);
    machine.run(&["trust", "plugin", "word_count"]).exits(0);

    let listed = machine.run(&["trust", "--list"]).exits(0);
    let names: Vec<_> = listed.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["registry_changing", "registry_companion", "word_count"]);
    assert!(listed.out.lines().all(|line| line.contains("sha256:")), "{listed:#?}");

    let revoked = machine.run(&["trust", "--revoke", "registry_companion"]).exits(0);
    assert!(revoked.out.contains("registry_changing is no longer accepted"), "{revoked:#?}");
    call(&machine).exits(3);
    assert_eq!(machine.run(&["call", "word_count", r#"{"text":"a b"}"#]).exits(0).out, "2\n");
    let again = machine.run(&["trust", "--revoke", "registry_changing"]).exits(2);
    assert!(again.err.contains("mortise trust --list"), "{again:#?}");
}

#[test]
fn a_plugin_in_a_named_folder_needs_no_acceptance() {
    let machine = Machine::new();
    machine.plugin("registry_first", "plugins/changing.wasm");
    let plugins = machine.path("plugins");
    let plugins = plugins.to_str().unwrap();
    let ran = machine.run(&["call", "registry_changing", "{}", "--plugins", plugins]);
    assert_eq!(ran.exits(0).out, "the first\n");
    let needless = machine.run(&["trust", "plugin", "registry_changing", "--plugins", plugins]).exits(0);
    assert!(needless.out.contains("accepted already"), "{needless:#?}");
    assert!(!record(&machine).exists(), "and nothing is recorded");
}

#[test]
fn a_pinned_digest_is_the_only_one_accepted() {
    let machine = configured();
    machine.plugin("registry_first", "plugins/changing.wasm");
    let plugins = machine.path("plugins");
    let pin = |digest: &str| {
        let text =
            format!("[plugins]\nfolders = [{plugins:?}]\n[tools.registry_changing]\ndigest = \"{digest}\"\n");
        machine.write("home/config/mortise/mortise.toml", &text)
    };
    pin(&format!("sha256:{}", "0".repeat(64)));
    assert_eq!(state(&machine, "registry_changing"), "changed");
    call(&machine).exits(3);
    let refused = machine.run(&["trust", "plugin", "registry_changing"]).exits(2);
    assert!(refused.err.contains("[tools.registry_changing]"), "{refused:#?}");
    assert!(!record(&machine).exists());

    let digest = refused.err.split("digest = \"").nth(1).unwrap().split('"').next().unwrap();
    pin(digest);
    assert_eq!(call(&machine).exits(0).out, "the first\n");
}

#[test]
fn what_is_accepted_is_quoted_and_not_obeyed() {
    let machine = configured();
    machine.plugin("registry_foreign", "plugins/foreign.wasm");
    let ran = machine.run(&["trust", "plugin", "registry_foreign"]).exits(0);
    assert!(ran.out.contains(r"\u{1b}[2J") && ran.out.contains(r"\u{202e}"), "{ran:#?}");
    let hidden = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{200b}');
    assert!(!ran.out.contains(hidden), "{ran:#?}");
}

#[test]
fn only_a_tool_that_is_there_can_be_accepted() {
    let machine = configured();
    machine.write("plugins/broken.wasm", "not a component");
    machine.plugin("registry_former", "plugins/former.wasm");
    let absent = machine.run(&["trust", "plugin", "nobody"]).exits(2);
    assert!(absent.err.contains("mortise list"), "{absent:#?}");
    let broken = machine.run(&["trust", "plugin", "broken"]).exits(4);
    assert!(broken.err.contains("cannot be loaded"), "{broken:#?}");
    let off = machine.run(&["trust", "plugin", "registry_off"]).exits(2);
    assert!(off.err.contains("switched off by the plugin"), "{off:#?}");
    let denied = machine.run(&["trust", "plugin", "registry_present", "--deny", "registry_present"]).exits(2);
    assert!(denied.err.contains("`registry_present`"), "{denied:#?}");
    assert!(!record(&machine).exists());
    for args in [&["trust"][..], &["trust", "plugin"], &["trust", "--list", "--revoke", "a"], &["trust", "."]]
    {
        machine.run(args).exits(2);
    }
}

#[test]
fn a_record_that_cannot_be_read_accepts_nothing_and_is_not_overwritten() {
    let machine = configured();
    machine.plugin("registry_first", "plugins/changing.wasm");
    machine.run(&["trust", "plugin", "registry_changing"]).exits(0);
    let whole = std::fs::read_to_string(record(&machine)).unwrap();
    let cut = &whole[..whole.len() / 2];
    std::fs::write(record(&machine), cut).unwrap();

    let asked = call(&machine).exits(3);
    assert!(asked.err.contains("plugins.json"), "{asked:#?}");
    let refused = machine.run(&["trust", "plugin", "registry_changing"]).exits(2);
    assert!(refused.err.contains("cannot be recorded"), "{refused:#?}");
    assert_eq!(std::fs::read_to_string(record(&machine)).unwrap(), cut);
    machine.run(&["trust", "--list"]).exits(2);
}

#[test]
fn a_projects_own_folder_is_not_even_looked_at() {
    let machine = Machine::new();
    machine.plugin("registry_first", "project/plugins/changing.wasm");
    machine.write("project/mortise.toml", "[plugins]\nfolders = [\"plugins\"]\n");
    machine.run(&["trust", "plugin", "registry_changing"]).exits(2);
    let named = ["trust", "plugin", "registry_changing", "--config", "mortise.toml"];
    machine.run(&named).exits(0);
    let definitions: Value = machine.run(&["list", "--json"]).json();
    assert!(!definitions.to_string().contains("registry_changing"), "accepting a plugin trusts no project");
}
