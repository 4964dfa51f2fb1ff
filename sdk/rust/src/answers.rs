//! Building answers: the questionnaire for one input, and the subjects that it would touch.

use serde::Serialize;

use crate::{Access, Activity, Answers, Extent, PathSubject, Rejection, Subject, UrlSubject, Verdict};

impl Answers {
    /// Answers that say nothing: the host takes the unsafe answer to every question.
    pub fn new() -> Self {
        Self {
            concurrency_safe: None,
            read_only: None,
            destructive: None,
            open_world: None,
            needs_user: None,
            activity: None,
            subjects: Vec::new(),
            rejection: None,
            verdict: None,
            classify: None,
            title: None,
            summary: None,
            extensions: Vec::new(),
        }
    }

    /// It may run beside other calls.
    #[must_use]
    pub fn concurrency_safe(self) -> Self {
        Self { concurrency_safe: Some(true), ..self }
    }

    /// It changes nothing. The call then gets nothing to change anything with.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { read_only: Some(true), ..self }
    }

    /// It may destroy what cannot be had back.
    #[must_use]
    pub fn destructive(self) -> Self {
        Self { destructive: Some(true), ..self }
    }

    /// It deals with nothing outside this machine.
    #[must_use]
    pub fn closed_world(self) -> Self {
        Self { open_world: Some(false), ..self }
    }

    /// Only a person may approve it, whatever the rules say.
    #[must_use]
    pub fn needs_user(self) -> Self {
        Self { needs_user: Some(true), ..self }
    }

    /// What a surface may fold it under.
    #[must_use]
    pub fn activity(self, activity: Activity) -> Self {
        Self { activity: Some(activity), ..self }
    }

    /// Adds one thing that this input would touch. The call can touch nothing else.
    #[must_use]
    pub fn subject(mut self, subject: Subject) -> Self {
        self.subjects.push(subject);
        self
    }

    /// Says why this input makes no sense, which ends the call.
    #[must_use]
    pub fn reject(self, rejection: Rejection) -> Self {
        Self { rejection: Some(rejection), ..self }
    }

    /// The tool's own opinion: ask a person, for this reason.
    #[must_use]
    pub fn ask(self, reason: impl Into<String>) -> Self {
        Self { verdict: Some(Verdict::Ask(reason.into())), ..self }
    }

    /// The tool's own opinion: refuse, for this reason.
    #[must_use]
    pub fn deny(self, reason: impl Into<String>) -> Self {
        Self { verdict: Some(Verdict::Deny(reason.into())), ..self }
    }

    /// What a classifier should read beside the input itself.
    #[must_use]
    pub fn classify(self, text: impl Into<String>) -> Self {
        Self { classify: Some(text.into()), ..self }
    }

    /// For people: "Reading src/main.rs".
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// For people, one line: what the call is about.
    #[must_use]
    pub fn summary(self, summary: impl Into<String>) -> Self {
        Self { summary: Some(summary.into()), ..self }
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
}

impl Default for Answers {
    fn default() -> Self {
        Self::new()
    }
}

impl Subject {
    /// One file, to read. The path as the input has it: absolute, relative to the working directory, or `~/…`.
    pub fn read_file(path: impl Into<String>) -> Self {
        Self::path(path, Access::Read, Extent::File)
    }

    /// A folder with all below it, to read.
    pub fn read_tree(path: impl Into<String>) -> Self {
        Self::path(path, Access::Read, Extent::Tree)
    }

    /// One file, to write, whether or not it exists.
    pub fn write_file(path: impl Into<String>) -> Self {
        Self::path(path, Access::Write, Extent::File)
    }

    /// A folder with all below it, to write.
    pub fn write_tree(path: impl Into<String>) -> Self {
        Self::path(path, Access::Write, Extent::Tree)
    }

    /// A URL and the HTTP method it is asked with.
    pub fn url(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url(UrlSubject { url: url.into(), method: method.into() })
    }

    /// A shell command line.
    pub fn command(line: impl Into<String>) -> Self {
        Self::Command(line.into())
    }

    /// Any other text that a rule may match.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn path(path: impl Into<String>, access: Access, extent: Extent) -> Self {
        Self::Path(PathSubject { path: path.into(), access, extent })
    }
}
