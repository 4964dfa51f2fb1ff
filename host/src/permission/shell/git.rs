//! `git`, as far as it only reads.
//!
//! Leaves to others: everything that `git` may be told besides, which is asked or ruled.

/// Long options that write, run something or reach out of the repository; cut short, too.
const REFUSED: [&str; 12] = [
    "output",
    "output-directory",
    "ext-diff",
    "textconv",
    "no-index",
    "open-files-in-pager",
    "exec",
    "exec-path",
    "upload-pack",
    "filters",
    "paginate",
    "contents",
];

/// Whether a call of `git` only reads this repository. `words` is all that follows the name.
pub(super) fn reads(words: &[&str]) -> bool {
    let global = words.iter().take_while(|word| word.starts_with('-')).count();
    let harmless = ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"];
    let (global, rest) = words.split_at(global);
    if global == ["--version"] && rest.is_empty() {
        return true;
    }
    if global.iter().any(|word| !harmless.contains(word)) {
        return false;
    }
    let Some((command, rest)) = rest.split_first() else { return false };
    if rest.iter().take_while(|word| **word != "--").any(|word| refused(word)) {
        return false;
    }
    let flags = || rest.iter().filter(|word| word.starts_with('-'));
    let operands = || rest.iter().filter(|word| !word.starts_with('-'));
    let only = |known: &[&str]| {
        flags().all(|flag| known.iter().any(|known| flag == known || flag.starts_with(&format!("{known}="))))
    };
    match *command {
        "status" | "log" | "diff" | "show" | "blame" | "ls-files" | "ls-tree" | "rev-parse" | "rev-list"
        | "cat-file" | "describe" | "shortlog" | "merge-base" | "for-each-ref" | "name-rev" | "show-ref"
        | "version" | "grep" | "diff-tree" | "diff-index" | "diff-files" | "whatchanged"
        | "count-objects" | "cherry" | "range-diff" | "check-ignore" | "check-attr" => {
            !flags().any(|flag| short_refused(command, flag))
        }
        "branch" => {
            let listing = [
                "-a",
                "-r",
                "-v",
                "-vv",
                "-av",
                "-avv",
                "-rv",
                "--list",
                "-l",
                "--all",
                "--remotes",
                "--show-current",
                "--contains",
                "--no-contains",
                "--merged",
                "--no-merged",
                "--points-at",
                "--sort",
                "--format",
                "--no-color",
                "--column",
            ];
            let named = flags()
                .any(|flag| matches!(*flag, "--list" | "-l" | "--contains" | "--merged" | "--no-merged"));
            only(&listing) && (named || operands().next().is_none())
        }
        "tag" => {
            let listing =
                ["-l", "--list", "--contains", "--merged", "--points-at", "--sort", "--format", "-n"];
            let named = flags().any(|flag| matches!(*flag, "--list" | "-l"));
            only(&listing) && (named || operands().next().is_none())
        }
        "remote" => matches!(rest, [] | ["-v" | "--verbose"] | ["get-url", ..]),
        "stash" => matches!(rest, ["list" | "show", ..]),
        "worktree" => matches!(rest, ["list", ..]),
        "reflog" => {
            matches!(rest, [] | ["show", ..]) || rest.first().is_some_and(|word| word.starts_with('-'))
        }
        "config" => {
            let verb = rest
                .iter()
                .position(|word| matches!(*word, "--get" | "--get-all" | "--list" | "-l" | "get" | "list"));
            verb.is_some_and(|at| {
                rest[..at].iter().all(|word| matches!(*word, "--local" | "--global" | "--show-origin"))
            }) && only(&[
                "--get",
                "--get-all",
                "--list",
                "-l",
                "--local",
                "--global",
                "--show-origin",
                "--all",
            ])
        }
        _ => false,
    }
}

fn refused(word: &str) -> bool {
    let Some(name) = word.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name)) else {
        return false;
    };
    !name.is_empty() && REFUSED.iter().any(|refused| refused.starts_with(name))
}

fn short_refused(command: &str, flag: &str) -> bool {
    let letters = if flag.starts_with("--") { "" } else { flag.trim_start_matches('-') };
    match command {
        // `-O` opens what is found.
        "grep" => letters.contains('O'),
        _ => letters.starts_with('O') || letters.starts_with('o') && command != "ls-files",
    }
}
