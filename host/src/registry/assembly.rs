//! Assembly: what the sources hold is checked, and what passes makes a pool. One broken plugin is listed with its
//! reason and stops nobody.

use std::sync::{Arc, Mutex, PoisonError};

use super::acceptance::{Acceptance, Standing};
use super::catalogue::Catalogue;
use super::descriptors::Descriptors;
use super::names::{NameError, Names};
use super::native::NativeTool;
use super::pool::{Entry, Pool, State};
use super::sources::{Candidate, remember, scan};
use super::tool::{Body, Origin, Tool};
use super::traits::traits;
use crate::config::RegistryOptions;
use crate::contract::{Descriptor, Loading, Schema};
use crate::permission::Policy;
use crate::sandbox::Engine;

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
    catalogue: Arc<Catalogue>,
    acceptance: Mutex<Acceptance>,
}

/// What a candidate says it holds.
struct Described {
    candidate: Candidate,
    descriptors: Result<Vec<(Descriptor, Body)>, String>,
}

impl Described {
    /// What there is to remember.
    fn said(&self) -> Option<(&Candidate, Vec<&Descriptor>)> {
        let descriptors = self.descriptors.as_ref().ok()?;
        Some((&self.candidate, descriptors.iter().map(|(descriptor, _)| descriptor).collect()))
    }
}

impl Registry {
    /// A registry over these sources.
    #[must_use]
    pub fn new(engine: Engine, options: RegistryOptions, native: Vec<Arc<dyn NativeTool>>) -> Self {
        let descriptors = Descriptors::open(options.cache.as_deref());
        let catalogue = Arc::new(Catalogue::open(options.cache.as_deref()));
        let acceptance = Mutex::new(Acceptance::open(options.state.as_deref()));
        Self { engine, options, native, descriptors, catalogue, acceptance }
    }

    /// Scans every source and makes a pool. Errors are entries of it.
    pub async fn assemble(&self, policy: &Policy) -> Pool {
        let candidates = scan(&self.engine, &self.options, &self.catalogue).await;
        let described = futures::future::join_all(candidates.into_iter().map(|found| self.described(found)));
        let mut described = described.await;
        remember(&self.catalogue, &self.options.folders, &described, Described::said);
        described.extend(self.native_tools());
        // Names go to the first who asks: embedded tools, native ones, what the operator has accepted, the rest.
        described.sort_by_cached_key(|plugin| {
            let origin = plugin.candidate.origin.clone();
            (matches!(origin, Origin::File(_)), !self.is_accepted(plugin), origin)
        });
        let mut draft = Draft { registry: self, policy, names: Names::default(), lines: Vec::new() };
        for plugin in described {
            draft.add(plugin);
        }
        draft.finish()
    }

    /// Records that the operator accepts the present bytes of a plugin, whose tools in the pool these are.
    /// Takes effect at the next assembly.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn accept(&self, tools: &[Arc<Tool>]) -> std::io::Result<()> {
        let Some(first) = tools.first() else { return Ok(()) };
        let descriptors: Vec<&Descriptor> = tools.iter().map(|tool| &tool.descriptor).collect();
        self.acceptance.lock().unwrap_or_else(PoisonError::into_inner).accept(&descriptors, &first.digest)
    }

    async fn described(&self, mut candidate: Candidate) -> Described {
        let known = candidate.known.take();
        let descriptors = match &candidate.body {
            Err(why) => Err(why.clone()),
            Ok(component) => {
                let said = match known {
                    Some(said) => Ok(said),
                    None => self.descriptors.of(component).await.map_err(|error| error.to_string()),
                };
                said.and_then(|said| check_all(&said).map(|()| said))
                    .map(|said| said.into_iter().map(|one| (one, Body::Plugin(component.clone()))).collect())
            }
        };
        Described { candidate, descriptors }
    }

    fn is_accepted(&self, plugin: &Described) -> bool {
        let standing = |(tool, _): &(Descriptor, Body)| self.standing(&plugin.candidate, tool);
        let tools = plugin.descriptors.as_ref();
        tools.is_ok_and(|tools| tools.iter().map(standing).all(|standing| standing == Standing::Accepted))
    }

    fn standing(&self, candidate: &Candidate, descriptor: &Descriptor) -> Standing {
        let pinned = self.options.tools.get(&descriptor.name).and_then(|options| options.digest.as_deref());
        match pinned {
            Some(digest) if digest == candidate.digest => Standing::Accepted,
            Some(digest) => Standing::Changed(format!("the configuration accepts only `{digest}`")),
            None if candidate.accepted => Standing::Accepted,
            None => {
                let acceptance = self.acceptance.lock().unwrap_or_else(PoisonError::into_inner);
                acceptance.standing(descriptor, &candidate.digest)
            }
        }
    }

    fn native_tools(&self) -> impl Iterator<Item = Described> {
        self.native.iter().map(|tool| {
            let descriptor = tool.describe();
            let checked = check_all(std::slice::from_ref(&descriptor));
            Described {
                candidate: Candidate::native(),
                descriptors: checked.map(|()| vec![(descriptor, Body::Native(Arc::clone(tool)))]),
            }
        })
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
    lines: Vec<Line>,
}

/// One entry in the making.
struct Line {
    embedded: bool,
    entry: Entry,
    /// What can be called; else the names that are borne by what cannot.
    tool: Result<Tool, Vec<String>>,
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
        self.lines.push(Line { embedded: false, entry, tool: Err(Vec::new()) });
    }

    fn add_tool(&mut self, candidate: &Candidate, descriptor: Descriptor, body: Body) {
        let options = self.registry.options.tools.get(&descriptor.name).cloned().unwrap_or_default();
        let standing = self.registry.standing(candidate, &descriptor);
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
        let names = || descriptor.names().map(str::to_owned).collect();
        // A tool that cannot be called takes no name from one that can.
        let (schema, output_schema) = match schemas {
            Ok(schemas) => schemas,
            Err(error) => return self.push_without(entry, State::Broken(error.to_string()), names()),
        };
        if let Err(error) = self.names.take(&descriptor, &entry.source) {
            if matches!(error, NameError::Malformed(_)) {
                (entry.name, entry.title) = (candidate.name(), candidate.name());
            }
            return self.push_without(entry, State::Broken(error.to_string()), Vec::new());
        }
        if let Some(state) = self.kept_out(&descriptor) {
            return self.push_without(entry, state, names());
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
        self.lines.push(Line { embedded, entry, tool: Ok(tool) });
    }

    /// Why a tool that could be called is not to be. What is said of a former name holds for the present one.
    fn kept_out(&self, descriptor: &Descriptor) -> Option<State> {
        let options = &self.registry.options.tools;
        let off = |name| options.get(name).is_some_and(|options| options.enabled == Some(false));
        if descriptor.names().any(off) {
            return Some(State::Disabled("switched off by the configuration".into()));
        }
        if !descriptor.enabled {
            return Some(State::Disabled("switched off by the plugin".into()));
        }
        self.policy.hides(descriptor.names()).map(State::Denied)
    }

    fn push_without(&mut self, mut entry: Entry, state: State, names: Vec<String>) {
        entry.state = state;
        let embedded = entry.source.starts_with("embedded:");
        self.lines.push(Line { embedded, entry, tool: Err(names) });
    }

    fn finish(mut self) -> Pool {
        self.lines.sort_by(|a, b| {
            let (left, right) = (&a.entry, &b.entry);
            (!a.embedded, &left.name, &left.source).cmp(&(!b.embedded, &right.name, &right.source))
        });
        let mut pool = Pool::default();
        for Line { entry, tool, .. } in self.lines {
            match tool {
                Ok(tool) => {
                    let place = pool.tools.len();
                    pool.names.extend(tool.descriptor.names().map(|name| (name.to_owned(), place)));
                    pool.tools.push(Arc::new(tool));
                }
                Err(names) => {
                    pool.out.extend(names.into_iter().map(|name| (name, pool.entries.len())));
                }
            }
            pool.entries.push(entry);
        }
        pool
    }
}
