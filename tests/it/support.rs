//! What the tests of several layers share: a configuration in a folder of their own, one place for compiled
//! guests, so that each is compiled once for all tests, and hosts with hostile guests.

use std::path::{Path, PathBuf};

use mortise::config::{Config, Level, PluginFolder, RawRule, RuleEffect, RuleSource};
use mortise::contract::Content;
use mortise::execution::{Call, CallResult, Ending};
use mortise::host::Host;
use mortise::registry::State;
use serde_json::{Value, json};

/// A configuration that works in `folder`, with the core tools and no rules. Compiled code and descriptors
/// are kept in the target folder, private to this user.
pub(crate) fn config_in(folder: &Path) -> Config {
    let mut config = Config { working_directory: folder.canonicalize().unwrap(), ..Config::default() };
    config.registry.embedded = true;
    config.sandbox.cache = Some(caches().join("compiled"));
    config.registry.cache = Some(caches().join("descriptors"));
    config
}

/// Where tests keep what is costly to make. The name is what the binary makes of [`cache_home`].
pub(crate) fn caches() -> PathBuf {
    cache_home().join("mortise")
}

/// `XDG_CACHE_HOME` of the binary under test.
pub(crate) fn cache_home() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("caches")
}

/// The text that a model would read.
pub(crate) fn text_of(result: &CallResult) -> String {
    result.content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
}

/// A component of `tests/guests`, or the smallest plugin, as it was built.
pub(crate) fn guest(name: &str) -> Vec<u8> {
    let built = Path::new(env!("MORTISE_TEST_GUESTS"));
    let place = if name == "word_count" { built.to_path_buf() } else { built.join("examples") };
    std::fs::read(place.join(format!("{name}.wasm"))).unwrap()
}

/// The guest `describes`, told what to say of itself.
pub(crate) fn describing(mode: &str) -> Vec<u8> {
    let told = format!("mortise-test-mode={mode:<16}");
    replaced(&guest("describes"), "mortise-test-mode=sound           ", &told)
}

/// The bytes with every occurrence of a text replaced by one of the same length, so that nothing moves.
pub(crate) fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len(), "the same length, or sizes inside would be wrong");
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let mut bytes = bytes.to_vec();
    let mut found = 0;
    for at in 0..=bytes.len() - old.len() {
        if bytes[at..].starts_with(old) {
            bytes[at..at + old.len()].copy_from_slice(new);
            found += 1;
        }
    }
    assert!(found > 0, "there is nothing to replace");
    bytes
}

/// A component with one more core module in it, which is instantiated beside the others.
pub(crate) fn with_core_module(component: &[u8], sections: &[u8]) -> Vec<u8> {
    let mut modules = 0;
    let mut at = 8;
    while at < component.len() {
        let id = component[at];
        let (size, length) = read_leb(&component[at + 1..]);
        modules += u32::from(id == 1);
        at += 1 + length + size as usize;
    }
    let module = [b"\0asm\x01\0\0\0", sections].concat();
    let instance = [&[1, 0][..], &leb(modules), &[0]].concat();
    [component, &section(1, &module), &section(2, &instance)].concat()
}

/// One section of a binary: its kind, its size, its content.
pub(crate) fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id][..], &leb(u32::try_from(content.len()).unwrap()), content].concat()
}

/// An unsigned number as the binary format has it.
pub(crate) fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = u8::try_from(number & 0x7f).unwrap();
        number >>= 7;
        if number == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

fn read_leb(bytes: &[u8]) -> (u32, usize) {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate() {
        number |= u32::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return (number, at + 1);
        }
    }
    panic!("the number has no end");
}

/// A working folder `ws` and a folder of accepted plugins `plugins`, side by side in a folder of their own.
/// `word_count` is always among the plugins, for [`still_serves`].
pub(crate) struct Site {
    _folder: tempfile::TempDir,
    pub(crate) top: PathBuf,
    pub(crate) config: Config,
}

impl Site {
    pub(crate) fn with(guests: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["ws", "plugins"] {
            std::fs::create_dir(top.join(name)).unwrap();
        }
        let mut config = config_in(&top.join("ws"));
        config.registry.embedded = false;
        config.registry.folders = vec![PluginFolder { path: top.join("plugins"), accepted: true }];
        let site = Self { _folder: folder, top, config };
        for name in guests.iter().chain(&["word_count"]) {
            site.plugin(name, &guest(name));
        }
        site
    }

    /// Puts a plugin into the folder, or what passes for one.
    pub(crate) fn plugin(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.top.join("plugins").join(format!("{name}.wasm"));
        std::fs::write(&file, bytes).unwrap();
        file
    }

    pub(crate) fn path(&self, path: &str) -> String {
        self.top.join(path).to_str().unwrap().to_owned()
    }

    pub(crate) fn put(&self, path: &str, content: &str) -> String {
        let file = self.top.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        self.path(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.top.join(path)).unwrap()
    }

    pub(crate) fn rule(&mut self, effect: RuleEffect, text: &str) {
        let root = self.top.join("ws");
        let source = RuleSource { level: Level::CommandLine, file: None, line: None, root };
        self.config.permission.rules.push(RawRule { effect, text: text.to_owned(), source });
    }

    pub(crate) async fn host(&self) -> Host {
        Host::builder().config(self.config.clone()).build().await.unwrap()
    }
}

/// One call of one tool.
pub(crate) async fn call(host: &Host, tool: &str, input: Value) -> CallResult {
    host.call(Call { id: "toolu_1".into(), name: tool.into(), input }).await
}

/// Whatever went before, an ordinary call on the same host works.
pub(crate) async fn still_serves(host: &Host) {
    let counted = call(host, "word_count", json!({"text": "one two three"})).await;
    assert_eq!((counted.ending, text_of(&counted).as_str()), (Ending::Done, "3"), "{counted:#?}");
}

/// The state of the one entry of that name.
#[track_caller]
pub(crate) fn state_of(host: &Host, name: &str) -> State {
    let pool = host.pool();
    let mut found = pool.entries().iter().filter(|entry| entry.name == name);
    let entry = found.next().unwrap_or_else(|| panic!("no `{name}` in {:#?}", pool.entries()));
    assert!(found.next().is_none(), "one `{name}` only: {:#?}", pool.entries());
    entry.state.clone()
}

/// Why the entry of that name is broken.
#[track_caller]
pub(crate) fn broken(host: &Host, name: &str) -> String {
    match state_of(host, name) {
        State::Broken(why) => why,
        other => panic!("`{name}` is not broken but {other:?}"),
    }
}
