//! Lays one source over those before it. A source that is not trusted counts only where it tightens: deny and
//! ask rules, tools taken out, lower limits. What it would widen is held back, and said.

use std::path::PathBuf;

use super::layer::{Layer, LimitsLayer, ToolLayer};
use super::places::{Places, followed, variable};
use super::table::Located;
use super::{Config, Level, Limits, PluginFolder, RuleEffect, RuleSource};

const CONCURRENCY: usize = 10;
/// What commands are told of the environment unasked.
const COMMANDS: [&str; 4] = ["PATH", "HOME", "LANG", "TERM"];
/// What a tool's result limit is compared with where no source has set one: the contract's own default.
const RESULT_LIMIT: u32 = 30_000;

/// A configuration in the making.
pub(crate) struct Merged {
    config: Config,
}

/// What one source may do, and what of it was held back.
struct Hold {
    trusted: bool,
    held: Vec<String>,
}

impl Hold {
    /// Whether something that widens may count; if not, it is noted.
    fn lets(&mut self, what: &str, line: u32) -> bool {
        if !self.trusted {
            self.held.push(format!("{what} (line {line})"));
        }
        self.trusted
    }

    /// Lays a limit over the one before: lower always, higher where widening may count.
    fn limit<T: Copy + PartialOrd>(&mut self, what: &str, slot: &mut T, written: Option<Located<T>>) {
        let Some(Located { value, line }) = written else { return };
        if value <= *slot || self.lets(what, line) {
            *slot = value;
        }
    }
}

impl Merged {
    pub(crate) fn new(working_directory: PathBuf, places: &Places) -> Self {
        let mut config = Config { working_directory, ..Config::default() };
        config.permission.home.clone_from(&places.home);
        config.sandbox.limits = Limits::default();
        config.sandbox.cache = places.cache.as_ref().map(|cache| cache.join("compiled"));
        config.sandbox.storage = places.data.as_ref().map(|data| data.join("storage"));
        config.sandbox.process.environment = COMMANDS.into_iter().filter_map(variable).collect();
        config.registry.embedded = true;
        config.registry.state = places.state.as_ref().map(|state| state.join("plugins.json"));
        config.registry.cache = places.cache.as_ref().map(|cache| cache.join("descriptors"));
        config.execution.concurrency = CONCURRENCY;
        if places.home.is_none() {
            let warning = "no home folder was found: nothing is cached or remembered; hint: set HOME";
            config.warnings.push(warning.to_owned());
        }
        Self { config }
    }

    pub(crate) fn add(&mut self, layer: &Layer) {
        let mut hold = Hold { trusted: layer.trusted, held: Vec::new() };
        self.config.files.extend(layer.file.clone());
        self.config.warnings.extend(layer.warnings.iter().cloned());
        for rule in &layer.rules {
            let line = rule.source.line.unwrap_or_default();
            if rule.effect != RuleEffect::Allow || hold.lets("permissions.allow", line) {
                self.config.permission.rules.push(rule.clone());
            }
        }
        if let Some(mode) = layer.mode.as_ref().filter(|mode| hold.lets("permissions.mode", mode.line)) {
            self.set_mode(layer, mode);
        }
        for folder in &layer.additional_directories {
            if hold.lets("permissions.additional-directories", folder.line) {
                self.config.permission.additional_directories.push(followed(&folder.value));
            }
        }
        for origin in &layer.private_origins {
            if hold.lets("permissions.allow-private", origin.line) {
                self.config.permission.private_origins.push(origin.value.clone());
            }
        }
        for folder in &layer.folders {
            if hold.lets("plugins.folders", folder.line) {
                self.add_folder(followed(&folder.value), false);
            }
        }
        for name in &layer.environment {
            if hold.lets("process.environment", name.line) {
                self.config.sandbox.process.environment.extend(variable(&name.value));
            }
        }
        if let Some(unconfined) = &layer.unconfined
            && (!unconfined.value || hold.lets("process.unconfined", unconfined.line))
        {
            self.config.sandbox.process.unconfined = unconfined.value;
        }
        let embedded = &mut self.config.registry.embedded;
        if let Some(said) = layer.embedded.as_ref().filter(|said| said.value != *embedded)
            && (!said.value || hold.lets("plugins.embedded", said.line))
        {
            *embedded = said.value;
        }
        self.add_limits(&mut hold, &layer.limits);
        for (name, tool) in &layer.tools {
            self.add_tool(&mut hold, name, tool);
        }
        self.say_held(layer, hold.held);
    }

    fn set_mode(&mut self, layer: &Layer, mode: &Located<String>) {
        self.config.permission.mode = Some(mode.value.clone());
        self.config.permission.mode_source = Some(RuleSource {
            level: layer.level,
            file: layer.file.clone(),
            line: layer.file.as_ref().map(|_| mode.line),
            root: self.config.working_directory.clone(),
        });
    }

    /// Adds a folder that was named on the command line.
    pub(crate) fn accept_folder(&mut self, path: PathBuf) {
        self.add_folder(path, true);
    }

    fn add_folder(&mut self, path: PathBuf, accepted: bool) {
        let folders = &mut self.config.registry.folders;
        match folders.iter_mut().find(|folder| folder.path == path) {
            Some(folder) => folder.accepted |= accepted,
            None => folders.push(PluginFolder { path, accepted }),
        }
    }

    fn add_limits(&mut self, hold: &mut Hold, said: &LimitsLayer) {
        let limits = &mut self.config.sandbox.limits;
        hold.limit("limits.time", &mut limits.time, said.time.clone());
        hold.limit(
            "limits.introspection-time",
            &mut limits.introspection_time,
            said.introspection_time.clone(),
        );
        hold.limit("limits.memory", &mut limits.memory, said.memory.clone());
        hold.limit("limits.result-bytes", &mut limits.result_bytes, said.result_bytes.clone());
        hold.limit("limits.log-bytes", &mut limits.log_bytes, said.log_bytes.clone());
        hold.limit("limits.handles", &mut limits.handles, said.handles.clone());
        hold.limit("limits.response-bytes", &mut limits.response_bytes, said.response_bytes.clone());
        hold.limit("limits.storage-bytes", &mut limits.storage_bytes, said.storage_bytes.clone());
        let concurrency = said.concurrency.as_ref();
        let concurrency = concurrency.map(|said| Located { value: said.value as usize, line: said.line });
        hold.limit("limits.concurrency", &mut self.config.execution.concurrency, concurrency);
    }

    fn add_tool(&mut self, hold: &mut Hold, name: &str, layer: &ToolLayer) {
        let ceiling = self.config.sandbox.limits;
        let (line, said) = (layer.line, &layer.options);
        let tool = self.config.registry.tools.entry(name.to_owned()).or_default();
        let mut lets = |key: &str| hold.lets(&format!("tools.{name}.{key}"), line);
        match said.enabled {
            Some(false) => tool.enabled = Some(false),
            Some(true) if lets("enabled") => tool.enabled = Some(true),
            _ => {}
        }
        if let Some(concurrent) = layer.concurrent
            && (!concurrent || lets("concurrent"))
        {
            tool.concurrent = concurrent;
        }
        if said.digest.is_some() && lets("digest") {
            tool.digest.clone_from(&said.digest);
        }
        if !(said.files.is_empty() && said.egress.is_empty()) && lets("grant") {
            tool.files.extend(said.files.iter().map(|(path, writable)| (followed(path), *writable)));
            tool.egress.extend(said.egress.iter().cloned());
        }
        if said.config.is_some() && lets("config") {
            tool.config.clone_from(&said.config);
        }
        // What is not said yet stands at the general ceiling; more than that was never to be had.
        let mut limit = |key: &str, slot: &mut Option<u64>, said: Option<u64>, general: u64| {
            if let Some(said) = said
                && (said <= slot.unwrap_or(general) || hold.lets(&format!("tools.{name}.limits.{key}"), line))
            {
                *slot = Some(said);
            }
        };
        let nanoseconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut time = tool.limits.time.map(nanoseconds);
        limit("time", &mut time, said.limits.time.map(nanoseconds), nanoseconds(ceiling.time));
        tool.limits.time = time.map(std::time::Duration::from_nanos);
        limit("memory", &mut tool.limits.memory, said.limits.memory, ceiling.memory);
        let mut result = tool.limits.result.map(u64::from);
        let general = u64::from(RESULT_LIMIT);
        limit("result", &mut result, said.limits.result.map(u64::from), general);
        tool.limits.result = result.and_then(|result| u32::try_from(result).ok());
    }

    fn say_held(&mut self, layer: &Layer, mut held: Vec<String>) {
        let Some(file) = layer.file.as_ref().filter(|_| !held.is_empty()) else { return };
        held.dedup();
        let file = file.display();
        self.config.warnings.push(format!(
            "{file}: not trusted, so only what tightens counts; held back: {}; hint: `--config {file}` uses it \
             now (trusting a folder for good comes with a later version)",
            held.join(", ")
        ));
    }

    /// The configuration, with what no source may take away laid over it once more.
    pub(crate) fn finish(mut self, layers: &[Layer], own: Vec<PathBuf>) -> Config {
        for managed in layers.iter().filter(|layer| layer.level == Level::Managed) {
            let mut hold = Hold { trusted: false, held: Vec::new() };
            self.add_limits(&mut hold, &managed.limits);
            for (name, _) in managed.tools.iter().filter(|(_, tool)| tool.options.enabled == Some(false)) {
                self.config.registry.tools.entry(name.clone()).or_default().enabled = Some(false);
            }
            for tool in self.config.registry.tools.values_mut() {
                let (time, memory) = (&managed.limits.time, &managed.limits.memory);
                cap(&mut tool.limits.time, time.as_ref().map(|time| time.value));
                cap(&mut tool.limits.memory, memory.as_ref().map(|memory| memory.value));
            }
            if managed.embedded.as_ref().is_some_and(|embedded| !embedded.value) {
                self.config.registry.embedded = false;
            }
        }
        let mut forbidden = layers.iter().flat_map(|layer| &layer.forbidden_modes);
        let mode = self.config.permission.mode.as_deref();
        if let Some(mode) = forbidden.find(|forbidden| mode == Some(**forbidden)) {
            self.config.permission.mode = None;
            self.config.permission.mode_source = None;
            self.config
                .warnings
                .push(format!("mode `{mode}` is forbidden by imported settings: `default` is used"));
        }
        let both = own.into_iter().flat_map(|path| [followed(&path), path]);
        let own = &mut self.config.permission.own_files;
        own.extend(both);
        own.sort();
        own.dedup();
        self.config
    }
}

fn cap<T: Copy + Ord>(limit: &mut Option<T>, ceiling: Option<T>) {
    if let (Some(limit), Some(ceiling)) = (limit, ceiling) {
        *limit = (*limit).min(ceiling);
    }
}
