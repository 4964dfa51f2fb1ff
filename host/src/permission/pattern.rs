//! Path patterns: gitignore's syntax with four roots (`//abs`, `~/home`, `/source`, `x` from the working
//! directory), turned into anchored globs over absolute paths.
//!
//! An allow pattern says exactly what it says, by the letter. A deny or ask pattern covers more where its
//! writer may have meant more: any case, everything below a match, brackets and braces both as classes and
//! as themselves, and where its literal part leads through symlinks.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder};

use super::resolve::{Resolver, real_path};
use crate::config::RuleEffect;

/// A path pattern, ready to be compiled into a set.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    /// Globs that match single files and folders.
    pub(super) files: Vec<Glob>,
    /// Globs of folders all of whose content is matched too (allow only).
    pub(super) trees: Vec<Glob>,
    /// Globs of folders whose renaming would carry something matched out of the pattern.
    pub(super) guards: Vec<Glob>,
    /// The leading part without wildcards, as named and as it leads through symlinks.
    bases: Vec<PathBuf>,
    /// Whether something matched may lie at any depth below a base.
    floating: bool,
}

/// Why a pattern can never match, and what to write instead.
pub(super) type Wrong = (String, String);

impl PathPattern {
    /// Reads what stands in the parentheses of a path rule.
    ///
    /// # Errors
    /// The pattern can never match.
    pub(super) fn parse(
        text: &str,
        effect: RuleEffect,
        source_root: &Path,
        places: &Resolver,
    ) -> Result<Self, Wrong> {
        let text = trim_end(text);
        if let Some(rest) = text.strip_prefix('!') {
            let why = "a pattern does not take back another: `!` has no meaning in a rule".to_owned();
            return Err((
                why,
                format!("delete the rule, or write `\\!{rest}` for a name that begins with `!`"),
            ));
        }
        if text.chars().any(char::is_control) {
            return Err((
                "the pattern holds control characters".to_owned(),
                "write it on one line".to_owned(),
            ));
        }
        let (root, rest, anchored) = root_of(text, source_root, places)?;
        let dotted = rest.starts_with("./");
        let mut root = root;
        let mut parts: Vec<String> = Vec::new();
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|part| has_wildcard(part)) => {
                    let why = "`..` after a wildcard names nothing".to_owned();
                    return Err((why, "name the folder itself".to_owned()));
                }
                ".." => {
                    if parts.pop().is_none() {
                        root = real_path(&root).unwrap_or(root);
                        root.pop();
                    }
                }
                part => parts.push(part.to_owned()),
            }
        }
        if effect == RuleEffect::Allow && parts.iter().any(|part| range_over_slash(part)) {
            let why = "a range in brackets must not run over `/`".to_owned();
            return Err((why, "write two ranges".to_owned()));
        }
        let mut tree = rest.ends_with('/');
        while parts.last().is_some_and(|part| part == "**") {
            parts.pop();
            tree = true;
        }
        let lenient = effect != RuleEffect::Allow;
        let single = !anchored && parts.len() == 1 && !rest.starts_with("../");
        if single && (lenient || !(tree || dotted)) {
            parts.insert(0, "**".to_owned());
        }
        Self::compile(&root, &parts, tree, lenient)
    }

    fn compile(root: &Path, parts: &[String], tree: bool, lenient: bool) -> Result<Self, Wrong> {
        let literal = parts.iter().take_while(|part| !has_wildcard(part)).count();
        let base = parts[..literal].iter().fold(root.to_path_buf(), |base, part| base.join(unescape(part)));
        let mut bases = vec![base.clone()];
        // An allow rule follows symlinks only in where it starts; a deny rule in all that it names.
        let mut starts = vec![(root.to_path_buf(), parts)];
        if let Ok(real) = real_path(root) {
            starts.push((real, parts));
        }
        if let Ok(real) = real_path(&base) {
            if lenient {
                starts.push((real.clone(), &parts[literal..]));
            }
            bases.push(real);
        }
        // A bare name, which floats, may be a symlink where the pattern starts.
        if let ([any, name], true) = (parts, lenient && literal == 0) {
            let here = root.join(unescape(name));
            let real =
                real_path(&here).ok().filter(|real| any == "**" && !has_wildcard(name) && *real != here);
            if let Some(real) = real {
                starts.push((real.clone(), &[]));
                bases.push(real);
            }
        }
        starts.dedup();
        bases.dedup();
        let floating = parts[literal..].iter().any(|part| part == "**");
        let mut pattern = Self { files: Vec::new(), trees: Vec::new(), guards: Vec::new(), bases, floating };
        for (start, parts) in &starts {
            let start = glob_of_path(start);
            pattern.add(&start, parts, tree, lenient)?;
        }
        Ok(pattern)
    }

    /// Adds the globs for one root; every glob begins with `/`.
    fn add(&mut self, start: &str, parts: &[String], tree: bool, lenient: bool) -> Result<(), Wrong> {
        let spelled = |how: fn(&str) -> String| -> String {
            let tail: String = parts.iter().map(|part| format!("/{}", how(part))).collect();
            format!("{start}{tail}")
        };
        let whole = |line: String| if line.is_empty() { "/".to_owned() } else { line };
        if !lenient {
            let line = spelled(strict_part);
            let below = glob(&format!("{line}/**"), false);
            let itself = glob(&whole(line), false)?;
            if tree {
                let below = below?;
                self.trees.extend([itself.clone(), below.clone()]);
                self.files.push(below);
            }
            self.files.push(itself);
            return Ok(());
        }
        let mut last = Ok(());
        let mut any = false;
        let mut lines = vec![spelled(str::to_owned), spelled(literal_part)];
        lines.dedup();
        for line in lines {
            let below = glob(&format!("{line}/**"), true);
            match glob(&whole(line), true).and_then(|itself| Ok([itself, below?])) {
                Ok(globs) => {
                    self.files.extend(globs);
                    any = true;
                }
                Err(wrong) => last = Err(wrong),
            }
        }
        for end in 1..parts.len() {
            if parts[end - 1] != "**" {
                let line: String = parts[..end].iter().map(|part| format!("/{part}")).collect();
                self.guards.extend(glob(&format!("{start}{line}"), true).ok());
            }
        }
        if any { Ok(()) } else { last }
    }

    /// The leading parts without wildcards: files or folders, as named and as they really lie.
    pub(super) fn bases(&self) -> &[PathBuf] {
        &self.bases
    }

    /// Whether what is matched may lie at any depth below a base.
    pub(super) fn floating(&self) -> bool {
        self.floating
    }
}

/// Where a pattern starts, what follows, and whether it is anchored there.
fn root_of<'t>(text: &'t str, source: &Path, places: &Resolver) -> Result<(PathBuf, &'t str, bool), Wrong> {
    if let Some(rest) = text.strip_prefix("//") {
        return Ok((PathBuf::from("/"), rest, true));
    }
    if let Some(rest) = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        let home = places.home.clone().ok_or_else(|| {
            let why = "`~` stands for a home folder, and there is none".to_owned();
            (why, "write the absolute path, beginning with `//`".to_owned())
        })?;
        return Ok((home, rest, true));
    }
    if let Some(rest) = text.strip_prefix('/') {
        return Ok((source.to_path_buf(), rest, true));
    }
    Ok((places.working_directory.clone(), text, false))
}

fn glob(line: &str, lenient: bool) -> Result<Glob, Wrong> {
    let folded = if lenient && !line.is_ascii() { fold(line) } else { line.to_owned() };
    GlobBuilder::new(&folded)
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(lenient)
        .build()
        .map_err(|error| {
            (format!("no pattern: {}", error.kind()), "escape `[`, `{` and `\\` with `\\`".to_owned())
        })
}

/// Lower case, letter by letter: what stands beside a letter changes nothing.
pub(super) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Trailing blanks do not count unless escaped, as in gitignore.
fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches(' ');
    if trimmed.len() < text.len() && ends_escaped(trimmed) { &text[..=trimmed.len()] } else { trimmed }
}

/// Whether text ends in a backslash that escapes what would follow.
fn ends_escaped(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Whether a part of a pattern matches anything but one name.
fn has_wildcard(part: &str) -> bool {
    let mut escaped = false;
    part.chars().any(|c| {
        let special = !escaped && matches!(c, '*' | '?' | '[' | '{');
        escaped = !escaped && c == '\\';
        special
    })
}

/// Whether a class holds a range with `/` in it, which would match across folders.
fn range_over_slash(part: &str) -> bool {
    let chars: Vec<char> = part.chars().collect();
    part.contains('[') && chars.windows(3).any(|w| w[1] == '-' && w[0] < '/' && w[2] > '/')
}

fn unescape(part: &str) -> String {
    let mut chars = part.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}

/// A part as an allow rule means it: braces are themselves, and a class never matches `/`.
fn strict_part(part: &str) -> String {
    let mut out = String::new();
    let mut escaped = false;
    let mut chars = part.chars().peekable();
    while let Some(c) = chars.next() {
        if !escaped && matches!(c, '{' | '}') {
            out.push('\\');
        }
        out.push(c);
        if !escaped
            && c == '['
            && let Some(not) = chars.next_if(|next| matches!(next, '!' | '^'))
        {
            out.push(not);
            // A `]` that comes first is itself; `/` goes after it.
            out.extend(chars.next_if(|next| *next == ']'));
            out.push('/');
        }
        escaped = !escaped && c == '\\';
    }
    out
}

/// A part with brackets and braces taken as themselves, and no dangling backslash.
fn literal_part(part: &str) -> String {
    let mut out = String::new();
    let mut escaped = false;
    for c in part.chars() {
        if !escaped && matches!(c, '[' | ']' | '{' | '}') {
            out.push('\\');
        }
        out.push(c);
        escaped = !escaped && c == '\\';
    }
    if escaped {
        out.push('\\');
    }
    out
}

/// A path as a pattern that matches it alone: no trailing slash, the root being the empty text.
pub(super) fn glob_of_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut out = String::new();
    for c in text.trim_end_matches('/').chars() {
        if matches!(c, '\\' | '*' | '?' | '[' | ']' | '{' | '}') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
