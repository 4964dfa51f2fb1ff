//! The sources of a pool, scanned side by side: the embedded core set and the plugin folders. What is found is a
//! candidate: a component whose names have been checked, or the reason why it is none.
//!
//! Leaves to others: asking candidates what they are (`descriptors`), making a pool of them (`assembly`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::{Catalogue, Record, Records, Stamp};
use super::embedded::{EMBEDDED, Embedded};
use super::folder::{self, Listed};
use super::tool::Origin;
use crate::config::{PluginFolder, RegistryOptions};
use crate::contract::{Contract, Descriptor};
use crate::sandbox::{Bytes, Component, Engine};

/// A component of some source, or why it is none.
pub(super) struct Candidate {
    pub(super) origin: Origin,
    /// Whether its place in the sources is acceptance enough.
    pub(super) accepted: bool,
    pub(super) digest: String,
    pub(super) body: Result<Component, String>,
    /// What it said of itself, where that is known of an unchanged file; until it is taken.
    pub(super) known: Option<Vec<Descriptor>>,
    /// Whether its file is unchanged.
    unchanged: bool,
    /// What to remember of its file.
    checked: Option<(Stamp, Contract)>,
}

impl Candidate {
    /// The embedding program's own tool.
    pub(super) fn native() -> Self {
        Self {
            origin: Origin::Native,
            accepted: true,
            digest: "native".to_owned(),
            body: Err(String::new()),
            known: None,
            unchanged: false,
            checked: None,
        }
    }

    fn embedded(engine: &Engine, plugin: &Embedded) -> Self {
        let component = |contract| {
            Component::new(engine, &contract, plugin.digest.to_owned(), Bytes::Embedded(plugin.bytes))
        };
        Self {
            origin: Origin::Embedded(plugin.name),
            accepted: true,
            digest: plugin.digest.to_owned(),
            body: Contract::read(plugin.bytes).map(component).map_err(|error| error.to_string()),
            known: None,
            unchanged: false,
            checked: None,
        }
    }

    fn broken(file: PathBuf, accepted: bool, digest: String, why: String) -> Self {
        let (body, origin) = (Err(why), Origin::File(file));
        Self { origin, accepted, digest, body, known: None, unchanged: false, checked: None }
    }

    fn from_file(engine: &Engine, folder: &Scan, file: &Path) -> Self {
        let accepted = folder.accepted;
        let broken = |digest, why| Self::broken(file.to_path_buf(), accepted, digest, why);
        let opened = match folder.listed.open(file) {
            Ok(opened) => opened,
            Err(why) => return broken(String::new(), why),
        };
        let stamp = opened.stamp;
        let (digest, contract, known) = match folder.known(file, stamp) {
            Some(Record { digest, contract, descriptors, .. }) => {
                (digest.clone(), contract.clone(), Some(descriptors.clone()))
            }
            None => {
                let bytes = match opened.read() {
                    Ok(bytes) => bytes,
                    Err(why) => return broken(String::new(), why),
                };
                let digest = Component::digest_of(&bytes);
                match Contract::read(&bytes) {
                    Ok(contract) => (digest, contract, None),
                    Err(error) => return broken(digest, error.to_string()),
                }
            }
        };
        // The bytes are let go: most plugins of a large folder are never called.
        let component = Component::new(engine, &contract, digest.clone(), Bytes::File(file.to_path_buf()));
        let checked = Some((stamp, contract));
        Self {
            origin: Origin::File(file.to_path_buf()),
            accepted,
            digest,
            body: Ok(component),
            unchanged: known.is_some(),
            known,
            checked,
        }
    }

    fn lies_in(&self, folder: &Path) -> bool {
        matches!(&self.origin, Origin::File(file) if file.parent() == Some(folder))
    }

    /// Whether there is something to remember that is not known yet.
    fn is_news(&self) -> bool {
        !self.unchanged && self.checked.as_ref().is_some_and(|(stamp, _)| stamp.is_settled())
    }

    /// What to remember of its file, under its name.
    fn record(&self, descriptors: &[&Descriptor]) -> Option<(String, Record)> {
        let Origin::File(file) = &self.origin else { return None };
        let (stamp, contract) = self.checked.as_ref().filter(|(stamp, _)| stamp.is_settled())?;
        let descriptors = descriptors.iter().map(|one| (*one).clone()).collect();
        let (digest, contract) = (self.digest.clone(), contract.clone());
        let name = file.file_name()?.to_str()?.to_owned();
        Some((name, Record { stamp: *stamp, digest, contract, descriptors }))
    }

    /// Its own name, where no tool of its can be named.
    pub(super) fn name(&self) -> String {
        match &self.origin {
            Origin::File(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            Origin::Embedded(plugin) => (*plugin).to_owned(),
            Origin::Native => "native".to_owned(),
        }
    }
}

/// One folder being scanned.
struct Scan {
    listed: Listed,
    accepted: bool,
    records: Records,
}

impl Scan {
    fn known(&self, file: &Path, stamp: Stamp) -> Option<&Record> {
        self.records.get(file.file_name()?.to_str()?).filter(|record| record.stamp == stamp)
    }
}

/// What every source holds, in no particular order.
pub(super) async fn scan(
    engine: &Engine,
    options: &RegistryOptions,
    catalogue: &Arc<Catalogue>,
) -> Vec<Candidate> {
    let mut scans = Vec::new();
    if options.embedded {
        let engine = engine.clone();
        scans.push(tokio::task::spawn_blocking(move || {
            EMBEDDED.iter().map(|plugin| Candidate::embedded(&engine, plugin)).collect()
        }));
    }
    for plugins in &options.folders {
        let (engine, plugins, catalogue) = (engine.clone(), plugins.clone(), Arc::clone(catalogue));
        scans.push(tokio::task::spawn_blocking(move || folder_candidates(&engine, &plugins, &catalogue)));
    }
    let scanned = futures::future::join_all(scans).await;
    scanned.into_iter().flat_map(Result::unwrap_or_default).collect()
}

/// What one folder holds, its files shared out among threads.
fn folder_candidates(engine: &Engine, plugins: &PluginFolder, catalogue: &Catalogue) -> Vec<Candidate> {
    let listed = match folder::list(&plugins.path) {
        Ok(listed) => listed,
        Err(error) => {
            let why = format!("the plugin folder cannot be listed: {error}");
            return vec![Candidate::broken(plugins.path.clone(), plugins.accepted, String::new(), why)];
        }
    };
    let records = catalogue.read(&plugins.path);
    let scan = Scan { listed, accepted: plugins.accepted, records };
    let lanes = std::thread::available_parallelism().map_or(2, usize::from);
    let lane = scan.listed.files.len().div_ceil(lanes).max(1);
    std::thread::scope(|threads| {
        let scan_lane = |files: &'_ [PathBuf]| -> Vec<Candidate> {
            files.iter().map(|file| Candidate::from_file(engine, &scan, file)).collect()
        };
        let lanes: Vec<_> =
            scan.listed.files.chunks(lane).map(|files| threads.spawn(move || scan_lane(files))).collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap_or_default()).collect()
    })
}

/// Remembers what the files of each folder hold, where some of it is news. `described` are candidates that said
/// what they are, and a way to what they said.
pub(super) fn remember<T>(
    catalogue: &Catalogue,
    folders: &[PluginFolder],
    described: &[T],
    said: impl Fn(&T) -> Option<(&Candidate, Vec<&Descriptor>)>,
) {
    for folder in folders {
        let within =
            || described.iter().filter_map(&said).filter(|(candidate, _)| candidate.lies_in(&folder.path));
        if !within().any(|(candidate, _)| candidate.is_news()) {
            continue;
        }
        let records = within().filter_map(|(candidate, descriptors)| candidate.record(&descriptors));
        catalogue.write(&folder.path, &records.collect());
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "it makes a plugin folder")]

    use std::fs;

    use super::*;
    use crate::config::SandboxOptions;

    #[test]
    fn an_unchanged_file_is_not_read_and_a_changed_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("read.wasm");
        fs::write(&file, EMBEDDED[0].bytes).unwrap();
        let plugins = PluginFolder { path: folder.path().to_path_buf(), accepted: true };
        let engine = Engine::new(SandboxOptions::default());
        let cache = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(Some(&cache.path().join("kept")));
        let found = || folder_candidates(&engine, &plugins, &catalogue).remove(0);

        let first = found();
        assert_eq!((first.digest.as_str(), first.unchanged), (EMBEDDED[0].digest, false));
        let (stamp, contract) = first.checked.unwrap();
        let remembered = Record { stamp, contract, digest: "sha256:kept".into(), descriptors: Vec::new() };
        catalogue.write(&plugins.path, &Records::from([("read.wasm".into(), remembered)]));
        assert_eq!(found().digest, "sha256:kept");

        // The same bytes once more: another file by its stamp.
        fs::remove_file(&file).unwrap();
        fs::write(&file, EMBEDDED[0].bytes).unwrap();
        assert_eq!(found().digest, EMBEDDED[0].digest);
    }
}
