//! Fields of the host's own, the normalised twin, and what a hook's rewrite reverts to.

use mortise::contract::{Field, FieldRole};
use mortise::execution::{Surroundings, observe, revert, strip};
use serde_json::{Value, json};

const AROUND: Surroundings<'static> = Surroundings { working_directory: "/work", home: Some("/home/me") };

fn field(pointer: &str, role: FieldRole) -> Field {
    Field { pointer: pointer.to_owned(), role }
}

fn path(text: &str) -> Value {
    observe(&json!({"p": text}), &[field("/p", FieldRole::Path)], AROUND)["p"].clone()
}

#[test]
fn paths_become_absolute_by_text_alone() {
    for (written, seen) in [
        ("a.txt", "/work/a.txt"),
        ("./x/../a.txt", "/work/a.txt"),
        ("/x//y/./z/", "/x/y/z"),
        ("~", "/home/me"),
        ("~/a", "/home/me/a"),
        ("~other/a", "/work/~other/a"),
        ("../../../etc", "/etc"),
        ("/", "/"),
        ("", ""),
        ("a\0b", "a\0b"),
    ] {
        assert_eq!(path(written), json!(seen), "{written:?}");
    }
    let homeless = Surroundings { home: None, ..AROUND };
    assert_eq!(
        observe(&json!({"p": "~/a"}), &[field("/p", FieldRole::Path)], homeless),
        json!({"p": "/work/~/a"})
    );
}

#[test]
fn urls_have_one_spelling_and_commands_are_untouched() {
    let fields = [field("/u", FieldRole::Url), field("/c", FieldRole::Command)];
    let input = json!({"u": "HTTPS://EXAMPLE.com:443/a/../b", "c": "cat  ./x/../y"});
    assert_eq!(observe(&input, &fields, AROUND), json!({"u": "https://example.com/b", "c": "cat  ./x/../y"}));
    assert_eq!(observe(&json!({"u": "no url"}), &fields, AROUND), json!({"u": "no url"}));
}

#[test]
fn pointers_reach_into_arrays_and_miss_quietly() {
    let fields = [
        field("/files/*/path", FieldRole::Path),
        field("/pair/1", FieldRole::Path),
        field("/a~1b", FieldRole::Path),
        field("nonsense", FieldRole::Path),
    ];
    let input =
        json!({"files": [{"path": "a"}, {"path": 5}, "x", {"path": "b"}], "pair": ["a", "b"], "a/b": "c"});
    let twin = observe(&input, &fields, AROUND);
    assert_eq!(
        twin,
        json!({"files": [{"path": "/work/a"}, {"path": 5}, "x", {"path": "/work/b"}], "pair": ["a", "/work/b"], "a/b": "/work/c"})
    );
}

#[test]
fn what_a_hook_leaves_as_it_saw_it_reverts_and_what_it_changes_does_not() {
    let original = json!({"path": "a", "files": [{"path": "b"}, {"path": "c"}], "n": 1});
    let twin = json!({"path": "/w/a", "files": [{"path": "/w/b"}, {"path": "/w/c"}], "n": 1});
    assert_eq!(revert(&original, &twin, twin.clone()), original);
    let returned =
        json!({"path": "/w/a", "files": [{"path": "/w/b"}, {"path": "/etc/x"}], "n": 2, "new": true});
    let expected = json!({"path": "a", "files": [{"path": "b"}, {"path": "/etc/x"}], "n": 2, "new": true});
    assert_eq!(revert(&original, &twin, returned), expected);
    let shorter = json!({"files": [{"path": "/w/c"}]});
    assert_eq!(revert(&original, &twin, shorter), json!({"files": [{"path": "c"}]}));
}

#[test]
fn fields_of_the_host_are_taken_out_and_others_are_left() {
    let input = json!({"command": "ls", "dangerouslyDisableSandbox": true, "_mortise_grant": {}, "mortise:x": 1, "inner": {"_mortise": 1}});
    let stripped = strip(input);
    assert_eq!(stripped.input, json!({"command": "ls", "inner": {"_mortise": 1}}));
    assert_eq!(stripped.removed, ["dangerouslyDisableSandbox", "_mortise_grant", "mortise:x"]);
    assert_eq!(strip(json!({"a": 1})).removed, Vec::<String>::new());
}
