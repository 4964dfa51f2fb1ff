//! From the generated types to ours and back: where silence becomes a default and nonsense becomes an error.

use serde_json::Value;

use super::bindings::mortise::tool::types as wit;
use super::{
    Access, Activity, Answers, Blob, Content, Descriptor, Embedded, Extent, Failure, Field, FieldRole,
    Invocation, Link, Loading, Message, Need, OnInterrupt, Outcome, PathSubject, Progress, Rejection,
    ResultLimit, Role, Subject, UrlSubject, Verdict, bytes,
};

/// What a guest said that the contract does not allow; the text names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Nonsense(pub String);

/// Bytes of one JSON document that is read: what is read takes many times as much memory as its text.
const MAX_JSON: usize = 4 << 20;

/// Reads a JSON document that a guest handed over as text.
fn json(what: &str, text: &str) -> Result<Value, Nonsense> {
    if text.len() > MAX_JSON {
        let size = bytes(text.len() as u64);
        return Err(Nonsense(format!("its {what} has {size}, and {} is the most", bytes(MAX_JSON as u64))));
    }
    serde_json::from_str(text).map_err(|error| Nonsense(format!("its {what} is not valid JSON: {error}")))
}

fn as_json(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

fn optional_json(what: &str, text: Option<String>) -> Result<Option<Value>, Nonsense> {
    text.map(|text| json(what, &text)).transpose()
}

impl TryFrom<wit::Descriptor> for Descriptor {
    type Error = Nonsense;

    fn try_from(said: wit::Descriptor) -> Result<Self, Nonsense> {
        let schema = json("input schema", &said.input_schema)?;
        let silent = Self::new(said.name, said.description, schema);
        Ok(Self {
            title: said.title.unwrap_or(silent.title),
            aliases: said.aliases,
            search_hint: said.search_hint,
            output_schema: optional_json("output schema", said.output_schema)?,
            fields: said.fields.into_iter().map(Field::from).collect(),
            enabled: said.enabled.unwrap_or(silent.enabled),
            strict: said.strict.unwrap_or(silent.strict),
            idempotent: said.idempotent.unwrap_or(silent.idempotent),
            result_limit: said.result_limit.map_or(silent.result_limit, ResultLimit::from),
            loading: said.loading.map_or(silent.loading, Loading::from),
            on_interrupt: said.on_interrupt.map_or(silent.on_interrupt, OnInterrupt::from),
            previews: said.previews.unwrap_or(silent.previews),
            needs: said.needs.into_iter().map(Need::try_from).collect::<Result<_, _>>()?,
            ..Self::new(silent.name, silent.description, silent.input_schema)
        })
    }
}

impl From<wit::Field> for Field {
    fn from(field: wit::Field) -> Self {
        let role = match field.role {
            wit::FieldRole::Path => FieldRole::Path,
            wit::FieldRole::Url => FieldRole::Url,
            wit::FieldRole::Command => FieldRole::Command,
        };
        Self { pointer: field.pointer, role }
    }
}

impl From<wit::ResultLimit> for ResultLimit {
    fn from(limit: wit::ResultLimit) -> Self {
        match limit {
            wit::ResultLimit::Characters(characters) => Self::Characters(characters),
            wit::ResultLimit::Unbounded => Self::Unbounded,
        }
    }
}

impl From<wit::Loading> for Loading {
    fn from(loading: wit::Loading) -> Self {
        match loading {
            wit::Loading::Eager => Self::Eager,
            wit::Loading::Deferred => Self::Deferred,
            wit::Loading::Always => Self::Always,
        }
    }
}

impl From<wit::OnInterrupt> for OnInterrupt {
    fn from(said: wit::OnInterrupt) -> Self {
        match said {
            wit::OnInterrupt::Cancel => Self::Cancel,
            wit::OnInterrupt::Block => Self::Block,
        }
    }
}

impl TryFrom<wit::Need> for Need {
    type Error = Nonsense;

    fn try_from(need: wit::Need) -> Result<Self, Nonsense> {
        Ok(match need {
            wit::Need::ReadFiles => Self::ReadFiles,
            wit::Need::WriteFiles => Self::WriteFiles,
            wit::Need::HttpRead(origins) => Self::HttpRead(origins),
            wit::Need::HttpWrite(origins) => Self::HttpWrite(origins),
            wit::Need::RunCommands => Self::RunCommands,
            wit::Need::CallTools(tools) => Self::CallTools(tools),
            wit::Need::Secrets(secrets) => Self::Secrets(secrets),
            wit::Need::AskUser => Self::AskUser,
            wit::Need::Storage => Self::Storage,
            wit::Need::Other((name, _)) => {
                return Err(Nonsense(format!(
                    "it needs `{name}`, which this host does not know; hint: use a newer mortise"
                )));
            }
        })
    }
}

impl From<wit::Answers> for Answers {
    fn from(said: wit::Answers) -> Self {
        let silent = Self::default();
        Self {
            concurrency_safe: said.concurrency_safe.unwrap_or(silent.concurrency_safe),
            read_only: said.read_only.unwrap_or(silent.read_only),
            destructive: said.destructive.unwrap_or(silent.destructive),
            open_world: said.open_world.unwrap_or(silent.open_world),
            needs_user: said.needs_user.unwrap_or(silent.needs_user),
            activity: said.activity.map(|activity| match activity {
                wit::Activity::Read => Activity::Read,
                wit::Activity::Search => Activity::Search,
                wit::Activity::Listing => Activity::Listing,
            }),
            subjects: said.subjects.into_iter().map(Subject::from).collect(),
            rejection: said.rejection.map(Rejection::from),
            verdict: said.verdict.map(|verdict| match verdict {
                wit::Verdict::Ask(why) => Verdict::Ask(why),
                wit::Verdict::Deny(why) => Verdict::Deny(why),
            }),
            classify: said.classify.unwrap_or(silent.classify),
            title: said.title,
            summary: said.summary,
        }
    }
}

impl From<wit::Rejection> for Rejection {
    fn from(said: wit::Rejection) -> Self {
        Self { message: said.message, code: said.code }
    }
}

impl From<wit::Subject> for Subject {
    fn from(subject: wit::Subject) -> Self {
        match subject {
            wit::Subject::Path(path) => Self::Path(PathSubject {
                path: path.path,
                access: match path.access {
                    wit::Access::Read => Access::Read,
                    wit::Access::Write => Access::Write,
                },
                extent: match path.extent {
                    wit::Extent::File => Extent::File,
                    wit::Extent::Tree => Extent::Tree,
                },
            }),
            wit::Subject::Url(url) => Self::Url(UrlSubject { url: url.url, method: url.method }),
            wit::Subject::Command(command) => Self::Command { command },
            wit::Subject::Text(text) => Self::Text { text },
            wit::Subject::Other((name, value)) => Self::Other { name, value },
        }
    }
}

impl From<&Invocation> for wit::Invocation {
    fn from(call: &Invocation) -> Self {
        Self {
            tool: call.tool.clone(),
            id: call.id.clone(),
            input: call.input.to_string(),
            extensions: Vec::new(),
        }
    }
}

impl TryFrom<wit::Outcome> for Outcome {
    type Error = Nonsense;

    fn try_from(said: wit::Outcome) -> Result<Self, Nonsense> {
        Ok(Self {
            content: said.content.into_iter().map(Content::from).collect(),
            structured: optional_json("structured output", said.structured)?,
            context: optional_json("context patch", said.context)?,
            messages: said.messages.into_iter().map(Message::from).collect(),
            meta: optional_json("meta", said.meta)?,
        })
    }
}

impl TryFrom<wit::Failure> for Failure {
    type Error = Nonsense;

    fn try_from(said: wit::Failure) -> Result<Self, Nonsense> {
        Ok(match said {
            wit::Failure::Rejected(rejection) => Self::Rejected(rejection.into()),
            wit::Failure::Failed(outcome) => Self::Failed(outcome.try_into()?),
            wit::Failure::Interrupted => Self::Interrupted,
        })
    }
}

impl From<wit::Message> for Message {
    fn from(said: wit::Message) -> Self {
        let role = match said.role {
            wit::Role::User => Role::User,
            wit::Role::Assistant => Role::Assistant,
            wit::Role::System => Role::System,
        };
        Self { role, content: said.content.into_iter().map(Content::from).collect() }
    }
}

impl From<wit::Content> for Content {
    fn from(said: wit::Content) -> Self {
        match said {
            wit::Content::Text(text) => Self::Text(text),
            wit::Content::Image(blob) => Self::Image(blob.into()),
            wit::Content::Audio(blob) => Self::Audio(blob.into()),
            wit::Content::Document(blob) => Self::Document(blob.into()),
            wit::Content::Embedded(embedded) => Self::Embedded(Embedded {
                uri: embedded.uri,
                media_type: embedded.media_type,
                text: embedded.text,
                data: embedded.data,
            }),
            wit::Content::ResourceLink(link) => {
                Self::ResourceLink(Link { uri: link.uri, name: link.name, media_type: link.media_type })
            }
            wit::Content::ToolReference(tool) => Self::ToolReference(tool),
            wit::Content::Other((name, value)) => Self::Other(name, value),
        }
    }
}

impl From<wit::Blob> for Blob {
    fn from(said: wit::Blob) -> Self {
        Self { media_type: said.media_type, data: said.data }
    }
}

impl From<wit::Progress> for Progress {
    fn from(said: wit::Progress) -> Self {
        Self {
            message: said.message,
            done: said.done,
            total: said.total,
            // Progress is advice: what is not JSON is passed on as text.
            data: said.data.filter(|text| text.len() <= MAX_JSON).map(as_json),
        }
    }
}
