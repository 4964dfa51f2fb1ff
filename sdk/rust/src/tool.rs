//! The one trait that an author implements, and the way from the component's exports to it.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Answers, Content, Descriptor, Failure, Invocation, Outcome, Rejection, View};

/// One tool of a plugin. Only the associated items and [`call`](Tool::call) have to be written; what the other
/// methods leave unsaid counts as the unsafe answer.
///
/// Each function runs in an instance of its own that is thrown away after it: nothing in memory, no `static` is kept
/// from one to the next.
pub trait Tool {
    /// What the model sends: parser and JSON Schema in one type. `#[serde(deny_unknown_fields)]` is advisable.
    type Input: DeserializeOwned + JsonSchema;

    /// The tool's name: `[A-Za-z][A-Za-z0-9_-]{0,63}`.
    const NAME: &'static str;

    /// For the model: what the tool does and when to prefer it.
    const DESCRIPTION: &'static str;

    /// Adds to a descriptor that already holds name, description and input schema. Called once, when the plugin is
    /// loaded; must not depend on anything outside.
    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
    }

    /// Fills in the questionnaire for one input, without any power: no file, no network. Called before permission is
    /// decided.
    ///
    /// # Errors
    /// A [`Rejection`] if the input makes no sense; it ends the call, and the model is told why.
    fn inspect(input: &Self::Input, call: &Invocation) -> Result<Answers, Rejection> {
        let _ = (input, call);
        Ok(Answers::new())
    }

    /// What would happen, shown to the operator before they are asked. Called only after
    /// [`Descriptor::previews`], and holds only those reads that are allowed unasked.
    ///
    /// # Errors
    /// A [`Rejection`] ends the call before anyone is asked.
    fn preview(input: Self::Input, call: &Invocation) -> Result<Vec<Content>, Rejection> {
        let _ = (input, call);
        Ok(Vec::new())
    }

    /// Does the work, holding exactly what the operator granted for this input.
    ///
    /// # Errors
    /// See [`Failure`].
    fn call(input: Self::Input, call: &Invocation) -> Result<Outcome, Failure>;

    /// Markdown for people; `None` is the host's plain rendering. Without any power.
    fn render(view: &View) -> Option<String> {
        let _ = view;
        None
    }
}

/// One function per export, generic over the tool, for [`export!`](crate::export) and `testing`.
pub mod dispatch {
    use super::*;

    /// The tool's own description on top of what its constants and input type say.
    pub fn describe<T: Tool>() -> Descriptor {
        T::describe(Descriptor::new(T::NAME, T::DESCRIPTION).input::<T::Input>())
    }

    /// The tool's answers, or the rejection in their place.
    pub fn inspect<T: Tool>(call: &Invocation) -> Answers {
        match parse::<T>(call).and_then(|input| T::inspect(&input, call)) {
            Ok(answers) => answers,
            Err(rejection) => Answers::new().reject(rejection),
        }
    }

    /// The tool's preview.
    ///
    /// # Errors
    /// The tool's, or one that says how the input does not fit.
    pub fn preview<T: Tool>(call: &Invocation) -> Result<Vec<Content>, Rejection> {
        T::preview(parse::<T>(call)?, call)
    }

    /// The tool's work.
    ///
    /// # Errors
    /// The tool's, or one that says how the input does not fit.
    pub fn call<T: Tool>(call: &Invocation) -> Result<Outcome, Failure> {
        T::call(parse::<T>(call)?, call)
    }

    /// The name of the tool that a view is of.
    pub fn viewed(view: &View) -> &str {
        match view {
            View::Using(call) => &call.tool,
            View::Progressing((call, _)) => &call.tool,
            View::Succeeded((call, _)) => &call.tool,
            View::Failed((call, _)) => &call.tool,
            View::Refused((call, _)) => &call.tool,
            View::Grouped(calls) => calls.first().map_or("", |call| &call.tool),
        }
    }

    /// What to answer to a call of a tool that this plugin does not hold.
    pub fn unknown(tool: &str) -> Rejection {
        Rejection::new(format!("this plugin holds no tool `{tool}`"))
    }

    fn parse<T: Tool>(call: &Invocation) -> Result<T::Input, Rejection> {
        serde_json::from_str(&call.input)
            .map_err(|error| Rejection::new(format!("the input does not fit: {error}")))
    }
}
