//! Imported `settings.json`: its `permissions`, leniently where a single entry is wrong and strictly where the
//! whole is, since a file that cannot be read would lose its denies.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::RuleEffect;
use super::error::{ConfigError, Place};
use super::file::{Standing, unknown_mode};
use super::layer::{Layer, MODES, absolute};
use super::table::Located;

#[derive(Deserialize)]
struct Settings {
    #[serde(default)]
    permissions: Permissions,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Fields that serde knows by name, so that one given twice is an error and not half a list of denies.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Permissions {
    allow: Vec<Value>,
    ask: Vec<Value>,
    deny: Vec<Value>,
    default_mode: Option<Value>,
    additional_directories: Vec<Value>,
    disable_bypass_permissions_mode: Option<Value>,
    disable_auto_mode: Option<Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Reads the text of a `settings.json`. Relative folders in it start from the working directory.
pub(crate) fn read(standing: Standing<'_>, text: &str) -> Result<Layer, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let settings: Settings = serde_json::from_str(text).map_err(|error| ConfigError::Syntax {
        at: Place { file: standing.file.to_path_buf(), line: u32::try_from(error.line()).ok() },
        message: error.to_string(),
    })?;
    let lines = Lines::of(text);
    let mut layer = Layer::new(standing.level, Some(standing.file.to_path_buf()), standing.trusted);
    for key in settings.rest.keys().filter(|key| *key != "$schema") {
        layer.warn(lines.key(&[key]), format_args!("`{key}` is not read by this version"));
    }
    let permissions = settings.permissions;
    for key in permissions.rest.keys() {
        let message = format!("`permissions.{key}` is not read by this version");
        layer.warn(lines.key(&["permissions", key]), message);
    }
    let lists = [
        ("deny", RuleEffect::Deny, &permissions.deny),
        ("ask", RuleEffect::Ask, &permissions.ask),
        ("allow", RuleEffect::Allow, &permissions.allow),
    ];
    for (key, effect, entries) in lists {
        let texts = strings(&mut layer, &lines, key, entries);
        layer.rules.extend(texts.into_iter().map(|(text, line)| standing.rule(effect, text, line)));
    }
    for (folder, line) in
        strings(&mut layer, &lines, "additionalDirectories", &permissions.additional_directories)
    {
        match absolute(&folder, standing.base, standing.home) {
            Ok(value) => layer.additional_directories.push(Located { value, line: line.unwrap_or(1) }),
            Err(message) => layer.warn(line, format_args!("skipped: {message}")),
        }
    }
    mode(&mut layer, lines.key(&["permissions", "defaultMode"]), permissions.default_mode);
    let disabled = |value: &Option<Value>| value.as_ref().and_then(Value::as_str) == Some("disable");
    let bypass = disabled(&permissions.disable_bypass_permissions_mode).then_some("bypassPermissions");
    let auto = disabled(&permissions.disable_auto_mode).then_some("auto");
    layer.forbidden_modes.extend(bypass.into_iter().chain(auto));
    Ok(layer)
}

fn mode(layer: &mut Layer, line: Option<u32>, mode: Option<Value>) {
    match mode {
        None => {}
        Some(Value::String(mode)) if MODES.contains(&mode.as_str()) => {
            layer.mode = Some(Located { value: mode, line: line.unwrap_or(1) });
        }
        Some(Value::String(mode)) => layer.warn(line, format_args!("skipped: {}", unknown_mode(&mode))),
        Some(other) => {
            layer.warn(line, format_args!("skipped: `permissions.defaultMode` takes a string, not `{other}`"))
        }
    }
}

/// The strings of a list with their lines; whatever else stands in it is warned about and skipped.
fn strings(layer: &mut Layer, lines: &Lines, key: &str, entries: &[Value]) -> Vec<(String, Option<u32>)> {
    let mut cursor = lines.find(&["permissions", key]);
    let mut texts = Vec::new();
    for entry in entries {
        if let Value::String(text) = entry {
            cursor = cursor.and_then(|after| lines.next(after, text));
            texts.push((text.clone(), cursor.map(|at| lines.line(at))));
        } else {
            let message = format!("skipped: an entry of `permissions.{key}` is a string, not `{entry}`");
            layer.warn(cursor.map(|at| lines.line(at)), message);
        }
    }
    texts
}

/// The string literals of a JSON text in order, each with its line.
///
/// A rule's line is that of the first literal with its text after its list's key: exact for every file whose
/// keys stand before their values, which is all of JSON, unless the same key also stands in an earlier object.
/// Only messages depend on it.
struct Lines {
    literals: Vec<(String, u32)>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let (mut literals, mut line, mut rest) = (Vec::new(), 1, text);
        while let Some(start) = rest.find('"') {
            line += count(&rest[..start]);
            let literal = &rest[start..start + length(&rest[start..])];
            if let Ok(text) = serde_json::from_str(literal) {
                literals.push((text, line));
            }
            rest = &rest[start + literal.len()..];
        }
        Self { literals }
    }

    /// The literal that is the last of these keys, each looked for after the one before.
    fn find(&self, keys: &[&str]) -> Option<usize> {
        let mut at = None;
        for key in keys {
            at = Some(match at {
                None => self.literals.iter().position(|(text, _)| text == key)?,
                Some(after) => self.next(after, key)?,
            });
        }
        at
    }

    fn next(&self, after: usize, text: &str) -> Option<usize> {
        let rest = self.literals.get(after + 1..)?;
        rest.iter().position(|(literal, _)| literal == text).map(|offset| after + 1 + offset)
    }

    fn key(&self, keys: &[&str]) -> Option<u32> {
        self.find(keys).map(|at| self.line(at))
    }

    fn line(&self, at: usize) -> u32 {
        self.literals.get(at).map_or(1, |(_, line)| *line)
    }
}

fn count(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// The bytes of the literal that the text begins with, quotes included.
fn length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The settings files that a folder may hold.
pub(crate) fn files_of(folder: &std::path::Path) -> [PathBuf; 2] {
    [folder.join(".claude/settings.json"), folder.join(".claude/settings.local.json")]
}
