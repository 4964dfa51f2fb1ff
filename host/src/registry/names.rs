//! Names that tools may bear: plain ones, and no two that a person or a model could take for each other.

use std::collections::HashMap;

use crate::contract::Descriptor;

/// The longest name.
const MAX_NAME: usize = 64;

/// The prefix that is kept for tools of MCP servers.
const MCP_PREFIX: &str = "mcp__";

/// Why a tool cannot bear a name. For the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not of the form that models and rules can deal with.
    #[error("a tool's name has the form [A-Za-z][A-Za-z0-9_-]{{0,63}}, and this is `{}`", .0.escape_debug())]
    Malformed(String),
    /// Kept for others.
    #[error("names beginning `{MCP_PREFIX}` are kept for tools of MCP servers: `{0}`")]
    Reserved(String),
    /// Somebody bears it, or one too like it, already.
    #[error("the name `{name}` is taken, or too like `{taken}`, which comes from {owner}")]
    Taken {
        /// The name that was wanted.
        name: String,
        /// The name that is borne.
        taken: String,
        /// By whom.
        owner: String,
    },
}

/// Names in use, present and former, in the form that makes twins equal.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashMap<String, (String, String)>,
}

impl Names {
    /// Takes every name of a tool, or none.
    ///
    /// # Errors
    /// One of them is malformed, reserved or taken.
    pub(super) fn take(&mut self, descriptor: &Descriptor, owner: &str) -> Result<(), NameError> {
        let mut own: Vec<(String, &str)> = Vec::new();
        for name in descriptor.names() {
            check(name)?;
            let look = look(name);
            let twin = self.taken.get(&look).map(|(taken, owner)| (taken.as_str(), owner.as_str()));
            let own_twin = own.iter().find(|(other, _)| *other == look).map(|(_, name)| (*name, owner));
            if let Some((taken, owner)) = twin.or(own_twin) {
                return Err(NameError::Taken {
                    name: name.to_owned(),
                    taken: taken.to_owned(),
                    owner: owner.to_owned(),
                });
            }
            own.push((look, name));
        }
        for (look, name) in own {
            self.taken.insert(look, (name.to_owned(), owner.to_owned()));
        }
        Ok(())
    }
}

fn check(name: &str) -> Result<(), NameError> {
    let plain = name.len() <= MAX_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|other| other.is_ascii_alphanumeric() || matches!(other, '_' | '-'));
    if !plain {
        return Err(NameError::Malformed(name.chars().take(2 * MAX_NAME).collect()));
    }
    if name.to_ascii_lowercase().starts_with(MCP_PREFIX) {
        return Err(NameError::Reserved(name.to_owned()));
    }
    Ok(())
}

/// One form for all names that look or sound the same: the confusable skeleton of Unicode Technical
/// Standard 39, with case folded before and after it and `-` taken for `_`.
fn look(name: &str) -> String {
    let skeleton = |text: &str| unicode_security::skeleton(text).collect::<String>();
    skeleton(&name.to_ascii_lowercase()).to_ascii_lowercase().replace('-', "_")
}
