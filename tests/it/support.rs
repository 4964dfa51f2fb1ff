//! What the tests of several layers share: a configuration in a folder of their own, and one place for
//! compiled guests, so that each is compiled once for all tests.

use std::path::{Path, PathBuf};

use mortise::config::Config;
use mortise::contract::Content;
use mortise::execution::CallResult;

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
