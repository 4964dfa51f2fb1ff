//! `mortise.toml`: every key it may hold, read strictly. Unknown keys and wrong types are errors with their
//! line, so that a misspelt deny never passes for a deny.

use std::path::{Path, PathBuf};

use toml::de::DeTable;
use url::Url;

use super::error::{ConfigError, Place, nearest};
use super::layer::{Layer, LimitsLayer, MODES, ToolLayer, absolute};
use super::table::{Located, Table, Text};
use super::{Level, RawRule, RuleEffect, RuleSource, ToolLimits, ToolOptions};

const SECTIONS: &[&str] = &[
    "plugins",
    "permissions",
    "tools",
    "limits",
    "hooks",
    "secrets",
    "servers",
    "process",
    "classifier",
    "pools",
];
/// Sections that are part of the format and not of this version: said aloud, never passed over in silence.
const LATER: &[&str] = &["hooks", "secrets", "servers", "classifier", "pools"];

/// Where a file stands among the sources.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub(crate) level: Level,
    pub(crate) trusted: bool,
    pub(crate) file: &'a Path,
    /// See [`RuleSource::root`].
    pub(crate) root: &'a Path,
    /// What relative paths in it start from.
    pub(crate) base: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

impl Standing<'_> {
    pub(crate) fn rule(&self, effect: RuleEffect, text: String, line: Option<u32>) -> RawRule {
        let (file, root) = (Some(self.file.to_path_buf()), self.root.to_path_buf());
        RawRule { effect, text, source: RuleSource { level: self.level, file, line, root } }
    }

    fn path(&self, table: &Table<'_>, written: &Located<String>) -> Result<Located<PathBuf>, ConfigError> {
        absolute(&written.value, self.base, self.home)
            .map(|value| Located { value, line: written.line })
            .map_err(|message| table.error(written.line, message))
    }
}

/// Reads the text of a `mortise.toml`.
pub(crate) fn read(standing: Standing<'_>, text: &str) -> Result<Layer, ConfigError> {
    let text = Text { file: standing.file, text };
    let document = DeTable::parse(text.text).map_err(|error| ConfigError::Syntax {
        at: Place { file: text.file.to_path_buf(), line: error.span().map(|span| text.line(span.start)) },
        message: error.message().replace('\n', ", "),
    })?;
    let file = Table::open(text, String::new(), document.get_ref()).of(SECTIONS)?;
    let mut layer = Layer::new(standing.level, Some(standing.file.to_path_buf()), standing.trusted);
    for key in file.keys().filter(|key| LATER.contains(&key.value)) {
        layer.warn(Some(key.line), format_args!("section `[{}]` is not read by this version", key.value));
    }
    plugins(&mut layer, standing, &file)?;
    permissions(&mut layer, standing, &file)?;
    process(&mut layer, &file)?;
    if let Some(table) = file.table("limits")? {
        layer.limits = limits(table)?;
    }
    if let Some(tools) = file.table("tools")? {
        for name in tools.keys() {
            let tool = tool(standing, &tools, &name)?;
            layer.tools.insert(name.value.to_owned(), tool);
        }
    }
    Ok(layer)
}

fn plugins(layer: &mut Layer, standing: Standing<'_>, file: &Table<'_>) -> Result<(), ConfigError> {
    let Some(table) = file.table("plugins")? else { return Ok(()) };
    let table = table.of(&["folders", "embedded", "watch"])?;
    for folder in table.strings("folders")? {
        layer.folders.push(standing.path(&table, &folder)?);
    }
    layer.embedded = table.bool("embedded")?;
    if let Some(watch) = table.bool("watch")?.filter(|watch| watch.value) {
        layer.warn(Some(watch.line), "`plugins.watch` is not read by this version: folders are read once");
    }
    Ok(())
}

fn process(layer: &mut Layer, file: &Table<'_>) -> Result<(), ConfigError> {
    let Some(table) = file.table("process")? else { return Ok(()) };
    let table = table.of(&["environment", "unconfined"])?;
    layer.environment = table.strings("environment")?;
    layer.unconfined = table.bool("unconfined")?;
    Ok(())
}

fn permissions(layer: &mut Layer, standing: Standing<'_>, file: &Table<'_>) -> Result<(), ConfigError> {
    let Some(table) = file.table("permissions")? else { return Ok(()) };
    let table = table.of(&["mode", "allow", "ask", "deny", "additional-directories", "allow-private"])?;
    layer.mode = table.string("mode")?;
    if let Some(mode) = layer.mode.as_ref().filter(|mode| !MODES.contains(&mode.value.as_str())) {
        return Err(table.error(mode.line, unknown_mode(&mode.value)));
    }
    let effects = [("deny", RuleEffect::Deny), ("ask", RuleEffect::Ask), ("allow", RuleEffect::Allow)];
    for (key, effect) in effects {
        let rules = table.strings(key)?.into_iter();
        layer.rules.extend(rules.map(|rule| standing.rule(effect, rule.value, Some(rule.line))));
    }
    for folder in table.strings("additional-directories")? {
        layer.additional_directories.push(standing.path(&table, &folder)?);
    }
    for origin in table.strings("allow-private")? {
        if !is_authority(&origin.value) {
            let message = format!("a private origin is `host:port`, not `{}`", origin.value);
            return Err(table.error(origin.line, message));
        }
        layer.private_origins.push(origin);
    }
    Ok(())
}

pub(crate) fn unknown_mode(mode: &str) -> String {
    let hint =
        nearest(mode, MODES).map_or_else(|| format!("one of {}", MODES.join(", ")), |m| format!("`{m}`"));
    format!("unknown mode: `{mode}`; hint: {hint}")
}

fn limits(table: Table<'_>) -> Result<LimitsLayer, ConfigError> {
    let table = table.of(&[
        "time",
        "introspection-time",
        "memory",
        "result-bytes",
        "log-bytes",
        "handles",
        "response-bytes",
        "storage-bytes",
        "concurrency",
    ])?;
    Ok(LimitsLayer {
        time: table.duration("time")?,
        introspection_time: table.duration("introspection-time")?,
        memory: table.size("memory")?,
        result_bytes: table.size("result-bytes")?,
        log_bytes: table.size("log-bytes")?,
        handles: table.count("handles", 1 << 20)?,
        response_bytes: table.size("response-bytes")?,
        storage_bytes: table.size("storage-bytes")?,
        concurrency: table.count("concurrency", 1_024)?,
    })
}

fn tool(standing: Standing<'_>, tools: &Table<'_>, name: &Located<&str>) -> Result<ToolLayer, ConfigError> {
    if !is_tool_name(name.value) {
        let message = format!("not a tool's name (`[A-Za-z][A-Za-z0-9_-]{{0,63}}`): `{}`", name.value);
        return Err(tools.error(name.line, message));
    }
    let wrong = || tools.error(name.line, format!("`tools.{}` takes a table", name.value));
    let table = tools.table(name.value)?.ok_or_else(wrong)?;
    let table = table.of(&["enabled", "concurrent", "digest", "grant", "limits", "config"])?;
    let concurrent = table.bool("concurrent")?.map(|concurrent| concurrent.value);
    let mut options = ToolOptions {
        enabled: table.bool("enabled")?.map(|enabled| enabled.value),
        concurrent: concurrent.unwrap_or_default(),
        config: table.table("config")?.map(|config| config.json()).transpose()?,
        ..ToolOptions::default()
    };
    if let Some(digest) = table.string("digest")? {
        if !is_digest(&digest.value) {
            let message = format!("a digest is `sha256:` and 64 hexadecimal digits, not `{}`", digest.value);
            return Err(table.error(digest.line, message));
        }
        options.digest = Some(digest.value);
    }
    if let Some(grant) = table.table("grant")? {
        standing_grants(&mut options, standing, grant.of(&["files", "egress"])?)?;
    }
    if let Some(limits) = table.table("limits")? {
        let limits = limits.of(&["time", "memory", "result"])?;
        options.limits = ToolLimits {
            time: limits.duration("time")?.map(|time| time.value),
            memory: limits.size("memory")?.map(|memory| memory.value),
            result: limits.count("result", u32::MAX)?.map(|result| result.value),
        };
    }
    Ok(ToolLayer { line: name.line, options, concurrent })
}

fn standing_grants(
    options: &mut ToolOptions,
    standing: Standing<'_>,
    grant: Table<'_>,
) -> Result<(), ConfigError> {
    for file in grant.strings("files")? {
        let (path, writable) = match file.value.rsplit_once(':') {
            Some((path, "read")) => (path.to_owned(), false),
            Some((path, "write")) => (path.to_owned(), true),
            _ => {
                let message = format!(
                    "a grant of files is `PATH:read` or `PATH:write`, not `{}`; hint: `{}:read`",
                    file.value, file.value
                );
                return Err(grant.error(file.line, message));
            }
        };
        let path = standing.path(&grant, &Located { value: path, line: file.line })?;
        options.files.push((path.value, writable));
    }
    for origin in grant.strings("egress")? {
        if !is_origin(&origin.value) {
            let message =
                format!("an origin is `https://host` or `https://host:port`, not `{}`", origin.value);
            return Err(grant.error(origin.line, message));
        }
        options.egress.push(origin.value);
    }
    Ok(())
}

fn is_tool_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn is_digest(digest: &str) -> bool {
    let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.chars().all(hexadecimal))
}

fn is_authority(origin: &str) -> bool {
    let port = origin.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    port.is_some_and(|port| port > 0) && is_origin(&format!("http://{origin}"))
}

/// Whether it is a scheme, a host and perhaps a port: no user, path, query or fragment.
fn is_origin(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let scheme = matches!(url.scheme(), "https" | "http") && url.host_str().is_some();
    bare && scheme && !origin.contains('@') && !origin.ends_with('/')
}
