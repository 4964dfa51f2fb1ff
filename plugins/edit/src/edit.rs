//! The tool Edit: an exact text replaced, in its one place or in all.

use mortise_sdk::{
    Answers, Content, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, files, paths,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::current::Current;
use crate::endings::{Lines, plain};
use crate::matching;
use crate::patch::{self, Hunk};
use crate::{hints, matching::listed};

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file to change: an absolute path, or one relative to the working directory.
    file_path: String,
    /// The text to replace, exactly as it is in the file, indentation included, with enough lines around it to be the
    /// only such place. Empty to make a new file.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every place where the text stands. Default: false.
    replace_all: Option<bool>,
}

/// What programs get.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file_path: String,
    old_string: String,
    new_string: String,
    /// What the file held before; empty for a new one.
    original_file: String,
    structured_patch: Vec<Hunk>,
    /// Whether a person changed the edit before it was made; this tool never knows of one.
    user_modified: bool,
    replace_all: bool,
}

/// The tool Edit.
pub struct Edit;

impl Tool for Edit {
    type Input = Input;
    const NAME: &'static str = "Edit";
    const DESCRIPTION: &'static str = "Replaces an exact text in a file, which must have been read in this session \
        first. `old_string` must match the file to the letter (without the line numbers that Read shows) and stand in \
        one place only, unless `replace_all` is true: add neighbouring lines until it is unique. Prefer it to Write \
        for any change to an existing file. The file's own line endings are kept.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Edit file")
            .search_hint("edit change replace text in file")
            .output::<Output>()
            .path_field("file_path")
            .needs(Need::WriteFiles)
            .previews()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        paths::refuse_by_name(&input.file_path)?;
        if input.old_string == input.new_string {
            return Err(Rejection::new(
                "`old_string` and `new_string` are the same, so nothing would change: send the text as it should become",
            ));
        }
        let verb = if input.old_string.is_empty() { "Creating" } else { "Editing" };
        Ok(Answers::new()
            .closed_world()
            .subject(Subject::write_file(&input.file_path))
            .title(format!("{verb} {}", paths::shown(&input.file_path))))
    }

    fn preview(input: Input, invocation: &Invocation) -> Result<Vec<Content>, Rejection> {
        Self::inspect(&input, invocation)?;
        let shown = paths::shown(&input.file_path);
        let text = match Current::load(&input.file_path, &paths::resolve(&input.file_path)?) {
            Ok(Current::Unreadable(error)) => {
                format!("The file cannot be read before permission is given ({error}).\n{}", asked(&input))
            }
            Ok(Current::Missing) if !input.old_string.is_empty() => {
                format!("No such file can be seen before permission is given.\n{}", asked(&input))
            }
            Ok(current) => match Change::new(&input, current) {
                Ok(change) => patch::unified(&shown, &change.before, &change.after),
                Err(Failure::Rejected(rejection)) => return Err(rejection),
                Err(_) => asked(&input),
            },
            Err(Failure::Rejected(rejection)) => return Err(rejection),
            Err(_) => format!("The file cannot be shown as text.\n{}", asked(&input)),
        };
        Ok(vec![text.into()])
    }

    fn call(input: Input, invocation: &Invocation) -> Result<Outcome, Failure> {
        Self::inspect(&input, invocation)?;
        let path = paths::resolve(&input.file_path)?;
        let change = Change::new(&input, Current::load(&input.file_path, &path)?)?;
        files::replace(&input.file_path, change.after.as_bytes())?;
        Ok(Outcome::text(change.told(&input)).structured(&Output {
            file_path: path.to_string_lossy().into_owned(),
            structured_patch: patch::hunks(&change.before, &change.after),
            old_string: input.old_string,
            new_string: input.new_string,
            original_file: change.before,
            user_modified: false,
            replace_all: input.replace_all == Some(true),
        }))
    }
}

/// An edit that fits the file: holding one proves that the file is known and the text was found.
struct Change {
    before: String,
    after: String,
    /// Where the texts stood, in the plain view of `before`. Empty for a new file.
    places: Vec<usize>,
}

impl Change {
    fn new(input: &Input, current: Current) -> Result<Self, Failure> {
        let given = &input.file_path;
        let known = match current {
            Current::Text(known) => known,
            Current::Missing if input.old_string.is_empty() => {
                return Ok(Self {
                    before: String::new(),
                    after: input.new_string.clone(),
                    places: Vec::new(),
                });
            }
            Current::Missing => {
                return Err(Failure::reject(format!(
                    "there is no file `{given}`: check the path, or send an empty old_string to make it"
                )));
            }
            Current::Unreadable(error) => {
                return Err(Failure::fail(format!("`{given}` may not be read: {error}")));
            }
        };
        known.check(given)?;
        let before = known.text;
        if input.old_string.is_empty() {
            if !before.is_empty() {
                return Err(Failure::reject(format!(
                    "`{given}` is there and not empty, and an empty old_string makes new files only: give the text to \
                     replace, or use Write to replace all of it"
                )));
            }
            return Ok(Self { before, after: input.new_string.clone(), places: Vec::new() });
        }
        let lines = Lines::new(&before);
        let old = plain(&input.old_string);
        let places = matching::places(lines.plain(), &old);
        let Some(first) = places.first() else {
            return Err(Failure::reject(format!(
                "old_string was not found in `{given}`. {}",
                hints::for_miss(lines.plain(), &old, &plain(&input.new_string))
            )));
        };
        if input.replace_all != Some(true) && matching::is_ambiguous(lines.plain(), &old, *first) {
            return Err(Failure::reject(format!(
                "old_string stands in {} places of `{given}` (lines {}), and replace_all is false: add neighbouring \
                 lines until only one is meant, or set replace_all",
                places.len().max(2),
                listed(lines.plain(), &places),
            )));
        }
        let after = lines.replace(&places, old.len(), &input.new_string);
        if after == before {
            return Err(Failure::reject(
                "the edit would change nothing: old_string and new_string differ in line endings alone, and those of \
                 the file are kept",
            ));
        }
        Ok(Self { after, places, before })
    }

    /// The result for the model: short, with the changed lines as they are now.
    fn told(&self, input: &Input) -> String {
        let given = &input.file_path;
        let now = plain(&self.after);
        let Some(first) = self.places.first() else {
            return format!("The file {given} has been created with {}.", matching::lines_of(&now));
        };
        let snippet = patch::snippet(&now, *first, plain(&input.new_string).len());
        match self.places.len() {
            1 => {
                format!("The file {given} has been updated. The lines around the change are now:\n{snippet}")
            }
            count => format!(
                "The file {given} has been updated in {count} places. The lines around the first are now:\n{snippet}"
            ),
        }
    }
}

/// The edit as asked for, where the file cannot be seen.
fn asked(input: &Input) -> String {
    let signed =
        |text: &str, sign: char| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    format!("{}{}", signed(&input.old_string, '-'), signed(&input.new_string, '+'))
}
