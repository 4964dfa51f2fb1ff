//! Files that an allow rule does not open for writing (they decide what runs next), and the host's own,
//! which nothing opens.
//!
//! Leaves to others: asking for the former (`decide`), refusing the latter in a granted tree (`fence`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::resolve::real_path;

/// Folders all of whose content is protected.
const FOLDERS: [&str; 9] =
    [".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude"];

/// Below `.claude`, what tools are meant to write.
const OPEN_BELOW_CLAUDE: [&str; 1] = ["worktrees"];

/// Files, by name.
const FILES: [&str; 31] = [
    ".gitconfig",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".pre-commit-config.yaml",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    ".devcontainer.json",
    ".ripgreprc",
    "pyrightconfig.json",
    ".mcp.json",
    ".claude.json",
];

/// Files, by how their names begin.
const FILES_BY_START: [&str; 5] = [".pnp.", ".bazel", "lefthook.", ".lefthook.", "lefthook-"];

/// Whether writing a path needs a person even where a rule allows it. By name alone, in any case.
pub(super) fn is_protected(path: &Path) -> bool {
    let names: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    let Some(last) = names.last() else { return false };
    let in_folder = names.iter().enumerate().any(|(at, name)| {
        let next = names.get(at + 1).map(String::as_str);
        match name.as_str() {
            ".claude" => !next.is_some_and(|next| OPEN_BELOW_CLAUDE.contains(&next)),
            ".config" => next == Some("git"),
            "fish" => at > 0 && names[at - 1] == ".config",
            name => FOLDERS.contains(&name),
        }
    });
    in_folder
        || FILES.contains(&last.as_str())
        || FILES_BY_START.iter().any(|start| last.starts_with(start))
        || last == "lefthook"
}

/// Each path as it was given and as it really lies.
pub(super) fn both_spellings(paths: &[PathBuf]) -> Arc<[PathBuf]> {
    let real = paths.iter().filter_map(|path| real_path(path).ok());
    let mut all: Vec<PathBuf> = paths.iter().cloned().chain(real).collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Whether `path` is `folder` or lies below it, in any case.
pub(super) fn lies_in(path: &Path, folder: &Path) -> bool {
    let mut parts = path.components();
    folder.components().all(|wanted| {
        parts.next().is_some_and(|part| {
            let (part, wanted) = (part.as_os_str(), wanted.as_os_str());
            part.eq_ignore_ascii_case(wanted)
                || part.to_string_lossy().to_lowercase() == wanted.to_string_lossy().to_lowercase()
        })
    })
}
