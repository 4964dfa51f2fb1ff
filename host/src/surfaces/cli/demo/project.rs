//! The scratch project of the demonstration: what is written into it, and where it is.

#![expect(clippy::disallowed_methods, reason = "it writes the scratch folder of the demonstration")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The file with the mistake, and the same once the turn has been run.
pub(super) const BASKET: &str = include_str!("basket.rs.txt");
pub(super) const FIXED: &str = "//! What is in the basket, and what it comes to.\n\n/// The total of all prices, in cents.\n\
     pub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";
/// What no call may see.
pub(super) const SECRET: &str = "not-a-real-key-4711";

/// Where the parts of the recorded turn name the project.
const PLACEHOLDER: &str = "{project}";

/// A project in a folder of its own, gone when it is dropped unless it is kept.
pub(super) struct Project {
    root: PathBuf,
    folder: Option<tempfile::TempDir>,
}

impl Project {
    pub(super) fn write(keep: bool) -> anyhow::Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("mortise-demo-").tempdir().context("no scratch folder")?;
        // The host speaks of files by where they really are; the temporary folder may be a symlink.
        let root = folder.path().canonicalize()?;
        let folder = if keep {
            let _kept = folder.keep();
            None
        } else {
            Some(folder)
        };
        let key = format!("# signs the total of each receipt\n{SECRET}\n");
        for (name, text) in [
            ("mortise.toml", include_str!("mortise.toml")),
            ("src/basket.rs", BASKET),
            ("src/receipt.rs", include_str!("receipt.rs.txt")),
            ("keys/live.txt", &key),
        ] {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap_or(&root))?;
            fs::write(&file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
        }
        Ok(Self { root, folder })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn kept(&self) -> bool {
        self.folder.is_none()
    }

    /// The recorded turn, about this folder.
    pub(super) fn turn(&self) -> anyhow::Result<String> {
        let root = serde_json::to_string(&self.root)?;
        Ok(include_str!("turn.json").replace(PLACEHOLDER, root.trim_matches('"')))
    }

    /// The edited file as it is on disk.
    pub(super) fn basket(&self) -> anyhow::Result<String> {
        let file = self.path("src/basket.rs");
        fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))
    }

    /// A line for people, the scratch folder's long name left out.
    pub(super) fn shortened(&self, line: &str) -> String {
        let root = self.root.display().to_string();
        line.replace(&format!("{root}/"), "").replace(&root, ".")
    }
}
