//! What commands are known not to run what they are given, and which variables change nothing that matters.
//!
//! Leaves to others: which of these only read (`readonly`).

use super::call::Item;

/// Commands whose words are never commands.
const INERT: [&str; 96] = [
    "[",
    "base32",
    "base64",
    "basename",
    "cat",
    "cd",
    "chgrp",
    "chmod",
    "chown",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cp",
    "cut",
    "date",
    "dd",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expand",
    "export",
    "expr",
    "false",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "git",
    "grep",
    "groups",
    "gzip",
    "gunzip",
    "head",
    "hexdump",
    "hostname",
    "id",
    "install",
    "join",
    "kill",
    "less",
    "ln",
    "local",
    "ls",
    "md5sum",
    "mkdir",
    "mktemp",
    "more",
    "mv",
    "nl",
    "od",
    "paste",
    "pgrep",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "readonly",
    "realpath",
    "rev",
    "rm",
    "rmdir",
    "rg",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shred",
    "shuf",
    "sleep",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "tee",
    "test",
    "touch",
    "tr",
    "tree",
    "true",
    "truncate",
    "type",
    "uname",
    "uniq",
    "unlink",
    "unset",
    "wc",
    "which",
    "whoami",
    "xxd",
    "yes",
];

/// Words of `git` that make it run other programs.
const GIT_RUNS: [&str; 12] = [
    "bisect",
    "submodule",
    "filter-branch",
    "rebase",
    "difftool",
    "mergetool",
    "alias",
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--open-files-in-pager",
    "--ext-diff",
];

/// Whether a command runs nothing of what it is given.
pub(super) fn is_inert(name: &str, items: &[Item]) -> bool {
    let texts = || items.iter().skip(1).map(|item| item.text.as_str());
    match name {
        "git" => !texts().any(|text| {
            let runs = GIT_RUNS.iter().any(|word| text == *word || text.starts_with(&format!("{word}=")));
            runs || (text.starts_with("-c") && !text.starts_with("-c-")) && is_global(items, text)
                || text.starts_with("--config-env")
                || text.starts_with("--exec")
                || text.starts_with("-x") && texts().any(|sub| sub.starts_with("reb"))
        }),
        "rg" => !texts().any(|text| text.starts_with("--pre") || text.starts_with("--hostname-bin")),
        "sort" => !texts().any(|text| text.starts_with("--c")),
        "tree" | "yes" => true,
        name => INERT.contains(&name),
    }
}

/// Whether an option stands before `git`'s own command.
fn is_global(items: &[Item], option: &str) -> bool {
    items
        .iter()
        .skip(1)
        .map(|item| item.text.as_str())
        .take_while(|text| text.starts_with('-'))
        .any(|text| text == option)
}

/// Shells, and what hands its input or its words to one.
pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "ash"
            | "fish"
            | "csh"
            | "tcsh"
            | "rbash"
            | "busybox"
            | "ssh"
            | "su"
            | "sudo"
            | "doas"
            | "source"
            | "."
            | "eval"
            | "xargs"
            | "parallel"
            | "at"
            | "batch"
            | "env"
    )
}

/// Variables that an allow rule looks past.
const SAFE: [&str; 27] = [
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GOARCH",
    "GOOS",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RAILS_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
    "VERBOSE",
];

/// Whether setting a variable for one command changes nothing that matters.
pub(super) fn is_safe_variable(name: &str) -> bool {
    SAFE.contains(&name) || name.starts_with("LC_")
}

/// Whether a variable is the line's own: by custom, what programs go by is in capitals.
pub(super) fn is_own_variable(name: &str) -> bool {
    let own = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    own && !name.ends_with("_proxy") && !name.is_empty() || is_safe_variable(name)
}
