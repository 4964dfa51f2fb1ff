//! The tool Glob: files by their names, the newest first.

use std::time::Instant;

use globset::GlobBuilder;
use mortise_sdk::{
    Activity, Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, paths,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::newest::Newest;
use crate::place::{Pattern, Place, named};
use crate::walk::{self, Going, Unseen};

/// Names that one call lists.
const MOST: usize = 100;

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The pattern: `*` and `?` within a name, `**` across folders, `{a,b}`, `[a-z]`. Without a slash it matches names
    /// at any depth. Examples: `**/*.rs`, `src/**/*.{ts,tsx}`.
    pattern: String,
    /// The folder to look in. Default: the working directory; leave it out for that.
    path: Option<String>,
}

/// What programs get.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    duration_ms: u64,
    /// How many names are listed.
    num_files: usize,
    /// The newest first.
    filenames: Vec<String>,
    /// Whether there are more than are listed.
    truncated: bool,
    /// How many files match, listed or not.
    total_matches: usize,
    /// Whether every folder could be read.
    count_is_complete: bool,
}

/// The tool Glob.
pub struct Glob;

impl Tool for Glob {
    type Input = Input;
    const NAME: &'static str = "Glob";
    const DESCRIPTION: &'static str = "Finds files by their names, with a pattern like `**/*.rs` or \
        `src/**/*.{ts,tsx}`. Lists at most 100, those changed last first, and says if there are more. Looks into hidden \
        and git-ignored folders too. Use it when the name is known; to search what files hold use Grep.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Find files")
            .search_hint("find list files by name pattern wildcard")
            .output::<Output>()
            .path_field("path")
            .needs(Need::ReadFiles)
            .idempotent()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        let (pattern, folder) = parts(input)?;
        matcher(&pattern.rest)?;
        Ok(Answers::new()
            .read_only()
            .concurrency_safe()
            .closed_world()
            .activity(Activity::Listing)
            .subject(Subject::read_tree(&folder))
            .title(format!("Finding {}", input.pattern))
            .summary(format!("in {}", paths::shown(&folder))))
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        let begun = Instant::now();
        let (pattern, folder) = parts(&input)?;
        let matcher = matcher(&pattern.rest)?;
        let place = Place::find(&folder)?;
        if place.is_file {
            return Err(Failure::reject(format!("`{folder}` is a file: give the folder to look in")));
        }
        let root = place.path.join(&pattern.inside);
        let (mut newest, mut unseen) = (Newest::new(MOST), Unseen::default());
        if root.is_dir() {
            walk::files(&walk::all(&root, &input.pattern), &mut unseen, |entry, _| {
                let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                if matcher.is_match(below)
                    // Follows a link, to a file only; what cannot be looked at is not listed.
                    && let Ok(about) = std::fs::metadata(entry.path())
                    && !about.is_dir()
                {
                    newest.add(about.modified().ok(), named(entry.path()));
                }
                Ok(Going::On)
            })?;
        }
        Ok(answer(newest, &unseen, begun))
    }
}

fn answer(newest: Newest, unseen: &Unseen, begun: Instant) -> Outcome {
    let total = newest.total();
    let filenames = newest.names();
    let mut text = match total {
        0 => "No files found".to_owned(),
        _ => filenames.join("\n"),
    };
    let truncated = total > filenames.len();
    if truncated {
        text += &format!(
            "\n[The newest {MOST} of {total} files are listed: use a narrower pattern or path to see the others]"
        );
    }
    if let Some(note) = unseen.note() {
        text = format!("{text}\n{note}");
    }
    Outcome::text(text).structured(&Output {
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        num_files: filenames.len(),
        filenames,
        truncated,
        total_matches: total,
        count_is_complete: unseen.is_empty(),
    })
}

/// The pattern apart, and the folder in which it is looked for, as an input would name it.
fn parts(input: &Input) -> Result<(Pattern, String), Rejection> {
    let given = input.path.as_deref().filter(|path| !path.is_empty());
    let mut pattern = Pattern::new(&input.pattern, given)?;
    let folder = pattern.base.take().or_else(|| given.map(str::to_owned)).unwrap_or_else(|| ".".to_owned());
    paths::refuse_devices(&folder)?;
    Ok((pattern, folder))
}

fn matcher(pattern: &str) -> Result<globset::GlobMatcher, Rejection> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        Rejection::new(format!(
            "the pattern is not valid: {}; braces and brackets must be closed, or escaped with a backslash",
            error.kind()
        ))
    })
}
