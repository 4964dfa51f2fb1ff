//! The host's place while a tool is tested natively: a session of the test's own thread. Nothing here is in a
//! component.
//!
//! ```
//! # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Input { name: String }
//! # struct Greet;
//! # impl mortise_sdk::Tool for Greet {
//! # type Input = Input;
//! # const NAME: &'static str = "greet";
//! # const DESCRIPTION: &'static str = "";
//! # fn call(input: Input, _: &mortise_sdk::Invocation) -> Result<mortise_sdk::Outcome, mortise_sdk::Failure> {
//! #     Ok(format!("Hello {} from {}", input.name, mortise_sdk::session::working_directory()).into()) }
//! # }
//! use mortise_sdk::testing::{self, Session};
//!
//! let _session = Session::new("/home/ada/project");
//! let outcome = testing::call::<Greet>(serde_json::json!({"name": "Bob"})).unwrap();
//! assert_eq!(testing::text(&outcome.content), "Hello Bob from /home/ada/project");
//! ```

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::http::Response;
use crate::session::KnownFile;
use crate::tool::dispatch;
use crate::{Answers, Content, Descriptor, Failure, Invocation, Outcome, Progress, Rejection, Tool};

pub(crate) mod stand_in;

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// What the stand-in answers from, one for each thread.
#[derive(Default)]
struct State {
    working_directory: String,
    home: Option<String>,
    configuration: Option<Value>,
    context: Option<Value>,
    known: BTreeMap<PathBuf, KnownFile>,
    cancelled: bool,
    reported: Vec<Progress>,
    logged: Vec<String>,
    responses: VecDeque<Result<Response, String>>,
    stored: BTreeMap<String, Vec<u8>>,
    commands: VecDeque<Ran>,
}

/// What the next command comes to.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    /// What it writes.
    pub stdout: String,
    /// What it complains of.
    pub stderr: String,
    /// Its exit code; `None`: it has not ended.
    pub code: Option<i32>,
    /// Whether its time is up.
    pub timed_out: bool,
}

/// A session on this thread, until it is dropped. Without one, the working directory is `/` and nothing was read.
pub struct Session {
    /// The session is its thread's.
    here: PhantomData<*const ()>,
}

impl Session {
    /// Begins a session with this working directory.
    pub fn new(working_directory: impl AsRef<Path>) -> Self {
        let working_directory = working_directory.as_ref().to_string_lossy().into_owned();
        STATE.set(State { working_directory, ..State::default() });
        Self { here: PhantomData }
    }

    /// Sets the home folder, which is unknown otherwise.
    pub fn home(&self, path: impl AsRef<Path>) {
        let path = path.as_ref().to_string_lossy().into_owned();
        STATE.with_borrow_mut(|state| state.home = Some(path));
    }

    /// Sets the operator's `config` of this plugin.
    pub fn configuration(&self, value: Value) {
        STATE.with_borrow_mut(|state| state.configuration = Some(value));
    }

    /// Sets this plugin's part of the shared context.
    pub fn context(&self, value: Value) {
        STATE.with_borrow_mut(|state| state.context = Some(value));
    }

    /// Records a file as read in this session as it is now: all of it, or a part.
    ///
    /// # Panics
    /// If there is no such file: the test is wrong.
    pub fn mark_read(&self, path: impl AsRef<Path>, whole: bool) {
        let content = std::fs::read(path.as_ref()).expect("a file to mark as read");
        let modified = std::fs::metadata(path.as_ref()).and_then(|about| about.modified());
        let modified = modified.expect("its time").duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
        let digest = if whole {
            Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect()
        } else {
            String::new()
        };
        let known = KnownFile { modified: modified.to_string(), digest, whole };
        STATE.with_borrow_mut(|state| state.known.insert(path.as_ref().to_owned(), known));
    }

    /// Lets the next request have this response, or this error.
    pub fn respond(&self, response: Result<Response, String>) {
        STATE.with_borrow_mut(|state| state.responses.push_back(response));
    }

    /// Lets the next command come to this.
    pub fn run(&self, ran: Ran) {
        STATE.with_borrow_mut(|state| state.commands.push_back(ran));
    }

    /// Lets the caller give up.
    pub fn cancel(&self) {
        STATE.with_borrow_mut(|state| state.cancelled = true);
    }

    /// The progress reported so far.
    pub fn reported(&self) -> Vec<Progress> {
        STATE.with_borrow(|state| state.reported.clone())
    }

    /// The lines logged so far, each `level: message`.
    pub fn logged(&self) -> Vec<String> {
        STATE.with_borrow(|state| state.logged.clone())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        STATE.set(State::default());
    }
}

/// The tool's descriptor, as the host gets it.
pub fn describe<T: Tool>() -> Descriptor {
    dispatch::describe::<T>()
}

/// The tool's answers for this input; one that does not fit is in [`Answers::rejection`].
pub fn inspect<T: Tool>(input: Value) -> Answers {
    dispatch::inspect::<T>(&invocation::<T>(input))
}

/// The tool's preview for this input.
///
/// # Errors
/// The tool's own rejection, or that the input does not fit.
pub fn preview<T: Tool>(input: Value) -> Result<Vec<Content>, Rejection> {
    dispatch::preview::<T>(&invocation::<T>(input))
}

/// Calls the tool with this input.
///
/// # Errors
/// The tool's own failure, or that the input does not fit.
pub fn call<T: Tool>(input: Value) -> Result<Outcome, Failure> {
    dispatch::call::<T>(&invocation::<T>(input))
}

/// All text blocks, one below the other.
pub fn text(content: &[Content]) -> String {
    let texts = content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The structured value, or null.
pub fn structured(outcome: &Outcome) -> Value {
    outcome.structured.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

/// What a failure says, of whatever kind.
pub fn message(failure: &Failure) -> String {
    match failure {
        Failure::Rejected(rejection) => rejection.message.clone(),
        Failure::Failed(outcome) => text(&outcome.content),
        Failure::Interrupted => "interrupted".to_owned(),
    }
}

fn invocation<T: Tool>(input: Value) -> Invocation {
    Invocation {
        tool: T::NAME.to_owned(),
        id: "test".to_owned(),
        input: input.to_string(),
        extensions: Vec::new(),
    }
}
