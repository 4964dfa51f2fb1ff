//! The tool Write: a whole file, new or in the place of the one that is there.

use mortise_sdk::{
    Answers, Content, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, files, paths,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::current::Current;
use crate::matching::lines_of;
use crate::patch::{self, Hunk};

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file to write: an absolute path, or one relative to the working directory. Missing folders are made.
    file_path: String,
    /// All that the file will hold.
    content: String,
}

/// What programs get.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    r#type: Kind,
    file_path: String,
    content: String,
    /// Empty for a new file.
    structured_patch: Vec<Hunk>,
    /// What the file held before; null for a new one.
    original_file: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Create,
    Update,
}

/// The tool Write.
pub struct Write;

impl Tool for Write {
    type Input = Input;
    const NAME: &'static str = "Write";
    const DESCRIPTION: &'static str = "Writes a whole text file: makes a new one, or replaces all that is in an \
        existing one, which must have been read in this session first. To change parts of a file prefer Edit, which \
        sends only what changes. The content is written as it is given, line endings included.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Write file")
            .search_hint("write create overwrite save file")
            .output::<Output>()
            .path_field("file_path")
            .needs(Need::WriteFiles)
            .idempotent()
            .previews()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        paths::refuse_by_name(&input.file_path)?;
        Ok(Answers::new()
            .closed_world()
            .subject(Subject::write_file(&input.file_path))
            .title(format!("Writing {}", paths::shown(&input.file_path)))
            .summary(lines_of(&input.content)))
    }

    fn preview(input: Input, _: &Invocation) -> Result<Vec<Content>, Rejection> {
        paths::refuse_by_name(&input.file_path)?;
        let shown = paths::shown(&input.file_path);
        let all_new = |why: &str| {
            let diff = patch::unified(&shown, "", &input.content);
            Ok(vec![Content::from(format!("{why}\n{diff}"))])
        };
        match Current::load(&input.file_path, &paths::resolve(&input.file_path)?) {
            Ok(Current::Missing) => all_new("A new file, as far as can be seen before permission is given."),
            Ok(Current::Unreadable(error)) => {
                all_new(&format!("What is there now cannot be read before permission is given ({error})."))
            }
            Ok(Current::Text(known)) => {
                if let Err(Failure::Rejected(rejection)) = known.check(&input.file_path) {
                    return Err(rejection);
                }
                let diff = patch::unified(&shown, &known.text, &input.content);
                Ok(vec![Content::from(if diff.is_empty() { "No line changes.".to_owned() } else { diff })])
            }
            Err(Failure::Rejected(rejection)) => Err(rejection),
            Err(_) => all_new("What is there now cannot be shown as text."),
        }
    }

    fn call(input: Input, invocation: &Invocation) -> Result<Outcome, Failure> {
        Self::inspect(&input, invocation)?;
        let path = paths::resolve(&input.file_path)?;
        let before = match Current::load(&input.file_path, &path)? {
            Current::Missing => None,
            Current::Text(known) => {
                known.check(&input.file_path)?;
                Some(known.text)
            }
            Current::Unreadable(error) => {
                return Err(Failure::fail(format!("`{}` may not be read: {error}", input.file_path)));
            }
        };
        files::replace(&input.file_path, input.content.as_bytes())?;
        let lines = lines_of(&input.content);
        let text = match before {
            None => format!("The file {} has been created with {lines}.", input.file_path),
            Some(_) => format!("The file {} has been updated and now has {lines}.", input.file_path),
        };
        Ok(Outcome::text(text).structured(&Output {
            r#type: if before.is_none() { Kind::Create } else { Kind::Update },
            file_path: path.to_string_lossy().into_owned(),
            structured_patch: before.as_ref().map(|b| patch::hunks(b, &input.content)).unwrap_or_default(),
            content: input.content,
            original_file: before,
        }))
    }
}
