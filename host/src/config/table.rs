//! A TOML table that knows its file and the line of each of its values, and refuses keys it does not know.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, Place, nearest};
use super::units;

/// A value and the line it was written on, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) line: u32,
}

/// The text of a file, for turning places in it into lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) file: &'a Path,
    pub(crate) text: &'a str,
}

impl Text<'_> {
    pub(crate) fn line(&self, offset: usize) -> u32 {
        let before = self.text.get(..offset).unwrap_or(self.text);
        u32::try_from(1 + before.matches('\n').count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn place(&self, line: u32) -> Place {
        Place { file: self.file.to_path_buf(), line: Some(line) }
    }
}

/// A table none of whose keys is unknown.
#[derive(Clone)]
pub(crate) struct Table<'a> {
    text: Text<'a>,
    /// Such as `tools.weather`; empty for the file itself.
    name: String,
    table: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// Opens a table that may hold any key: the names in it are the operator's.
    pub(crate) fn open(text: Text<'a>, name: String, table: &'a DeTable<'a>) -> Self {
        Self { text, name, table }
    }

    /// The same table, once it is sure that it holds no other keys than these.
    pub(crate) fn of(self, known: &'static [&'static str]) -> Result<Self, ConfigError> {
        for key in self.table.keys() {
            if !known.contains(&&**key.get_ref()) {
                return Err(ConfigError::UnknownKey {
                    at: self.text.place(self.text.line(key.span().start)),
                    section: if self.name.is_empty() {
                        "the file".to_owned()
                    } else {
                        format!("`[{}]`", self.name)
                    },
                    key: key.get_ref().to_string(),
                    nearest: nearest(key.get_ref(), known),
                    known,
                });
            }
        }
        Ok(self)
    }

    /// The keys with their lines, in no particular order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Located<&'a str>> {
        let text = self.text;
        let located = move |key: &'a Spanned<std::borrow::Cow<'a, str>>| Located {
            value: &**key.get_ref(),
            line: text.line(key.span().start),
        };
        self.table.keys().map(located)
    }

    pub(crate) fn table(&self, key: &str) -> Result<Option<Table<'a>>, ConfigError> {
        self.get(key, "a table", |table, value| {
            let inner = value.get_ref().as_table()?;
            Some(Ok(Table::open(table.text, table.key(key), inner)))
        })
        .map(|found| found.map(|table| table.value))
    }

    pub(crate) fn bool(&self, key: &str) -> Result<Option<Located<bool>>, ConfigError> {
        self.get(key, "true or false", |_, value| value.get_ref().as_bool().map(Ok))
    }

    pub(crate) fn string(&self, key: &str) -> Result<Option<Located<String>>, ConfigError> {
        self.get(key, "a string", |_, value| value.get_ref().as_str().map(|text| Ok(text.to_owned())))
    }

    /// An array of strings, each with its own line.
    pub(crate) fn strings(&self, key: &str) -> Result<Vec<Located<String>>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let expected = "an array of strings";
        let items = value.get_ref().as_array().ok_or_else(|| self.wrong(key, value, expected))?;
        let string = |item: &Spanned<DeValue<'_>>| {
            let text = item.get_ref().as_str().ok_or_else(|| self.wrong(key, item, expected))?;
            Ok(Located { value: text.to_owned(), line: self.text.line(item.span().start) })
        };
        items.iter().map(string).collect()
    }

    pub(crate) fn duration(&self, key: &str) -> Result<Option<Located<Duration>>, ConfigError> {
        self.get(key, "a duration such as `10s`", |_, value| value.get_ref().as_str().map(units::duration))
    }

    /// A size in bytes, as a number or with a unit.
    pub(crate) fn size(&self, key: &str) -> Result<Option<Located<u64>>, ConfigError> {
        self.get(key, "a size such as `64MiB`", |_, value| match value.get_ref() {
            DeValue::String(text) => Some(units::size(text)),
            DeValue::Integer(number) => Some(units::size(number.as_str())),
            _ => None,
        })
    }

    /// A count from 1 to `most`.
    pub(crate) fn count(&self, key: &str, most: u32) -> Result<Option<Located<u32>>, ConfigError> {
        self.get(key, "a whole number", |_, value| {
            let number = value.get_ref().as_integer()?;
            let count = u32::from_str_radix(number.as_str(), number.radix()).ok();
            let count = count.filter(|count| (1..=most).contains(count));
            Some(count.ok_or_else(|| format!("a number from 1 to {most} is needed, not `{number}`")))
        })
    }

    /// The table as JSON, dates as text.
    pub(crate) fn json(&self) -> Result<Value, ConfigError> {
        json_table(self.table)
            .map_err(|message| ConfigError::Value { at: Place { file: self.file(), line: None }, message })
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.text.file.to_path_buf()
    }

    /// An error about the value that stands on this line.
    pub(crate) fn error(&self, line: u32, message: String) -> ConfigError {
        ConfigError::Value { at: self.text.place(line), message }
    }

    /// The full name of a key.
    pub(crate) fn key(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    fn get<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&Self, &'a Spanned<DeValue<'a>>) -> Option<Result<T, String>>,
    ) -> Result<Option<Located<T>>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let line = self.text.line(value.span().start);
        match read(self, value) {
            Some(Ok(value)) => Ok(Some(Located { value, line })),
            Some(Err(message)) => Err(self.error(line, format!("`{}`: {message}", self.key(key)))),
            None => Err(self.wrong(key, value, expected)),
        }
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &'static str) -> ConfigError {
        ConfigError::WrongType {
            at: self.text.place(self.text.line(value.span().start)),
            key: self.key(key),
            expected,
            found: value.get_ref().type_str().to_owned(),
        }
    }
}

fn json_table(table: &DeTable<'_>) -> Result<Value, String> {
    let mut object = Map::new();
    for (key, value) in table {
        object.insert(key.get_ref().to_string(), json(value.get_ref())?);
    }
    Ok(Value::Object(object))
}

fn json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(date) => Value::String(date.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Value::from)
            .map_err(|_| format!("a number does not fit 64 bits: `{number}`"))?,
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| format!("a number has no JSON form: `{number}`"))?,
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| json(item.get_ref())).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => json_table(table)?,
    })
}
