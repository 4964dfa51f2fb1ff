//! The tool Grep: files by what they hold.

use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use grep_regex::RegexMatcher;
use grep_searcher::Searcher;
use mortise_sdk::{
    Activity, Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Subject, Tool, paths,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::filter;
use crate::newest::Newest;
use crate::page::Page;
use crate::place::{Place, named};
use crate::query::{Input, Mode};
use crate::sink::{Found, Look};
use crate::walk::{self, Going, Unseen};

/// What programs get.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    mode: Mode,
    /// How many files are named.
    num_files: usize,
    filenames: Vec<String>,
    /// The lines shown, or the counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_lines: Option<usize>,
    /// How many lines match in all; with `count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    num_matches: Option<u64>,
    /// The limit, if it cut something off.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_limit: Option<usize>,
    /// The offset, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_offset: Option<usize>,
}

/// The tool Grep.
pub struct Grep;

impl Tool for Grep {
    type Input = Input;
    const NAME: &'static str = "Grep";
    const DESCRIPTION: &'static str = "Searches what files hold for a regular expression, with ripgrep's engine. \
        Lists the files that match, those changed last first; with `output_mode` `content` shows the lines, with \
        `count` how many there are. Narrow it with `path`, `glob` or `type`. Skips what .gitignore names and binary \
        files; hidden files are searched. Use it rather than grep or rg in a shell; to find files by name use Glob.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor
            .title("Search files")
            .search_hint("grep search text regex in file contents")
            .output::<Output>()
            .path_field("path")
            .needs(Need::ReadFiles)
            .idempotent()
    }

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        let folder = input.folder();
        paths::refuse_devices(folder)?;
        input.matcher()?;
        if let Some(name) = &input.r#type {
            filter::of_type(name)?;
        }
        if let Some(globs) = &input.glob {
            filter::of_globs(&paths::resolve(folder)?, globs)?;
        }
        Ok(Answers::new()
            .read_only()
            .concurrency_safe()
            .closed_world()
            .activity(Activity::Search)
            .subject(Subject::read_tree(folder))
            .title(format!("Searching for {}", input.pattern))
            .summary(format!("in {}", paths::shown(folder))))
    }

    fn call(input: Input, invocation: &Invocation) -> Result<Outcome, Failure> {
        Self::inspect(&input, invocation)?;
        let place = Place::find(input.folder())?;
        let mut search = Search::new(&input)?;
        if place.is_file {
            search.file(&place.path, None)?;
            if search.binary > 0 {
                search.unseen.add(format!("{} is a binary file", named(&place.path)));
            }
        } else {
            search.tree(&place.path)?;
        }
        Ok(search.answer())
    }
}

/// A search under way.
struct Search<'a> {
    input: &'a Input,
    matcher: RegexMatcher,
    searcher: Searcher,
    page: Page,
    /// Paths of matching files; with `files_with_matches`.
    newest: Newest,
    /// Paths of files with entries on the page, as far as that is known.
    filenames: Vec<String>,
    matches: u64,
    binary: u32,
    unseen: Unseen,
}

impl<'a> Search<'a> {
    fn new(input: &'a Input) -> Result<Self, Failure> {
        let most = input.limit().map_or(usize::MAX, |limit| limit.saturating_add(input.offset()));
        Ok(Self {
            matcher: input.matcher()?,
            searcher: input.searcher(),
            page: Page::new(input.offset(), input.limit()),
            newest: Newest::new(most),
            filenames: Vec::new(),
            matches: 0,
            binary: 0,
            unseen: Unseen::default(),
            input,
        })
    }

    fn tree(&mut self, root: &Path) -> Result<(), Failure> {
        let mut walk = walk::respectful(root);
        if let Some(name) = &self.input.r#type {
            walk.types(filter::of_type(name)?);
        }
        if let Some(globs) = &self.input.glob {
            walk.overrides(filter::of_globs(root, globs)?);
        }
        let mut unseen = std::mem::take(&mut self.unseen);
        walk::files(&walk, &mut unseen, |entry, unseen| {
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                let name = named(entry.path());
                self.file(entry.path(), Some(&name))?;
                unseen.append(&mut self.unseen);
            }
            let full = self.input.mode() == Mode::Content && self.page.room() == 0;
            Ok(if full { Going::Stop } else { Going::On })
        })?;
        self.unseen = unseen;
        Ok(())
    }

    /// Searches one file; `name` is put in front of its lines.
    fn file(&mut self, path: &Path, name: Option<&str>) -> Result<(), Failure> {
        let look = Look {
            matcher: &self.matcher,
            mode: self.input.mode(),
            name,
            numbers: self.input.numbers(),
            only_matching: self.input.only_matching(),
            room: self.page.room(),
        };
        let mut found = Found::new(look);
        match self.searcher.search_path(&self.matcher, path, &mut found) {
            Ok(()) => {}
            // Gone meanwhile, or denied: as if it were not there.
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound) => {
                return Ok(());
            }
            Err(error) => {
                self.unseen.add(format!("{}: {error}", named(path)));
                return Ok(());
            }
        }
        if found.binary {
            self.binary += 1;
            return Ok(());
        }
        let (count, lines) = (found.count, found.lines);
        if count == 0 {
            return Ok(());
        }
        let shown = name.map_or_else(|| named(path), str::to_owned);
        match self.input.mode() {
            Mode::FilesWithMatches => self.newest.add(modified(path), shown),
            Mode::Count => {
                self.matches += count;
                let before = self.page.kept().len();
                self.page.add(format!("{shown}:{count}"));
                if self.page.kept().len() > before {
                    self.filenames.push(shown);
                }
            }
            Mode::Content => {
                let before = self.page.kept().len();
                lines.into_iter().for_each(|line| self.page.add(line));
                if self.page.kept().len() > before {
                    self.filenames.push(shown);
                }
            }
        }
        Ok(())
    }

    fn answer(mut self) -> Outcome {
        let mode = self.input.mode();
        let mut found = self.page.seen();
        if mode == Mode::FilesWithMatches {
            found = self.newest.total();
            let newest = std::mem::replace(&mut self.newest, Newest::new(0));
            newest.names().into_iter().for_each(|name| self.page.add(name));
            self.filenames = self.page.kept().to_vec();
        }
        let more = found > self.input.offset() + self.page.kept().len();
        let mut text = self.text(mode, found);
        for note in [self.page.note_if(more), self.unseen.note()].into_iter().flatten() {
            text = format!("{text}\n{note}");
        }
        let entries = self.page.kept().join("\n");
        Outcome::text(text).structured(&Output {
            mode,
            num_files: self.filenames.len(),
            num_lines: (mode == Mode::Content).then(|| self.page.kept().len()),
            content: (mode != Mode::FilesWithMatches).then_some(entries),
            num_matches: (mode == Mode::Count).then_some(self.matches),
            applied_limit: self.input.limit().filter(|_| more),
            applied_offset: Some(self.input.offset()).filter(|offset| *offset > 0),
            filenames: self.filenames,
        })
    }

    fn text(&self, mode: Mode, found: usize) -> String {
        let entries = self.page.kept().join("\n");
        match mode {
            _ if found == 0 && mode == Mode::FilesWithMatches => "No files found".to_owned(),
            _ if found == 0 => "No matches found".to_owned(),
            _ if self.page.kept().is_empty() => "No entries at this offset".to_owned(),
            Mode::Content => entries,
            Mode::FilesWithMatches => format!("Found {}\n{entries}", counted(found, "file")),
            Mode::Count => {
                let (lines, files) = (self.matches as usize, counted(found, "file"));
                format!("{entries}\n\nFound {} in {files}.", counted(lines, "matching line"))
            }
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|about| about.modified()).ok()
}
