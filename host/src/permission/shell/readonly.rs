//! Commands that only read, by a table of names and of what flags are safe with each; and those few that mode
//! `acceptEdits` lets write.
//!
//! Leaves to others: where what they read lies (`touch`, `decide`), `git` (`git`).

use super::git;
use super::word::Word;

/// Commands that read, whatever they are given.
const READERS: [&str; 54] = [
    "[",
    "base32",
    "base64",
    "basename",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expand",
    "expr",
    "false",
    "fgrep",
    "fold",
    "fmt",
    "grep",
    "groups",
    "head",
    "hexdump",
    "id",
    "join",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sleep",
    "stat",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "type",
    "uname",
    "wc",
];

/// Whether a command, its name first, only reads.
pub(super) fn reads(words: &[Word]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let Some(name) = name.literal() else { return false };
    let name = ["/bin/", "/usr/bin/"].iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(&name);
    // Names of another machine's shares.
    if rest.iter().any(|word| word.source.starts_with("//") || word.source.starts_with("\\\\")) {
        return false;
    }
    if matches!(name, "which" | "whoami") || READERS.contains(&name) {
        return reader(name, rest);
    }
    // What may write by a flag must be told in full by the text: a wildcard may come to a flag.
    let texts: Option<Vec<String>> = rest.iter().map(Word::literal).collect();
    let Some(texts) = texts else { return false };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match name {
        "find" => texts.iter().all(|word| !word.starts_with('-') || FIND.contains(word)),
        "sort" => sorts(&texts),
        "uniq" => {
            texts.iter().filter(|word| !word.starts_with('-')).count() <= 1
                && short(&texts, "cdDuizfsw0123456789")
        }
        "file" => short(&texts, "bikLhNsz0"),
        "tree" => short(&texts, "adfilLpPshugDQNIrtcUvnACSJX0123456789"),
        "date" => {
            texts.iter().all(|word| word.starts_with('+') || matches!(*word, "-u" | "-R" | "-I" | "--utc"))
        }
        "hostname" => texts.is_empty(),
        "rg" => texts.iter().all(|word| {
            let long = ["--pre", "--hostname-bin", "--search-zip"].iter().any(|bad| word.starts_with(bad));
            let short = word.starts_with('-') && !word.starts_with("--") && word.contains('z');
            !(long || short)
        }),
        "sed" => prints(&texts),
        "git" => git::reads(&texts),
        "docker" => docker(&texts),
        _ => false,
    }
}

fn reader(name: &str, rest: &[Word]) -> bool {
    let starts = |start: &str| rest.iter().any(|word| word.source.starts_with(start));
    match name {
        "printf" => !starts("-v") && !rest.iter().any(|word| word.is_dynamic() && word.may_split()),
        // A test evaluates what stands in brackets.
        "test" | "[" => !rest.iter().any(|word| word.source != "]" && word.source.contains('[')),
        "wc" | "du" => !starts("--fi"),
        "cd" => rest.iter().filter(|word| !word.source.starts_with('-')).count() <= 1,
        _ => true,
    }
}

/// Only short flags of these letters.
fn short(texts: &[&str], letters: &str) -> bool {
    texts
        .iter()
        .filter(|word| word.len() > 1 && word.starts_with('-'))
        .all(|word| word[1..].chars().all(|c| letters.contains(c)))
}

fn sorts(texts: &[&str]) -> bool {
    let mut words = texts.iter();
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else { continue };
        match letters.find(['k', 't', 'S']) {
            Some(at) if letters[..at].chars().all(|c| "bdfghiMnrRuVcCzsm".contains(c)) => {
                if at + 1 == letters.len() {
                    words.next();
                }
            }
            None if letters.chars().all(|c| "bdfghiMnrRuVcCzsm".contains(c)) => {}
            _ => return false,
        }
    }
    true
}

/// What `find` may be told that neither writes nor runs.
const FIND: [&str; 42] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-size",
    "-empty",
    "-maxdepth",
    "-mindepth",
    "-depth",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-not",
    "-and",
    "-or",
    "-a",
    "-o",
    "-print",
    "-print0",
    "-prune",
    "-ls",
    "-L",
    "-H",
    "-P",
    "-mount",
    "-xdev",
    "-quit",
];

/// `sed` that only prints, or prints what it replaced.
fn prints(texts: &[&str]) -> bool {
    let flags = texts.iter().filter(|word| word.starts_with('-'));
    let known = flags.clone().all(|flag| matches!(*flag, "-n" | "-E" | "-r" | "-nE" | "-nr" | "-En"));
    known && texts.iter().find(|word| !word.starts_with('-')).is_some_and(|script| is_plain_script(script))
}

/// Whether a `sed` script neither runs commands nor names files: addresses, and `p`, `d`, `q`, `=`, `s`.
fn is_plain_script(script: &str) -> bool {
    let mut rest = script.trim();
    while !rest.is_empty() {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' ' | '!'));
        while let Some(after) = rest.strip_prefix('/') {
            let Some(end) = delimited(after, '/') else { return false };
            rest = after[end..]
                .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' ' | '!' | 'I'));
        }
        let mut chars = rest.chars();
        match chars.next() {
            Some('p' | 'd' | 'q' | '=') => {}
            Some('s') => {
                let Some(by) = chars.next().filter(|by| by.is_ascii_punctuation() && *by != '\\') else {
                    return false;
                };
                let Some(first) = delimited(chars.as_str(), by) else { return false };
                let Some(second) = delimited(&chars.as_str()[first..], by) else { return false };
                let flags = &chars.as_str()[first + second..];
                chars = flags
                    .trim_start_matches([
                        'g', 'p', 'i', 'I', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
                    ])
                    .chars();
            }
            _ => return false,
        }
        rest = chars.as_str().trim_start_matches([' ', ';', '\n']);
        if rest.len() == chars.as_str().len() && !rest.is_empty() {
            return false;
        }
    }
    true
}

/// Where what ends in `by` ends, that included.
fn delimited(text: &str, by: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && (c == '[' || c == '\n') {
            // A class may hold the delimiter.
            return None;
        }
        if !escaped && c == by {
            return Some(at + c.len_utf8());
        }
        escaped = !escaped && c == '\\';
    }
    None
}

fn docker(texts: &[&str]) -> bool {
    let reads = matches!(texts.first(), Some(&("ps" | "images" | "version" | "info" | "logs" | "inspect")));
    let elsewhere = ["-H", "--h", "--c", "--u", "--follow"];
    reads && !texts.iter().any(|word| elsewhere.iter().any(|start| word.starts_with(start)))
}

/// Whether mode `acceptEdits` lets a command, its name first, change files within reach.
pub(super) fn edits(words: &[Word]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    match name.literal().as_deref() {
        Some("mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp") => true,
        Some("sed") => {
            let texts: Option<Vec<String>> = rest.iter().map(Word::literal).collect();
            let Some(texts) = texts else { return false };
            let known = ["-i", "-n", "-E", "-r", "-iE", "-Ei", "-ri", "--in-place"];
            let flags = texts.iter().filter(|word| word.starts_with('-'));
            let script = texts.iter().find(|word| !word.starts_with('-'));
            flags.clone().all(|flag| known.contains(&flag.as_str()))
                && script.is_some_and(|script| is_plain_script(script))
        }
        _ => false,
    }
}
