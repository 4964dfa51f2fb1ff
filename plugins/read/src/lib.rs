//! The tool Read: a text file with its lines numbered, whole or a range of lines, within a cap on tokens.
//!
//! The file is always read from its first byte to its end, whatever range is shown: the host takes "was read whole" from
//! what the sandbox saw, and the number of lines comes from there. `scan.rs` reads, `window.rs` keeps what is shown,
//! `page.rs` puts it in words.
#![allow(clippy::disallowed_methods, reason = "inside the sandbox, std::fs is the files of the grant")]

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use mortise_sdk::{
    Activity, Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, paths,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod page;
mod scan;
mod window;

use page::{AllowLarge, Page};
use window::Window;

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file to read: an absolute path, or one relative to the working directory.
    file_path: String,
    /// The number of the first line to show, from 1. Only for files too large to show whole.
    offset: Option<u32>,
    /// How many lines to show. Only for files too large to show whole.
    #[schemars(range(min = 1))]
    limit: Option<u32>,
    /// Page range of a document. Not for text files: leave it out.
    pages: Option<String>,
    /// Raise the cap from 25,000 to 100,000 tokens, when all of it is needed at once.
    allow_large: Option<bool>,
}

/// What programs get.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Always `text`.
    r#type: &'static str,
    /// The file as shown.
    file: Shown,
}

/// The part of a file that was shown.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    file_path: String,
    /// The lines shown, without numbers.
    content: String,
    num_lines: u64,
    start_line: u64,
    total_lines: u64,
    /// Whether the cap on tokens cut the view.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated_by_token_cap: Option<bool>,
}

/// The tool Read.
pub struct Read;

impl Tool for Read {
    type Input = Input;
    const NAME: &'static str = "Read";
    const DESCRIPTION: &'static str = "Reads a text file. Each line comes with its number and a tab before it, which \
        are not part of the file. A file of up to 25,000 tokens is shown whole: leave out `offset` and `limit` then. \
        Of a larger one the beginning is shown, with a notice that says how to read on. Use it rather than a shell \
        command to look into a file, and before a file is edited or overwritten. Folders cannot be read (use Glob), \
        nor pictures, documents and other binary files. Several files may be read in one turn.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Read file")
            .search_hint("read show view open text file lines")
            .output::<Output>()
            .path_field("file_path")
            .needs(Need::ReadFiles)
            .idempotent()
            .unbounded_result()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        paths::refuse_by_name(&input.file_path)?;
        if input.pages.is_some() {
            return Err(Rejection::new(
                "`pages` is for documents, and this version of Read shows text only: leave it out; for a part of a \
                 text file give `offset` and `limit` in lines",
            ));
        }
        if input.limit == Some(0) {
            return Err(Rejection::new("`limit` is 0: give the number of lines to show, or leave it out"));
        }
        Ok(Answers::new()
            .read_only()
            .concurrency_safe()
            .closed_world()
            .activity(Activity::Read)
            .subject(Subject::read_file(&input.file_path))
            .title(format!("Reading {}", paths::shown(&input.file_path))))
    }

    fn call(input: Input, invocation: &Invocation) -> Result<Outcome, Failure> {
        Self::inspect(&input, invocation)?;
        let path = paths::resolve(&input.file_path)?;
        let file = File::open(&path).map_err(|error| not_opened(&input.file_path, &path, error))?;
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            return Err(Failure::reject(format!(
                "`{}` is a folder: list it with Glob, or read a file in it",
                input.file_path
            )));
        }
        let allow = if input.allow_large == Some(true) { AllowLarge::Yes } else { AllowLarge::No };
        let mut window = Window::new(input.offset, input.limit, allow.cap());
        scan::lines(file, &mut window).map_err(|fault| fault.failure(&input.file_path))?;
        let page = Page::new(&window, allow, input.offset.is_some() || input.limit.is_some())?;
        let shown = Shown {
            file_path: path.to_string_lossy().into_owned(),
            num_lines: page.lines,
            start_line: page.start,
            total_lines: page.total,
            truncated_by_token_cap: page.cut_by_cap.then_some(true),
            content: page.content,
        };
        Ok(Outcome::text(page.text).structured(&Output { r#type: "text", file: shown }))
    }
}

/// Why a file was not opened, and where it may be instead if that can be seen.
fn not_opened(given: &str, path: &Path, error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::NotFound => Failure::reject(format!("there is no file `{given}`{}", nearby(path))),
        ErrorKind::PermissionDenied => Failure::fail(format!("`{given}` may not be read: {error}")),
        ErrorKind::NotADirectory => {
            Failure::reject(format!("`{given}` leads through something that is not a folder"))
        }
        _ => Failure::fail(format!("`{given}` could not be opened: {error}")),
    }
}

/// Names beside a missing file that look like it. Usually nothing: the sandbox holds the one file and shows no others.
fn nearby(path: &Path) -> String {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return String::new() };
    let wanted = name.to_string_lossy().to_lowercase();
    let stem = Path::new(&wanted).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let Ok(entries) = std::fs::read_dir(folder) else { return String::new() };
    let mut names: Vec<String> = entries
        .take(10_000)
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| {
            let name = name.to_lowercase();
            let same_stem =
                Path::new(&name).file_stem().map(|stem| stem.to_string_lossy().into_owned()) == stem;
            name == wanted || same_stem || name.contains(&wanted) || one_slip_apart(&name, &wanted)
        })
        .collect();
    names.sort();
    names.truncate(3);
    match names.as_slice() {
        [] => String::new(),
        names => format!("; beside it there is `{}`", names.join("`, `")),
    }
}

/// Whether one text becomes the other by one letter more, less or other.
fn one_slip_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same_start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    a.len().abs_diff(b.len()) <= 1 && same_start + same_end + 1 >= a.len().max(b.len())
}

mortise_sdk::export!(Read);

#[cfg(test)]
mod tests;
