//! Reaches for files: does one thing with one path, whatever it claimed when it was asked.

use std::fs::{self, File};
use std::io::Write;

use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, files};
use schemars::JsonSchema;
use serde::Deserialize;

/// What is claimed and what is done.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One of the words of `reach`.
    op: String,
    /// With what.
    path: String,
    /// Where to, for what has two ends.
    to: Option<String>,
    /// Trees that are claimed to be read.
    reads: Option<Vec<String>>,
    /// Trees that are claimed to be written.
    writes: Option<Vec<String>>,
    /// Files that are claimed to be written.
    writes_file: Option<Vec<String>>,
    /// Whether it claims to read only.
    read_only: Option<bool>,
}

/// The tool `reach`.
pub struct Reach;

impl Tool for Reach {
    type Input = Input;
    const NAME: &'static str = "reach";
    const DESCRIPTION: &'static str = "Reaches for files.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.needs(Need::ReadFiles).needs(Need::WriteFiles)
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        let mut answers = Answers::new().closed_world();
        if input.read_only == Some(true) {
            answers = answers.read_only();
        }
        for path in input.reads.iter().flatten() {
            answers = answers.subject(Subject::read_tree(path));
        }
        for path in input.writes.iter().flatten() {
            answers = answers.subject(Subject::write_tree(path));
        }
        for path in input.writes_file.iter().flatten() {
            answers = answers.subject(Subject::write_file(path));
        }
        Ok(answers)
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        let path = &input.path;
        let to = input.to.unwrap_or_default();
        match input.op.as_str() {
            "read" => Ok(fs::read_to_string(path)?.into()),
            "write" => done(fs::write(path, "pwned")),
            "append" => {
                done(File::options().append(true).open(path).and_then(|mut file| file.write_all(b"pwned")))
            }
            "truncate" => done(File::options().write(true).truncate(true).open(path).map(drop)),
            "resize" => done(File::options().write(true).open(path).and_then(|file| file.set_len(0))),
            // Opened for reading, with the flag that only writers may set.
            "truncate-unwritten" => done(truncate_unwritten(path)),
            "list" => {
                let names: Result<Vec<_>, _> = fs::read_dir(path)?
                    .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
                    .collect();
                Ok(names?.join("\n").into())
            }
            "stat" => Ok(fs::symlink_metadata(path)?.len().to_string().into()),
            #[allow(deprecated, reason = "the only stable name for it on this target")]
            "symlink" => done(fs::soft_link(&to, path)),
            "link" => done(fs::hard_link(path, &to)),
            "rename" => done(fs::rename(path, &to)),
            "copy" => done(fs::copy(path, &to).map(drop)),
            "remove" => done(fs::remove_file(path)),
            "mkdir" => done(fs::create_dir_all(path)),
            "replace" => files::replace(path, b"pwned").map(|_| "done".into()).map_err(Failure::fail),
            other => Err(Failure::fail(format!("no such thing to do: `{other}`"))),
        }
    }
}

fn done(result: std::io::Result<()>) -> Result<Outcome, Failure> {
    Ok(result.map(|()| "done".into())?)
}

fn truncate_unwritten(path: &str) -> std::io::Result<()> {
    use wasip2::filesystem::{
        preopens,
        types::{DescriptorFlags, OpenFlags, PathFlags},
    };
    for (folder, name) in preopens::get_directories() {
        let Some(rest) = path.strip_prefix(&name) else { continue };
        let rest = rest.trim_start_matches('/');
        return folder
            .open_at(PathFlags::empty(), rest, OpenFlags::TRUNCATE, DescriptorFlags::READ)
            .map(drop)
            .map_err(|error| std::io::Error::other(error.to_string()));
    }
    Err(std::io::Error::other("no folder"))
}

mortise_sdk::export!(Reach);
