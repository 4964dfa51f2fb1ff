//! Assembly: sources are scanned side by side, what they hold is checked, and what passes makes a pool. One
//! broken plugin is listed with its reason and stops nobody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::acceptance::{Acceptance, Standing};
use super::descriptors::Descriptors;
use super::embedded::EMBEDDED;
use super::folder;
use super::names::{NameError, Names};
use super::native::NativeTool;
use super::pool::{Entry, Pool, State};
use super::tool::{Body, Origin, Tool};
use crate::config::{PluginFolder, RegistryOptions};
use crate::contract::{Contract, Descriptor, Loading, Need, Schema};
use crate::permission::Policy;
use crate::sandbox::{Bytes, Component, Engine};

/// Tools of one plugin that are taken.
const MAX_TOOLS: usize = 256;
/// Characters of a description that are taken.
const MAX_DESCRIPTION: usize = 16_384;

/// Where pools come from.
pub struct Registry {
    engine: Engine,
    options: RegistryOptions,
    native: Vec<Arc<dyn NativeTool>>,
    descriptors: Descriptors,
    acceptance: Mutex<Acceptance>,
}

/// A component of some source, or why it is none.
struct Candidate {
    origin: Origin,
    /// Whether its place in the sources is acceptance enough.
    accepted: bool,
    digest: String,
    body: Result<Component, String>,
}

impl Candidate {
    /// Its own name, where no tool of its can be named.
    fn name(&self) -> String {
        match &self.origin {
            Origin::File(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            Origin::Embedded(plugin) => (*plugin).to_owned(),
            Origin::Native => "native".to_owned(),
        }
    }
}

/// What a candidate says it holds.
struct Described {
    candidate: Candidate,
    descriptors: Result<Vec<(Descriptor, Body)>, String>,
}

impl Registry {
    /// A registry over these sources.
    #[must_use]
    pub fn new(engine: Engine, options: RegistryOptions, native: Vec<Arc<dyn NativeTool>>) -> Self {
        let descriptors = Descriptors::open(options.cache.as_deref());
        let acceptance = Mutex::new(Acceptance::open(options.state.as_deref()));
        Self { engine, options, native, descriptors, acceptance }
    }

    /// Scans every source and makes a pool. Errors are entries of it.
    pub async fn assemble(&self, policy: &Policy) -> Pool {
        let candidates = self.candidates().await;
        let described = futures::future::join_all(candidates.into_iter().map(|found| self.described(found)));
        let mut described = described.await;
        described.extend(self.native_tools());
        // Embedded first, then the rest; by name within each, below.
        described.sort_by(|a, b| a.candidate.origin.cmp(&b.candidate.origin));
        let mut draft = Draft { registry: self, policy, names: Names::default(), lines: Vec::new() };
        for plugin in described {
            draft.add(plugin);
        }
        draft.finish()
    }

    /// Records that the operator accepts a tool's present bytes. Takes effect at the next assembly.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn accept(&self, tool: &Tool) -> std::io::Result<()> {
        self.acceptance.lock().unwrap_or_else(PoisonError::into_inner).accept(&tool.descriptor, &tool.digest)
    }

    async fn candidates(&self) -> Vec<Candidate> {
        let mut scans = Vec::new();
        if self.options.embedded {
            let engine = self.engine.clone();
            scans.push(tokio::task::spawn_blocking(move || {
                EMBEDDED.iter().map(|plugin| embedded(&engine, plugin)).collect()
            }));
        }
        let lanes = std::thread::available_parallelism().map_or(2, usize::from);
        for plugins in &self.options.folders {
            match folder::entries(&plugins.path) {
                Ok(files) if files.is_empty() => {}
                Ok(files) => {
                    let lane = files.len().div_ceil(lanes);
                    for files in files.chunks(lane) {
                        let (engine, plugins, files) = (self.engine.clone(), plugins.clone(), files.to_vec());
                        scans.push(tokio::task::spawn_blocking(move || {
                            files.into_iter().map(|file| from_file(&engine, &plugins, file)).collect()
                        }));
                    }
                }
                Err(error) => {
                    let found = broken_folder(plugins, &error);
                    scans.push(tokio::task::spawn_blocking(move || vec![found]));
                }
            }
        }
        let scanned = futures::future::join_all(scans).await;
        scanned.into_iter().flat_map(Result::unwrap_or_default).collect()
    }

    async fn described(&self, candidate: Candidate) -> Described {
        let descriptors = match &candidate.body {
            Err(why) => Err(why.clone()),
            Ok(component) => match self.descriptors.of(component).await {
                Ok(said) => check_all(&said)
                    .map(|()| said.into_iter().map(|one| (one, Body::Plugin(component.clone()))).collect()),
                Err(error) => Err(error.to_string()),
            },
        };
        Described { candidate, descriptors }
    }

    fn native_tools(&self) -> impl Iterator<Item = Described> {
        self.native.iter().map(|tool| {
            let candidate = Candidate {
                origin: Origin::Native,
                accepted: true,
                digest: "native".to_owned(),
                body: Err(String::new()),
            };
            let descriptor = tool.describe();
            let checked = check_all(std::slice::from_ref(&descriptor));
            Described {
                candidate,
                descriptors: checked.map(|()| vec![(descriptor, Body::Native(Arc::clone(tool)))]),
            }
        })
    }
}

fn embedded(engine: &Engine, plugin: &super::embedded::Embedded) -> Candidate {
    let body = Contract::read(plugin.bytes).map_err(|error| error.to_string()).map(|contract| {
        Component::new(engine, &contract, plugin.digest.to_owned(), Bytes::Embedded(plugin.bytes))
    });
    Candidate {
        origin: Origin::Embedded(plugin.name),
        accepted: true,
        digest: plugin.digest.to_owned(),
        body,
    }
}

fn from_file(engine: &Engine, plugins: &PluginFolder, file: std::path::PathBuf) -> Candidate {
    let found = folder::read(&plugins.path, file);
    let mut digest = String::new();
    let body = found.bytes.and_then(|bytes| {
        digest = Component::digest_of(&bytes);
        let contract = Contract::read(&bytes).map_err(|error| error.to_string())?;
        // The bytes are let go: most plugins of a large folder are never called.
        Ok(Component::new(engine, &contract, digest.clone(), Bytes::File(found.file.clone())))
    });
    Candidate { origin: Origin::File(found.file), accepted: plugins.accepted, digest, body }
}

fn broken_folder(plugins: &PluginFolder, error: &std::io::Error) -> Candidate {
    Candidate {
        origin: Origin::File(plugins.path.clone()),
        accepted: plugins.accepted,
        digest: String::new(),
        body: Err(format!("the plugin folder cannot be listed: {error}")),
    }
}

/// What every descriptor of a plugin must be, or the whole plugin is broken.
fn check_all(said: &[Descriptor]) -> Result<(), String> {
    if said.is_empty() {
        return Err("it describes no tool".to_owned());
    }
    if said.len() > MAX_TOOLS {
        return Err(format!("it describes {} tools, and {MAX_TOOLS} is the most", said.len()));
    }
    for tool in said {
        let characters = tool.description.chars().count();
        if characters > MAX_DESCRIPTION {
            return Err(format!(
                "the description of `{}` has {characters} characters, and {MAX_DESCRIPTION} is the most",
                tool.name
            ));
        }
        if tool.description.trim().is_empty() {
            return Err(format!("`{}` has no description, so no model could know when to use it", tool.name));
        }
    }
    Ok(())
}

/// A pool in the making.
struct Draft<'a> {
    registry: &'a Registry,
    policy: &'a Policy,
    names: Names,
    lines: Vec<(bool, Entry, Option<Tool>)>,
}

impl Draft<'_> {
    fn add(&mut self, plugin: Described) {
        let Described { candidate, descriptors } = plugin;
        match descriptors {
            Ok(tools) => {
                for (descriptor, body) in tools {
                    self.add_tool(&candidate, descriptor, body);
                }
            }
            Err(why) => self.add_broken(&candidate, why),
        }
    }

    fn add_broken(&mut self, candidate: &Candidate, why: String) {
        let name = candidate.name();
        let entry = Entry {
            title: name.clone(),
            name,
            description: String::new(),
            input_schema: serde_json::Value::Null,
            source: candidate.origin.to_string(),
            digest: candidate.digest.clone(),
            traits: Vec::new(),
            state: State::Broken(why),
        };
        self.lines.push((false, entry, None));
    }

    fn add_tool(&mut self, candidate: &Candidate, descriptor: Descriptor, body: Body) {
        let options = self.registry.options.tools.get(&descriptor.name).cloned().unwrap_or_default();
        let standing = self.standing(candidate, &descriptor, options.digest.as_deref());
        let mut entry = Entry {
            name: descriptor.name.clone(),
            title: descriptor.title.clone(),
            description: descriptor.description.clone(),
            input_schema: descriptor.input_schema.clone(),
            source: candidate.origin.to_string(),
            digest: candidate.digest.clone(),
            traits: traits(&descriptor, matches!(body, Body::Native(_))),
            state: State::Ready,
        };
        let schemas = Schema::check(&descriptor.input_schema).and_then(|input| {
            Ok((input, descriptor.output_schema.as_ref().map(Schema::check_output).transpose()?))
        });
        // A tool that cannot be called takes no name from one that can.
        let (schema, output_schema) = match schemas {
            Ok(schemas) => schemas,
            Err(error) => return self.push_without(entry, State::Broken(error.to_string())),
        };
        if let Err(error) = self.names.take(&descriptor, &entry.source) {
            if matches!(error, NameError::Malformed(_)) {
                (entry.name, entry.title) = (candidate.name(), candidate.name());
            }
            return self.push_without(entry, State::Broken(error.to_string()));
        }
        if options.enabled == Some(false) {
            return self.push_without(entry, State::Disabled("switched off by the configuration".into()));
        }
        if !descriptor.enabled {
            return self.push_without(entry, State::Disabled("switched off by the plugin".into()));
        }
        if let Some(rule) = self.policy.hides(descriptor.names()) {
            return self.push_without(entry, State::Denied(rule));
        }
        entry.state = match (&standing, descriptor.loading) {
            (Standing::New, _) => State::New,
            (Standing::Changed(difference), _) => State::Changed(difference.clone()),
            (Standing::Accepted, Loading::Deferred) => State::Deferred,
            (Standing::Accepted, Loading::Eager | Loading::Always) => State::Ready,
        };
        let embedded = matches!(candidate.origin, Origin::Embedded(_));
        let tool = Tool {
            descriptor,
            schema,
            output_schema,
            origin: candidate.origin.clone(),
            source: candidate.origin.to_string(),
            digest: candidate.digest.clone(),
            standing,
            options,
            body,
        };
        self.lines.push((embedded, entry, Some(tool)));
    }

    fn standing(&self, candidate: &Candidate, descriptor: &Descriptor, pinned: Option<&str>) -> Standing {
        match pinned {
            Some(digest) if digest == candidate.digest => Standing::Accepted,
            Some(digest) => Standing::Changed(format!("the configuration accepts only `{digest}`")),
            None if candidate.accepted => Standing::Accepted,
            None => self
                .registry
                .acceptance
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .standing(descriptor, &candidate.digest),
        }
    }

    fn push_without(&mut self, mut entry: Entry, state: State) {
        entry.state = state;
        self.lines.push((entry.source.starts_with("embedded:"), entry, None));
    }

    fn finish(mut self) -> Pool {
        self.lines.sort_by(|(a_embedded, a, _), (b_embedded, b, _)| {
            (!a_embedded, &a.name, &a.source).cmp(&(!b_embedded, &b.name, &b.source))
        });
        let mut pool = Pool::default();
        let mut names = HashMap::new();
        for (_, entry, tool) in self.lines {
            if let Some(tool) = tool {
                for name in tool.descriptor.names() {
                    names.insert(name.to_owned(), pool.tools.len());
                }
                pool.tools.push(Arc::new(tool));
            }
            pool.entries.push(entry);
        }
        pool.names = names;
        pool
    }
}

/// What a tool may ever want, in words.
fn traits(descriptor: &Descriptor, native: bool) -> Vec<String> {
    let mut words = Vec::new();
    if native {
        words.push("native".to_owned());
    }
    if descriptor.needs.is_empty() {
        words.push("needs nothing".to_owned());
    } else if !descriptor.may_write() {
        words.push("read-only".to_owned());
    }
    words.extend(descriptor.needs.iter().map(|need| match need {
        Need::ReadFiles => "reads files".to_owned(),
        Need::WriteFiles => "writes files".to_owned(),
        Need::HttpRead(origins) => format!("reads from {}", hosts(origins)),
        Need::HttpWrite(origins) => format!("sends to {}", hosts(origins)),
        Need::RunCommands => "runs commands".to_owned(),
        Need::CallTools(tools) => {
            format!("calls {}", if tools.is_empty() { "any tool".into() } else { tools.join(", ") })
        }
        Need::Secrets(names) => format!("uses secrets {}", names.join(", ")),
        Need::AskUser => "asks the user".to_owned(),
        Need::Storage => "keeps storage".to_owned(),
    }));
    words
}

fn hosts(origins: &[String]) -> String {
    if origins.is_empty() { "hosts it names".to_owned() } else { origins.join(", ") }
}
