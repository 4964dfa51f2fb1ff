//! Steps 1 to 6 of the path: from a name and an input to a call that hooks and rules can be asked about.
//! Nothing here reaches outside.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinHandle;

use super::error::CallError;
use super::observe::{Surroundings, observe, paths};
use super::pipeline::{Attendance, Pipeline};
use super::strip::strip;
use super::trail::{Telling, listed};
use crate::contract::schema::{nearest, validate};
use crate::contract::{Answers, Invocation, Loading, Need, Valid, View};
use crate::hooks::{Opinion, Speculation};
use crate::permission::{Grant, Mode};
use crate::registry::{Pool, State, Tool};
use crate::sandbox::{GuestError, KnownFile, Phase, Session, Visit};

/// A call whose questionnaire is filled in.
pub(super) struct Asked<'a> {
    pub(super) tool: &'a Arc<Tool>,
    pub(super) call: Invocation,
    pub(super) answers: Answers,
    pub(super) session: Arc<Session>,
    /// For the operator: slips put right, questions not answered.
    pub(super) notes: Vec<String>,
}

/// A call without fields that only the host may set.
pub(super) struct Stripped<'a> {
    pub(super) asked: Asked<'a>,
    pub(super) removed: Vec<String>,
}

/// A call that hooks and rules can be asked about.
pub(super) struct Running<'a> {
    pub(super) tool: &'a Arc<Tool>,
    /// Goes to the tool.
    pub(super) call: Invocation,
    /// Goes to hooks and rules.
    pub(super) twin: Value,
    pub(super) answers: Answers,
    pub(super) session: Arc<Session>,
    pub(super) notes: Vec<String>,
}

/// A classifier at work beside hooks and prompts. Dropping it withdraws the question.
#[derive(Default)]
pub(super) struct Guess {
    work: Option<JoinHandle<Opinion>>,
}

impl Pipeline {
    /// Step 1: the tool that bears this name, or bore it once.
    pub(super) fn resolve<'a>(&self, pool: &'a Pool, name: &str) -> Result<&'a Arc<Tool>, CallError> {
        if let Some(tool) = pool.find(name) {
            return Ok(tool);
        }
        let out_of_order = |detail: String| CallError::Broken { tool: name.to_owned(), detail };
        Err(match pool.unavailable(name).map(|entry| &entry.state) {
            Some(State::Broken(why)) => out_of_order(why.clone()),
            Some(State::Disabled(by)) => out_of_order(format!("it is {by}")),
            Some(State::Denied(rule)) => CallError::Denied {
                why: format!(
                    "{name} is not available here: a rule of the operator's keeps it out; do without it"
                ),
                hint: format!("the rule `{}` ({}) takes `{name}` out of the pool", rule.text, rule.source),
            },
            _ => {
                let names = pool.tools().iter().map(|tool| tool.descriptor.name.as_str());
                let nearest = nearest(name, names).into_iter().map(str::to_owned).collect();
                CallError::UnknownTool { name: name.to_owned(), nearest }
            }
        })
    }

    /// Step 2: the input against the tool's schema, slips put right.
    pub(super) fn validate(&self, tool: &Tool, input: Value) -> Result<Valid, CallError> {
        tool.schema.compile().map_err(|error| CallError::Broken {
            tool: tool.descriptor.name.clone(),
            detail: format!("its input schema: {error}"),
        })?;
        validate(&tool.schema, input).map_err(|invalid| {
            if tool.descriptor.loading == Loading::Deferred {
                // The model may never have seen the schema: what it needs is the schema, not a list of errors.
                return CallError::NotShown { name: tool.descriptor.name.clone() };
            }
            CallError::InvalidInput(invalid)
        })
    }

    /// Step 3: the questionnaire. Whatever goes wrong with it counts as the unsafe answers; only the tool's
    /// own rejection, or its not being loadable at all, ends the call.
    pub(super) async fn inspect<'a>(
        &self,
        tool: &'a Arc<Tool>,
        id: &str,
        valid: Valid,
        attendance: &Attendance,
    ) -> Result<Asked<'a>, CallError> {
        let (input, slips) = valid.into_parts();
        let mut notes: Vec<String> = slips.iter().map(ToString::to_string).collect();
        let call = Invocation { tool: tool.descriptor.name.clone(), id: id.to_owned(), input };
        let session = Arc::new(Session { call: id.to_owned(), ..self.session_for(tool, &call.input) });
        let grant = Arc::new(Grant::none(self.policy_limits(tool)));
        let visit = self.visit(Phase::Inspect, tool, grant, &session, attendance);
        let answers = match tool.inspect(visit, &call).await {
            Ok(answers) => answers,
            Err(error @ (GuestError::Load(_) | GuestError::Cancelled)) => {
                return Err(CallError::from_guest(tool, error));
            }
            Err(error) => {
                notes.push(format!(
                    "the questionnaire was not answered, so the unsafe answers count: {error}"
                ));
                Answers::default()
            }
        };
        match answers.rejection {
            Some(rejection) => Err(CallError::Rejected(rejection)),
            None => Ok(Asked { tool, call, answers, session, notes }),
        }
    }

    /// Step 4: starts the classifier beside hooks and prompts, where its answer could count.
    pub(super) fn speculate(&self, asked: &Asked<'_>) -> Guess {
        if self.policy.mode() != Mode::Auto || self.classifier.idle() {
            return Guess::default();
        }
        let speculation = Speculation {
            call: asked.call.id.clone(),
            tool: asked.call.tool.clone(),
            text: format!("{} {}", asked.call.tool, asked.call.input),
            added: asked.answers.classify.clone(),
        };
        let classifier = Arc::clone(&self.classifier);
        let work = tokio::spawn(async move { classifier.classify(&speculation).await });
        Guess { work: Some(work) }
    }

    /// Step 5: fields that only the host may set are taken out.
    pub(super) fn strip<'a>(&self, mut asked: Asked<'a>) -> Stripped<'a> {
        let stripped = strip(std::mem::take(&mut asked.call.input));
        asked.call.input = stripped.input;
        Stripped { asked, removed: stripped.removed }
    }

    /// Step 6: the normalised twin.
    pub(super) fn observe<'a>(&self, stripped: Stripped<'a>) -> Running<'a> {
        let Stripped { asked, removed } = stripped;
        let Asked { tool, call, answers, session, mut notes } = asked;
        notes
            .extend(removed.iter().map(|field| format!("only the host may set `{field}`; it was taken out")));
        let twin = self.twin(tool, &call.input);
        Running { tool, call, twin, answers, session, notes }
    }

    /// The twin of one input.
    pub(super) fn twin(&self, tool: &Tool, input: &Value) -> Value {
        let home = self.config.permission.home.as_ref().map(|home| home.to_string_lossy());
        let working_directory = self.config.working_directory.to_string_lossy();
        let around = Surroundings { working_directory: &working_directory, home: home.as_deref() };
        observe(input, &tool.descriptor.fields, around)
    }

    /// What a guest may know of the session, for one input.
    pub(super) fn session_for(&self, tool: &Tool, input: &Value) -> Session {
        Session {
            call: String::new(),
            processes: Arc::clone(&self.processes),
            working_directory: self.directory_for(tool).to_string_lossy().into_owned(),
            configuration: tool.options.config.clone().unwrap_or_default(),
            interactive: self.authorizer.interactive(),
            known: self.known_files(tool, input),
            context: self.memory.context(&tool.source),
        }
    }

    /// Where a tool works: one that runs commands, where those start.
    fn directory_for(&self, tool: &Tool) -> PathBuf {
        if tool.descriptor.needs.contains(&Need::RunCommands) {
            self.policy.shell_directory()
        } else {
            self.config.working_directory.clone()
        }
    }

    fn known_files(&self, tool: &Tool, input: &Value) -> BTreeMap<String, KnownFile> {
        if self.memory.is_empty() {
            return BTreeMap::new();
        }
        let twin = self.twin(tool, input);
        let spellings = paths(input, &tool.descriptor.fields).into_iter();
        let spellings = spellings.chain(paths(&twin, &tool.descriptor.fields));
        let known: Vec<(String, PathBuf)> = spellings
            .filter_map(|spelling| {
                let forms = self.policy.readable(&spelling)?;
                Some((spelling, forms.real))
            })
            .collect();
        self.memory.known(known)
    }

    /// What a tool makes of a call for people to read; beside the path, and as powerless as its questionnaire.
    pub async fn render(&self, tool: &Arc<Tool>, view: &View) -> Option<String> {
        let grant = Arc::new(Grant::none(self.policy_limits(tool)));
        let session = Arc::new(self.session_for(tool, &Value::Null));
        let visit = self.visit(Phase::Render, tool, grant, &session, &Attendance::default());
        let rendered = tool.render(visit, view).await;
        rendered.inspect_err(|error| tracing::debug!(%error, "not rendered")).ok().flatten()
    }

    /// A visit to a tool on behalf of one call.
    pub(super) fn visit(
        &self,
        phase: Phase,
        tool: &Tool,
        grant: Arc<Grant>,
        session: &Arc<Session>,
        attendance: &Attendance,
    ) -> Visit {
        Visit {
            phase,
            tool: tool.descriptor.name.clone(),
            plugin: tool.source.clone(),
            grant,
            session: Arc::clone(session),
            progress: attendance.progress.clone(),
            cancel: attendance.cancel.clone(),
        }
    }
}

impl Guess {
    /// Whether there is anything to wait for.
    pub(super) fn is_at_work(&self) -> bool {
        self.work.is_some()
    }

    /// Waits for what the classifier says. One that fails finds every call doubtful.
    pub(super) async fn opinion(mut self) -> Option<Opinion> {
        let failed = |error| Opinion::Doubtful(format!("the classifier failed: {error}"));
        Some(self.work.as_mut()?.await.unwrap_or_else(failed))
    }

    /// A rewrite of the input voids what was said about the other one.
    pub(super) fn unless(self, rewritten: bool) -> Self {
        if rewritten { Self::default() } else { self }
    }
}

impl Drop for Guess {
    fn drop(&mut self) {
        if let Some(work) = &self.work {
            work.abort();
        }
    }
}

impl Telling for &Arc<Tool> {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        ("found", format!("{} from {}", self.descriptor.name, self.origin).into())
    }
}

impl Telling for Valid {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        match self.notes() {
            [] => ("valid", "the input fits the schema".into()),
            notes => ("mended", notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").into()),
        }
    }
}

impl Telling for Asked<'_> {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        let answers = &self.answers;
        let subjects = match answers.subjects.len() {
            0 => "no subject".to_owned(),
            1 => "1 subject".to_owned(),
            many => format!("{many} subjects"),
        };
        let words = [
            if answers.read_only { "read-only" } else { "may change things" },
            if answers.concurrency_safe { "safe beside others" } else { "runs alone" },
            &subjects,
        ];
        ("answered", listed(words).into())
    }
}

impl Telling for Guess {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        match self.work {
            Some(_) => ("started", "the classifier is at work beside hooks and prompts".into()),
            None => ("idle", "no classifier is needed in this mode".into()),
        }
    }
}

impl Telling for Stripped<'_> {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        if self.removed.is_empty() {
            return ("nothing to strip", "no field that only the host may set".into());
        }
        ("stripped", listed(self.removed.iter().map(String::as_str)).into())
    }
}

impl Telling for Running<'_> {
    fn tell(&self) -> (&'static str, Cow<'static, str>) {
        if self.twin == self.call.input {
            return ("unchanged", "the input is in its normal form".into());
        }
        ("normalised", self.twin.to_string().into())
    }
}
