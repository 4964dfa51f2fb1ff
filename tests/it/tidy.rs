//! The house rules that a machine can check: layers, front matter, sizes, words, and that what the front page promises
//! is guarded by tests that exist.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: a layer imports only from those before it.
const LAYERS: [&str; 9] = [
    "config",
    "contract",
    "permission",
    "sandbox",
    "registry",
    "hooks",
    "execution",
    "orchestration",
    "surfaces",
];

/// Lines of a file without its tests.
const LONGEST: usize = 400;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file below `folder`, with its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut ahead = vec![root().join(folder)];
    while let Some(folder) = ahead.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                ahead.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "no source in {folder}");
    found.sort();
    found
}

fn everything() -> Vec<(String, String)> {
    ["host", "sdk", "plugins", "tests"].into_iter().flat_map(sources).collect()
}

/// The part of a file that is not its tests.
fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

fn is_test(name: &str) -> bool {
    name.split('/').any(|part| part == "tests" || part == "it" || part == "benches")
        || name.ends_with("tests.rs")
}

#[test]
fn a_layer_imports_only_from_layers_below_it() {
    let mut wrong = Vec::new();
    for (place, layer) in LAYERS.iter().enumerate() {
        for (name, text) in sources(&format!("host/src/{layer}")) {
            let used = text.split("crate::").skip(1).map(|rest| {
                rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
            });
            for used in used {
                let higher =
                    LAYERS.iter().position(|known| *known == used).is_some_and(|other| other > place);
                let composes = used == "host" && *layer != "surfaces";
                if higher || composes {
                    wrong.push(format!("{name} imports crate::{used}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<_> = everything().into_iter().filter(|(_, text)| !text.starts_with("//! ")).collect();
    let silent: Vec<_> = silent.iter().map(|(name, _)| name).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn no_file_is_longer_than_a_reader_can_hold() {
    let long: Vec<_> = everything()
        .into_iter()
        .filter(|(name, _)| !is_test(name))
        .map(|(name, text)| (without_tests(&text).lines().count(), name))
        .filter(|(lines, _)| *lines > LONGEST)
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn no_type_is_named_for_nothing() {
    let empty = ["Manager", "Handler", "Service", "Helper", "Util", "Utils", "Data", "Info"];
    let mut wrong = Vec::new();
    for (name, text) in everything() {
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            let kinds = ["struct ", "enum ", "trait "];
            let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
            let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if empty.iter().any(|end| word.ends_with(end)) {
                wrong.push(format!("{name}: {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_but_a_surface_writes_to_stdout() {
    let writes = ["println!", "print!(", "io::stdout", "anstream::stdout", "dbg!("];
    let wrong: Vec<_> = sources("host/src")
        .into_iter()
        .filter(|(name, _)| !name.contains("/surfaces/") && !is_test(name))
        .filter(|(_, text)| {
            let text = without_tests(text).replace("eprintln!", "").replace("eprint!", "");
            writes.iter().any(|write| text.contains(write))
        })
        .map(|(name, _)| name)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_pipeline_calls_tools() {
    let may = ["host/src/registry/tool.rs", "host/src/execution/work.rs"];
    let found: Vec<_> = sources("host/src")
        .into_iter()
        .filter(|(_, text)| without_tests(text).contains(".call(visit"))
        .map(|(name, _)| name)
        .collect();
    let mut expected = may.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn each_invariant_names_a_test_that_exists() {
    let front = fs::read_to_string(root().join("host/src/lib.rs")).unwrap();
    let invariants = front.split("# Invariants").nth(1).unwrap().split("\n\n").next().unwrap();
    let tests: String = sources("tests/it").into_iter().map(|(_, text)| text).collect();
    let named: Vec<&str> = invariants
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.contains('_') && !word.contains(['/', ':', '(']))
        .collect();
    assert_eq!(named.len(), 10, "one test for each invariant: {named:?}");
    let missing: Vec<_> = named.iter().filter(|test| !tests.contains(&format!("fn {test}("))).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_path_of_one_call_is_told_the_same_everywhere() {
    let told = |text: &str, margin: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|line| !line.contains("surface → executor → pipeline"));
        let lines = lines.map(|line| line.strip_prefix(margin).unwrap_or(line));
        let lines = lines.take_while(|line| !line.starts_with("```"));
        lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let front = told(&fs::read_to_string(root().join("host/src/lib.rs")).unwrap(), "//!");
    let readme = told(&fs::read_to_string(root().join("README.md")).unwrap(), "");
    let front: Vec<_> = front.into_iter().take_while(|line| !line.starts_with("```")).collect();
    assert_eq!(front, readme);

    let steps: Vec<_> = front
        .iter()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| line.split_whitespace().nth(1).unwrap().to_owned())
        .collect();
    let pipeline = fs::read_to_string(root().join("host/src/execution/pipeline.rs")).unwrap();
    let taken: Vec<_> = pipeline
        .split("trail.step(\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect();
    assert_eq!(taken, steps);
    assert_eq!(steps.len(), 10);
}
