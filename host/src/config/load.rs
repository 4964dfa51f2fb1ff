//! Finds the sources, reads them and lays them over one another: managed file, user file, project file,
//! local file, command line. Later ones add; none takes a deny away.

#![expect(clippy::disallowed_methods, reason = "configuration files are read here and nowhere else")]

use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::file::{self, Standing, unknown_mode};
use super::layer::{Layer, MODES};
use super::merge::Merged;
use super::places::{Places, followed};
use super::table::Located;
use super::{Config, Level, RawRule, RuleEffect, RuleSource, settings};

/// The names of a project's files, the shared one first.
const PROJECT_FILES: [&str; 2] = ["mortise.toml", "mortise.local.toml"];

/// Where configuration comes from, as the command line or an embedding program names it.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Empty: the process's own. Other relative paths start at the process's own, too.
    pub working_directory: PathBuf,
    /// A file that is trusted by being named; `None`: `mortise.toml` upward from the working directory.
    pub config: Option<PathBuf>,
    /// `settings.json` files, trusted by being named.
    pub settings: Vec<PathBuf>,
    /// Plugin folders, accepted by being named.
    pub plugins: Vec<PathBuf>,
    /// Rules.
    pub allow: Vec<String>,
    /// Rules.
    pub ask: Vec<String>,
    /// Rules.
    pub deny: Vec<String>,
    /// A permission mode by name.
    pub mode: Option<String>,
    /// Leaves the core tools out of the pool.
    pub no_embedded: bool,
    /// `None`: [`Places::of_this_machine`].
    pub places: Option<Places>,
}

/// Reads every source and resolves them into one [`Config`]. Called once, before anything runs.
///
/// # Errors
/// A file cannot be read as a whole, holds an unknown key or a value of the wrong type, or an option means
/// nothing. Nothing may run then.
pub fn load(sources: &Sources) -> Result<Config, ConfigError> {
    let places = sources.places.clone().unwrap_or_else(Places::of_this_machine);
    let named = if sources.working_directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &sources.working_directory
    };
    let directory = named
        .canonicalize()
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err(ErrorKind::NotADirectory.into()) })
        .map_err(|source| ConfigError::WorkingDirectory { path: named.to_path_buf(), source })?;
    let reader = Reader { directory: &directory, home: places.home.as_deref() };

    let mut layers = Vec::new();
    if let Some(managed) = &places.managed {
        layers.extend(reader.toml(Level::Managed, true, managed, false)?);
    }
    let user = places.user_file();
    if let Some(user) = &user {
        layers.extend(reader.toml(Level::User, true, user, false)?);
    }
    let project = match &sources.config {
        Some(file) => reader.named_config(&mut layers, file)?,
        None => reader.found_config(&mut layers, user.as_deref())?,
    };
    for file in &sources.settings {
        layers.push(reader.settings(file)?);
    }
    layers.push(reader.command_line(sources)?);

    let mut merged = Merged::new(directory.clone(), &places);
    for layer in &layers {
        merged.add(layer);
    }
    for folder in &sources.plugins {
        merged.accept_folder(followed(&reader.named(folder)));
    }
    let mut own: Vec<PathBuf> = places.own().collect();
    own.extend(sources.config.iter().chain(&sources.settings).map(|file| reader.named(file)));
    for folder in directory.ancestors() {
        own.extend(PROJECT_FILES.map(|name| folder.join(name)));
        own.push(folder.join("mortise.lock"));
    }
    own.extend(settings::files_of(&directory));
    own.extend(project.iter().flat_map(|project| settings::files_of(project)));
    own.extend(places.home.iter().flat_map(|home| settings::files_of(home)));
    own.extend(layers.iter().flat_map(|layer| &layer.folders).map(|folder| folder.value.clone()));
    own.extend(sources.plugins.iter().map(|folder| reader.named(folder)));
    Ok(merged.finish(&layers, own))
}

/// Reads files for one working directory.
#[derive(Clone, Copy)]
struct Reader<'a> {
    directory: &'a Path,
    home: Option<&'a Path>,
}

impl Reader<'_> {
    /// A path that was named on the command line, absolute.
    fn named(self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| self.directory.join(path))
    }

    /// The named file, and what tightens in a local file beside it. Answers the project's folder.
    fn named_config(self, layers: &mut Vec<Layer>, file: &Path) -> Result<Option<PathBuf>, ConfigError> {
        let file = self.named(file);
        layers.extend(self.toml(Level::CommandLine, true, &file, true)?);
        let project = followed(&file).parent().map(Path::to_path_buf);
        let [shared, local] = PROJECT_FILES;
        if file.file_name().is_some_and(|name| name == shared) {
            layers.extend(self.toml(Level::Local, false, &file.with_file_name(local), false)?);
        }
        Ok(project)
    }

    /// The nearest project's files, upward from the working directory. Answers the project's folder.
    fn found_config(
        self,
        layers: &mut Vec<Layer>,
        user: Option<&Path>,
    ) -> Result<Option<PathBuf>, ConfigError> {
        let [shared, local] = PROJECT_FILES;
        // Whatever is not known to be absent ends the search: what cannot be read must not be passed by.
        let there = |file: &Path| !matches!(file.symlink_metadata(), Err(error) if is_absence(&error));
        let is_user = |file: &Path| user.is_some_and(|user| followed(user) == followed(file));
        let holds = |folder: &&Path| {
            let file = folder.join(shared);
            there(&file) && !is_user(&file) || there(&folder.join(local))
        };
        let Some(project) = self.directory.ancestors().find(holds) else { return Ok(None) };
        if !is_user(&project.join(shared)) {
            layers.extend(self.toml(Level::Project, false, &project.join(shared), false)?);
        }
        layers.extend(self.toml(Level::Local, false, &project.join(local), false)?);
        Ok(Some(project.to_path_buf()))
    }

    /// One TOML file; `None` where there is none and it was not named.
    fn toml(
        self,
        level: Level,
        trusted: bool,
        path: &Path,
        named: bool,
    ) -> Result<Option<Layer>, ConfigError> {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if !named && is_absence(&error) => return Ok(None),
            Err(source) => return Err(ConfigError::Read { file: path.to_path_buf(), source }),
        };
        let folder = path.parent().unwrap_or(self.directory);
        let root = if level == Level::Local { self.directory } else { folder };
        file::read(self.standing(level, trusted, path, &followed(root), &followed(folder)), &text).map(Some)
    }

    fn settings(self, file: &Path) -> Result<Layer, ConfigError> {
        let path = self.named(file);
        let text = read_text(&path).map_err(|source| ConfigError::Read { file: path.clone(), source })?;
        let root = followed(path.parent().unwrap_or(self.directory));
        settings::read(self.standing(Level::CommandLine, true, &path, &root, self.directory), &text)
    }

    fn standing<'b>(
        &'b self,
        level: Level,
        trusted: bool,
        file: &'b Path,
        root: &'b Path,
        base: &'b Path,
    ) -> Standing<'b> {
        Standing { level, trusted, file, root, base, home: self.home }
    }

    fn command_line(self, sources: &Sources) -> Result<Layer, ConfigError> {
        let mut layer = Layer::new(Level::CommandLine, None, true);
        let lists = [
            (RuleEffect::Deny, &sources.deny),
            (RuleEffect::Ask, &sources.ask),
            (RuleEffect::Allow, &sources.allow),
        ];
        for (effect, texts) in lists {
            let root = self.directory.to_path_buf();
            let source = RuleSource { level: Level::CommandLine, file: None, line: None, root };
            let rule = |text: &String| RawRule { effect, text: text.clone(), source: source.clone() };
            layer.rules.extend(texts.iter().map(rule));
        }
        if let Some(mode) = &sources.mode {
            if !MODES.contains(&mode.as_str()) {
                return Err(ConfigError::Option { option: "--mode", message: unknown_mode(mode) });
            }
            layer.mode = Some(Located { value: mode.clone(), line: 0 });
        }
        layer.embedded = sources.no_embedded.then_some(Located { value: false, line: 0 });
        Ok(layer)
    }
}

/// Bytes of a configuration file that are read at all.
const MAX_FILE: u64 = 1 << 20;

/// Reads a regular file of bounded size; a device or a pipe in a stranger's folder must not hold up or fill the host.
fn read_text(path: &Path) -> std::io::Result<String> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).map_err(std::io::Error::other)?;
    let file = std::fs::File::options().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    if file.take(MAX_FILE + 1).read_to_string(&mut text)? as u64 > MAX_FILE {
        return Err(std::io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
