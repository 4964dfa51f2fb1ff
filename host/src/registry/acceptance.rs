//! Which plugins the operator has accepted: by their bytes. What is new or changed always asks, and gets
//! nothing that was granted to its name before.

#![expect(clippy::disallowed_methods, reason = "it keeps the record of accepted plugins")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::contract::Descriptor;

/// Whether the operator has accepted a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// These very bytes.
    Accepted,
    /// Never seen before.
    New,
    /// Other bytes were accepted; what is different in the descriptor, in words.
    Changed(String),
}

/// What was accepted, kept in one file of the operator's.
#[derive(Debug)]
pub struct Acceptance {
    file: Option<PathBuf>,
    accepted: BTreeMap<String, Record>,
}

/// One accepted tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `sha256:…` of the component that was accepted.
    pub digest: String,
    /// What the tool said of itself then.
    pub descriptor: Descriptor,
}

/// The file as it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    plugins: BTreeMap<String, Record>,
}

impl Acceptance {
    /// Reads the file. One that is not there means that nothing was accepted; one that cannot be read too,
    /// and that is said: it fails closed.
    #[must_use]
    pub fn open(file: Option<&Path>) -> Self {
        Self::read(file).unwrap_or_else(|error| {
            tracing::warn!(file = %file.unwrap_or(Path::new("")).display(), %error, "no plugin counts as accepted: the record cannot be read");
            Self { file: file.map(Path::to_owned), accepted: BTreeMap::new() }
        })
    }

    /// The same for those who would rather not go on without it.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn read(file: Option<&Path>) -> io::Result<Self> {
        let stored = file.map_or_else(|| Ok(Stored::default()), read_if_there)?;
        Ok(Self { file: file.map(Path::to_owned), accepted: stored.plugins })
    }

    /// How a tool of these bytes stands.
    #[must_use]
    pub fn standing(&self, descriptor: &Descriptor, digest: &str) -> Standing {
        match self.accepted.get(&descriptor.name) {
            None => Standing::New,
            Some(record) if record.digest == digest => Standing::Accepted,
            Some(record) => Standing::Changed(difference(&record.descriptor, descriptor)),
        }
    }

    /// What was accepted, by tool name.
    #[must_use]
    pub fn records(&self) -> &BTreeMap<String, Record> {
        &self.accepted
    }

    /// Records that these bytes are accepted under the names of these tools.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn accept(&mut self, tools: &[&Descriptor], digest: &str) -> io::Result<()> {
        self.change(|plugins| {
            for tool in tools {
                let record = Record { digest: digest.to_owned(), descriptor: Descriptor::clone(tool) };
                plugins.insert(tool.name.clone(), record);
            }
        })
    }

    /// Takes back what was accepted under a tool's name, for every tool that was accepted with the same bytes.
    /// Answers their names; none: there is no such record.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn revoke(&mut self, tool: &str) -> io::Result<Vec<String>> {
        let mut revoked = Vec::new();
        self.change(|plugins| {
            let Some(digest) = plugins.get(tool).map(|record| record.digest.clone()) else { return };
            plugins.retain(|name, record| {
                let stays = record.digest != digest;
                if !stays {
                    revoked.push(name.clone());
                }
                stays
            });
        })?;
        Ok(revoked)
    }

    fn change(&mut self, change: impl FnOnce(&mut BTreeMap<String, Record>)) -> io::Result<()> {
        let file = self.file.as_ref().ok_or_else(|| io::Error::other("there is no file to record it in"))?;
        // Read again: another process may have accepted something meanwhile.
        let mut stored = read_if_there(file)?;
        let before = stored.plugins.clone();
        change(&mut stored.plugins);
        if stored.plugins != before {
            write(file, &stored)?;
        }
        self.accepted = stored.plugins;
        Ok(())
    }
}

fn read_if_there(file: &Path) -> io::Result<Stored> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Stored::default()),
        text => serde_json::from_slice(&text?).map_err(io::Error::other),
    }
}

fn write(file: &Path, stored: &Stored) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&serde_json::to_vec_pretty(stored)?)?;
    temporary.persist(file)?;
    Ok(())
}

/// What is different, in words: the fields that changed, and what was added to the needs.
fn difference(old: &Descriptor, new: &Descriptor) -> String {
    let needs = new.needs.iter().filter(|need| !old.needs.contains(need));
    let mut words: Vec<String> = needs.map(|need| format!("also needs {need:?}")).collect();
    let (old, new) = (serde_json::to_value(old), serde_json::to_value(new));
    if let (Ok(serde_json::Value::Object(old)), Ok(serde_json::Value::Object(new))) = (old, new) {
        let changed = new.iter().filter(|(field, value)| old.get(*field) != Some(*value));
        words.extend(changed.map(|(field, _)| format!("{field} changed")));
    }
    if words.is_empty() { "only the code changed".to_owned() } else { words.join(", ") }
}
