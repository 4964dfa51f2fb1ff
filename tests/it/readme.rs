//! The README is true: its commands are the ones that are run for every change, its plugin is the example, and what it
//! has a newcomer type works as it says.

use std::path::Path;

use crate::binary::Machine;

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
}

/// The code blocks of that language, in order.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    text.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_two_commands_are_the_ones_that_are_run_for_every_change() {
    let commands = blocks(&file("README.md"), "sh").remove(0);
    let commands: Vec<_> = commands.lines().collect();
    assert_eq!(commands, ["cargo run --release -- demo", "cargo test"]);
    assert!(file(".ci/run").contains("cargo test --locked"));
    assert!(file(".ci/full").contains("cargo run --release --locked -- demo"));
}

#[test]
fn the_plugin_is_the_example() {
    let plugin = blocks(&file("README.md"), "rs").remove(0);
    let example = file("sdk/rust/examples/word_count/src/lib.rs");
    assert_eq!(plugin.trim(), example.split("#[cfg(test)]").next().unwrap().trim());
}

#[test]
fn what_a_newcomer_types_after_building_the_plugin_works() {
    let readme = file("README.md");
    let steps = blocks(&readme, "sh").into_iter().find(|block| block.contains("mkdir plugins")).unwrap();
    let commands: Vec<_> = steps.lines().filter(|line| line.starts_with("mortise ")).collect();
    let [list, call] = commands.as_slice() else { panic!("{commands:?}") };

    let machine = Machine::new();
    machine.plugin("word_count", "project/plugins/word_count.wasm");
    let said = machine.shell(list);
    assert!(said.contains("word_count") && said.contains("ready"), "{said}");
    assert_eq!(machine.shell(call), "2\n");
    assert!(readme.contains("The last line prints `2`."));
}

#[test]
fn every_command_in_the_table_exists_and_no_other() {
    let readme = file("README.md");
    let mut told: Vec<String> = readme
        .lines()
        .filter(|line| line.starts_with("| `mortise "))
        .flat_map(|line| line.split('|').nth(1).unwrap().split('`').skip(1).step_by(2).collect::<Vec<_>>())
        .map(|command| command.split_whitespace().nth(1).unwrap().to_owned())
        .collect();
    told.sort();
    let help = Machine::new().shell("mortise --help");
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut there: Vec<String> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|command| command != "help")
        .collect();
    there.sort();
    assert_eq!(told, there);
}
