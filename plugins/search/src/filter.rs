//! Which files Grep looks into: by type and by glob, as ripgrep has them.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use mortise_sdk::{Rejection, paths};

/// The files of one of ripgrep's types.
///
/// # Errors
/// A rejection that names the type that was meant, or all there are.
pub(crate) fn of_type(name: &str) -> Result<Types, Rejection> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known = builder.definitions();
    if !known.iter().any(|definition| definition.name() == name) {
        return Err(unknown(name, &known));
    }
    builder.select(name);
    builder.build().map_err(|error| Rejection::new(format!("type `{name}`: {error}")))
}

/// The files that match any of some globs, parted by commas or blanks outside braces.
///
/// # Errors
/// A rejection that shows the glob at fault.
pub(crate) fn of_globs(root: &Path, globs: &str) -> Result<Override, Rejection> {
    let mut builder = OverrideBuilder::new(root);
    let wrong = |glob: &str, error: ignore::Error| {
        Rejection::new(format!(
            "the glob `{glob}` is not valid: {error}; write it like `*.rs`, `src/**/*.{{ts,tsx}}` or `!*.min.js`"
        ))
    };
    for glob in split(globs) {
        builder.add(&glob).map_err(|error| wrong(&glob, error))?;
        // One that was written from the working directory means the same files when the search begins below that.
        let below = format!("{}/", paths::shown(root));
        if let Some(rest) = glob.strip_prefix(&below) {
            builder.add(&format!("/{rest}")).map_err(|error| wrong(&glob, error))?;
        }
    }
    builder.build().map_err(|error| wrong(globs, error))
}

fn split(globs: &str) -> Vec<String> {
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0_u32);
    for c in globs.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

fn unknown(name: &str, known: &[ignore::types::FileTypeDef]) -> Rejection {
    let ending = format!("*.{}", name.trim_start_matches(['*', '.']).to_lowercase());
    let meant: Vec<&str> = known
        .iter()
        .filter(|definition| definition.globs().contains(&ending))
        .map(|definition| definition.name())
        .collect();
    let help = match meant.as_slice() {
        [] => {
            let names = known.iter().map(|definition| definition.name());
            format!("use `glob` instead, or one of: {}", names.collect::<Vec<_>>().join(", "))
        }
        meant => format!("files `{ending}` are of type `{}`", meant.join("`, `")),
    };
    Rejection::new(format!("there is no file type `{name}`: {help}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_parted_outside_braces() {
        assert_eq!(split("*.rs, *.{ts,tsx} src/**"), ["*.rs", "*.{ts,tsx}", "src/**"]);
        assert_eq!(split(" "), [""; 0]);
    }
}
