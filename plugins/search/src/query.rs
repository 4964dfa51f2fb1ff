//! What Grep looks for and how it answers: the input with its defaults, checked before anything is opened.

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use mortise_sdk::Rejection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes that the compiled pattern may take.
const PATTERN_SIZE: usize = 10 << 20;

/// Bytes of one line, or with `multiline` of one file, that are searched.
const HEAP: usize = 32 << 20;

/// Lines of context that are shown at most.
const CONTEXT: u32 = 1_000;

/// Entries shown unless the input says otherwise.
const HEAD_LIMIT: u32 = 250;

/// How Grep answers.
#[derive(Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    // The paths of files that hold a match.
    #[default]
    FilesWithMatches,
    // The matching lines.
    Content,
    // How many lines match in each file.
    Count,
}

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The regular expression, in ripgrep's syntax. Escape literal braces and parentheses: `interface\{\}`.
    pub(crate) pattern: String,
    /// The file or folder to search. Default: the working directory.
    pub(crate) path: Option<String>,
    /// Only files whose path matches, as `*.js`, `src/**/*.{ts,tsx}` or `!*.min.js`; several parted by commas.
    pub(crate) glob: Option<String>,
    /// Only files of this type of ripgrep's: `js`, `py`, `rust`, `go`, `java`.
    pub(crate) r#type: Option<String>,
    /// `files_with_matches` (default) lists paths, `content` shows the lines, `count` says how many in each file.
    pub(crate) output_mode: Option<Mode>,
    /// Lines to show after each match; with `content`.
    #[serde(rename = "-A")]
    after: Option<u32>,
    /// Lines to show before each match; with `content`.
    #[serde(rename = "-B")]
    before: Option<u32>,
    /// Lines to show around each match; with `content`.
    #[serde(rename = "-C")]
    around: Option<u32>,
    /// The same as `-C`.
    context: Option<u32>,
    /// Show line numbers; with `content`. Default: true.
    #[serde(rename = "-n")]
    numbers: Option<bool>,
    /// Make no difference between upper and lower case.
    #[serde(rename = "-i")]
    any_case: Option<bool>,
    /// Show only what matched of each line; with `content`.
    #[serde(rename = "-o")]
    only_matching: Option<bool>,
    /// Show at most so many lines, paths or counts; 0 for all. Default: 250.
    head_limit: Option<u32>,
    /// Leave out so many of them first, to see what follows. Default: 0.
    offset: Option<u32>,
    /// Let the pattern match across lines, and `.` match line ends. Default: false.
    multiline: Option<bool>,
}

impl Input {
    pub(crate) fn mode(&self) -> Mode {
        self.output_mode.unwrap_or_default()
    }

    pub(crate) fn folder(&self) -> &str {
        self.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".")
    }

    pub(crate) fn numbers(&self) -> bool {
        self.numbers.unwrap_or(true)
    }

    pub(crate) fn only_matching(&self) -> bool {
        self.only_matching == Some(true)
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset.unwrap_or(0) as usize
    }

    /// How many entries are shown; `None` for all.
    pub(crate) fn limit(&self) -> Option<usize> {
        match self.head_limit.unwrap_or(HEAD_LIMIT) {
            0 => None,
            limit => Some(limit as usize),
        }
    }

    /// The compiled pattern. It matches in time linear in the text.
    ///
    /// # Errors
    /// A rejection that shows what is wrong with the pattern.
    pub(crate) fn matcher(&self) -> Result<RegexMatcher, Rejection> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .case_insensitive(self.any_case == Some(true))
            .size_limit(PATTERN_SIZE)
            .dfa_size_limit(PATTERN_SIZE)
            .nest_limit(100);
        if self.multiline == Some(true) {
            builder.dot_matches_new_line(true);
        } else {
            builder.crlf(true); // `$` before `\r\n` too
        }
        builder.build(&self.pattern).map_err(|error| {
            let error = error.to_string();
            let help = if error.contains("is not allowed in a regex") {
                "a pattern that matches line ends needs `multiline`: true"
            } else if error.contains("size limit") {
                "make the repetitions in it smaller"
            } else {
                "look-around and backreferences do not exist here; escape what is meant literally, as in `foo\\(`"
            };
            Rejection::new(format!("the pattern is not a valid regular expression: {error}; {help}"))
        })
    }

    /// A searcher for this query; binary files end their search at the first NUL byte.
    pub(crate) fn searcher(&self) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder.binary_detection(BinaryDetection::quit(0)).heap_limit(Some(HEAP)).line_number(true);
        if self.multiline == Some(true) {
            builder.multi_line(true);
        } else {
            builder.line_terminator(LineTerminator::crlf());
        }
        if self.mode() == Mode::Content && !self.only_matching() {
            let around = self.around.or(self.context).unwrap_or(0);
            builder.before_context(self.before.unwrap_or(around).min(CONTEXT) as usize);
            builder.after_context(self.after.unwrap_or(around).min(CONTEXT) as usize);
        }
        builder.build()
    }
}
