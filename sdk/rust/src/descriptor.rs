//! Building a descriptor: what a tool says of itself, once.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Descriptor, Field, FieldRole, Loading, Need, OnInterrupt, ResultLimit, schema};

impl Descriptor {
    /// A descriptor that says nothing but name and description: every other answer is the host's fail-closed
    /// default, and the input is any object. [`Tool::describe`](crate::Tool::describe) is handed one.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            aliases: Vec::new(),
            description: description.into(),
            search_hint: None,
            input_schema: schema::ANY_OBJECT.to_owned(),
            output_schema: None,
            fields: Vec::new(),
            enabled: None,
            strict: None,
            idempotent: None,
            result_limit: None,
            loading: None,
            on_interrupt: None,
            previews: None,
            needs: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// The input's schema, from its type.
    #[must_use]
    pub fn input<T: JsonSchema>(self) -> Self {
        Self { input_schema: schema::of_input::<T>(), ..self }
    }

    /// The schema of [`Outcome::structured`](crate::Outcome::structured), from its type, whose root must be an object.
    #[must_use]
    pub fn output<T: JsonSchema>(self) -> Self {
        Self { output_schema: Some(schema::of_output::<T>()), ..self }
    }

    /// The name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// A former name, for old transcripts.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.aliases.push(name.into());
        self
    }

    /// Three to ten words that a search over deferred tools matches.
    #[must_use]
    pub fn search_hint(self, words: impl Into<String>) -> Self {
        Self { search_hint: Some(words.into()), ..self }
    }

    /// Names an input field that holds a path: a field's name, or a JSON Pointer (`/edits/*/file`).
    #[must_use]
    pub fn path_field(self, field: &str) -> Self {
        self.field(field, FieldRole::Path)
    }

    /// Names an input field that holds a URL.
    #[must_use]
    pub fn url_field(self, field: &str) -> Self {
        self.field(field, FieldRole::Url)
    }

    /// Names an input field that holds a command line.
    #[must_use]
    pub fn command_field(self, field: &str) -> Self {
        self.field(field, FieldRole::Command)
    }

    /// Adds one kind of reach to the most this tool will ever want.
    #[must_use]
    pub fn needs(mut self, need: Need) -> Self {
        self.needs.push(need);
        self
    }

    /// Leaves the tool out of the pool.
    #[must_use]
    pub fn disabled(self) -> Self {
        Self { enabled: Some(false), ..self }
    }

    /// Says that the model's grammar may be constrained to the input schema.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: Some(true), ..self }
    }

    /// Says that the same input twice does no more than once.
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self { idempotent: Some(true), ..self }
    }

    /// How many characters of text a result may have before the host stores it and hands over a preview.
    #[must_use]
    pub fn result_limit(self, characters: u32) -> Self {
        Self { result_limit: Some(ResultLimit::Characters(characters)), ..self }
    }

    /// Results are always handed over whole; for tools that bound them themselves.
    #[must_use]
    pub fn unbounded_result(self) -> Self {
        Self { result_limit: Some(ResultLimit::Unbounded), ..self }
    }

    /// The model finds the tool by search first.
    #[must_use]
    pub fn deferred(self) -> Self {
        Self { loading: Some(Loading::Deferred), ..self }
    }

    /// The tool is in the pool from the start, whatever the operator's default.
    #[must_use]
    pub fn always_loaded(self) -> Self {
        Self { loading: Some(Loading::Always), ..self }
    }

    /// The user's interrupt waits until a running call is finished.
    #[must_use]
    pub fn blocks_interrupt(self) -> Self {
        Self { on_interrupt: Some(OnInterrupt::Block), ..self }
    }

    /// Says that [`Tool::preview`](crate::Tool::preview) has something to say.
    #[must_use]
    pub fn previews(self) -> Self {
        Self { previews: Some(true), ..self }
    }

    /// Adds an extension: a name and a JSON value, ignored by hosts that do not know it. A value that cannot be
    /// written as JSON is left out.
    #[must_use]
    pub fn extension(mut self, name: impl Into<String>, value: &impl Serialize) -> Self {
        if let Ok(json) = serde_json::to_string(value) {
            self.extensions.push((name.into(), json));
        }
        self
    }

    fn field(mut self, field: &str, role: FieldRole) -> Self {
        let pointer = if field.starts_with('/') { field.to_owned() } else { format!("/{field}") };
        self.fields.push(Field { pointer, role });
        self
    }
}
