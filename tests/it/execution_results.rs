//! Results: what is handed over whole, what is stored, and that a call survives whatever becomes of it.

use std::os::unix::fs::PermissionsExt as _;

use mortise::contract::Schema;
use mortise::contract::{Blob, Content, Outcome, ResultLimit};
use mortise::execution::{Spill, cap, check_structured};
use serde_json::json;

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

fn only_text(content: &[Content]) -> &str {
    content[0].as_text().unwrap()
}

#[test]
fn a_result_within_its_limit_is_handed_over_whole_and_makes_no_folder() {
    let spill = Spill::new(None);
    // Characters count, not bytes.
    let content = vec![Content::text("é".repeat(10))];
    let capped = cap(content.clone(), ResultLimit::Characters(10), "T", "c1", &spill);
    assert_eq!(capped.content, content);
    assert_eq!((capped.stored, capped.failure, spill.folder()), (None, None, None));
}

#[test]
fn a_large_result_is_stored_whole_and_previewed_with_its_place() {
    let spill = Spill::new(None);
    let text = lines(10_000);
    let capped = cap(vec![Content::text(text.clone())], ResultLimit::Characters(30_000), "T", "c1", &spill);
    let place = capped.stored.unwrap();
    assert_eq!(std::fs::read_to_string(&place).unwrap(), text);
    let shown = only_text(&capped.content);
    assert!(shown.contains(place.to_str().unwrap()));
    assert!(shown.contains("98890 characters (96.6 KiB)"), "{shown}");
    assert!(shown.contains("\nline 0\n") && shown.contains("\nline 9999\n"));
    assert!(shown.chars().count() < 3_000);
    // Cut between lines.
    assert!(
        shown.lines().filter(|line| line.starts_with("line")).all(|line| text.contains(&format!("{line}\n")))
    );
}

#[test]
fn an_unbounded_result_is_never_stored() {
    let spill = Spill::new(None);
    let content = vec![Content::text("x".repeat(1_000_000))];
    assert_eq!(cap(content.clone(), ResultLimit::Unbounded, "T", "c1", &spill).content, content);
    assert_eq!(spill.folder(), None);
}

#[test]
fn text_blocks_count_together_and_blobs_pass() {
    let spill = Spill::new(None);
    let blob = Content::Image(Blob { media_type: "image/png".into(), data: vec![0; 1_000] });
    let content =
        vec![blob.clone(), Content::text("x".repeat(60)), blob.clone(), Content::text("y".repeat(60))];
    assert!(cap(content.clone(), ResultLimit::Characters(120), "T", "c1", &spill).stored.is_none());
    let capped = cap(content, ResultLimit::Characters(119), "T", "c1", &spill);
    assert_eq!(capped.content.len(), 3);
    assert_eq!((&capped.content[0], &capped.content[2]), (&blob, &blob));
    let stored = std::fs::read_to_string(capped.stored.unwrap()).unwrap();
    assert_eq!(stored, format!("{}\n{}", "x".repeat(60), "y".repeat(60)));
}

#[test]
fn stored_results_are_private_and_never_written_over() {
    let configured = tempfile::tempdir().unwrap();
    let spill = Spill::new(Some(configured.path().join("deep/er")));
    let put = |text: &str| {
        cap(vec![Content::text(text)], ResultLimit::Characters(1), "T", "c1", &spill).stored.unwrap()
    };
    let (first, second) = (put("first"), put("second"));
    assert_ne!(first, second);
    assert_eq!(std::fs::read_to_string(&first).unwrap(), "first");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&first), mode(first.parent().unwrap())), (0o600, 0o700));
    assert_eq!(spill.folder().as_deref(), first.parent());
}

#[test]
fn a_call_identity_cannot_name_a_place() {
    let spill = Spill::new(None);
    for call in ["../../etc/passwd", "/abs", "", "..", "a\0b", "ü/ü", &"x".repeat(5_000)] {
        let capped = cap(vec![Content::text("long")], ResultLimit::Characters(1), "T", call, &spill);
        assert_eq!(capped.stored.unwrap().parent(), spill.folder().as_deref(), "{call:?}");
    }
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target");
    let spill = Spill::new(None);
    let put =
        |call: &str| cap(vec![Content::text("long")], ResultLimit::Characters(1), "T", call, &spill).stored;
    put("first");
    let folder = spill.folder().unwrap();
    std::os::unix::fs::symlink(&target, folder.join("c2.txt")).unwrap();
    assert_eq!(put("c2").unwrap(), folder.join("c2-1.txt"));
    assert!(!target.exists());
}

#[test]
fn a_folder_that_is_gone_or_was_swapped_is_made_anew() {
    let spill = Spill::new(None);
    let put = || cap(vec![Content::text("long")], ResultLimit::Characters(1), "T", "c", &spill).stored;
    let first = put().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::remove_dir_all(first.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(outside.path(), first.parent().unwrap()).unwrap();
    let second = put().unwrap();
    assert_ne!(first.parent(), second.parent());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    // The link goes with the folder it stood for; what it led to stays.
    assert!(outside.path().exists());
}

#[test]
fn a_result_that_cannot_be_stored_is_cut_with_a_note_and_the_call_succeeds() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let spill = Spill::new(Some(file.path().join("below-a-file")));
    let capped = cap(vec![Content::text(lines(5_000))], ResultLimit::Characters(1_000), "T", "c1", &spill);
    assert_eq!(capped.stored, None);
    assert!(capped.failure.unwrap().contains("could not be stored"));
    let shown = only_text(&capped.content);
    assert!(shown.contains("could not be stored") && shown.contains("line 0") && shown.contains("line 4999"));
    assert!(shown.chars().count() < 2_000);
}

#[test]
fn previews_cut_no_character_in_two_whatever_the_limit() {
    let spill = Spill::new(None);
    for limit in 0..20 {
        let capped = cap(
            vec![Content::text("日本語\n🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂")],
            ResultLimit::Characters(limit),
            "T",
            "c",
            &spill,
        );
        assert!(capped.stored.is_some());
    }
}

#[test]
fn structured_output_is_passed_on_only_if_it_fits() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let schema = Schema::check_output(&schema).unwrap();
    let with = |structured| Outcome { structured, ..Outcome::text("the text") };
    let mut right = with(Some(json!({"n": 1, "more": true})));
    assert_eq!(check_structured(&mut right, &schema, "T"), Ok(()));
    assert_eq!(right.structured, Some(json!({"n": 1, "more": true})));
    for wrong in [None, Some(json!({"n": "1"})), Some(json!([]))] {
        let mut outcome = with(wrong);
        let error = check_structured(&mut outcome, &schema, "T").unwrap_err().to_string();
        assert!(error.contains("`T`"), "{error}");
        assert_eq!((outcome.structured, outcome.content), (None, vec![Content::text("the text")]));
    }
}
