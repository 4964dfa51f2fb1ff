//! What a decision becomes: the reach of one call. Only this layer can make one that holds anything, so
//! holding a [`Grant`] proves that a decision was made; step 9 of the path builds the sandbox from it.
//!
//! Leaves to others: how an operation of a guest gets to be a path or a URL (`sandbox`).

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use url::Url;

use super::fence::Fence;
use crate::config::Limits;
use crate::contract::{Access, Extent};

/// Exactly what one call may reach.
///
/// A grant is subjects ∩ decision ∩ what the tool needs ∩ the operator's ceiling. There is no way to add to
/// one from outside this layer.
#[derive(Debug, Clone)]
pub struct Grant {
    pub(super) files: Vec<FileGrant>,
    pub(super) egress: Vec<EgressGrant>,
    pub(super) command: Option<CommandGrant>,
    pub(super) tools: Vec<String>,
    pub(super) secrets: Vec<String>,
    pub(super) storage: bool,
    pub(super) limits: Limits,
    pub(super) fence: Arc<Fence>,
}

/// What a grant holds, to be shown; nothing can be reached with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrantSummary {
    /// Files and folders.
    pub files: Vec<FileGrant>,
    /// Origins.
    pub egress: Vec<EgressGrant>,
    /// The one command line, and what it may reach.
    pub command: Option<CommandGrant>,
    /// Tools that may be called; `*` is any.
    pub tools: Vec<String>,
    /// Secrets that may be attached.
    pub secrets: Vec<String>,
    /// Whether the plugin's storage answers.
    pub storage: bool,
    /// The bounds of the call.
    pub limits: Limits,
}

/// Files that a call may reach.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FileGrant {
    /// Absolute, symlinks followed as far as it exists.
    pub path: PathBuf,
    /// The same thing as the input named it: absolute, `..` and `~` resolved, symlinks not followed.
    pub named: PathBuf,
    /// What may be done.
    pub access: Access,
    /// The file alone, or the folder with all below it.
    pub extent: Extent,
}

/// The one command that a call may run, and what the kernel lets it reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandGrant {
    /// The approved line, byte for byte.
    pub line: String,
    /// Where it starts: absolute, symlinks followed.
    pub working_directory: PathBuf,
    /// Beside the base set that every command needs. What a deny rule names is not within reach, whatever tree
    /// it lies in.
    pub files: Vec<FileGrant>,
    /// Whether it may use the network.
    pub network: bool,
}

/// An origin that a call may send requests to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EgressGrant {
    /// `https` or `http`.
    pub scheme: String,
    /// Lower case, no trailing dot; an IPv6 address in brackets.
    pub host: String,
    /// Always explicit.
    pub port: u16,
    /// Whether only GET and HEAD may be sent.
    pub safe_methods: bool,
    /// Whether the operator opened this origin on an address that is not globally routable.
    pub private: bool,
}

/// Why something is out of a call's reach, in words for the guest, the model and the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Grant {
    /// The grant that holds nothing: every powerless phase runs under it.
    #[must_use]
    pub fn none(limits: Limits) -> Self {
        Self {
            files: Vec::new(),
            egress: Vec::new(),
            command: None,
            tools: Vec::new(),
            secrets: Vec::new(),
            storage: false,
            limits,
            fence: Arc::new(Fence::closed()),
        }
    }

    /// A grant of these files, for tests of other layers.
    #[cfg(test)]
    pub(crate) fn for_test(files: Vec<FileGrant>, fence: Arc<Fence>) -> Self {
        Self { files, fence, ..Self::none(Limits::default()) }
    }

    /// Files and folders within reach, in no particular order.
    #[must_use]
    pub fn files(&self) -> &[FileGrant] {
        &self.files
    }

    /// Origins within reach.
    #[must_use]
    pub fn egress(&self) -> &[EgressGrant] {
        &self.egress
    }

    /// The one command that may be run, and what it may reach.
    #[must_use]
    pub fn command(&self) -> Option<&CommandGrant> {
        self.command.as_ref()
    }

    /// Tools that may be called; `*` is any.
    #[must_use]
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Secrets that the host may attach to requests.
    #[must_use]
    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// Whether the plugin's storage answers.
    #[must_use]
    pub fn storage(&self) -> bool {
        self.storage
    }

    /// The bounds of the call.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The rules that hold inside every granted tree.
    #[must_use]
    pub fn fence(&self) -> &Arc<Fence> {
        &self.fence
    }

    /// What it holds, to be shown.
    #[must_use]
    pub fn summary(&self) -> GrantSummary {
        GrantSummary {
            files: self.files.clone(),
            egress: self.egress.clone(),
            command: self.command.clone(),
            tools: self.tools.clone(),
            secrets: self.secrets.clone(),
            storage: self.storage,
            limits: self.limits,
        }
    }

    /// Whether nothing at all is within reach.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.egress.is_empty()
            && self.command.is_none()
            && self.tools.is_empty()
            && self.secrets.is_empty()
            && !self.storage
    }

    /// Judges one operation on one path that has been resolved: absolute, no `.` or `..`, and no symlink
    /// left in it. Called for every symlink hop and for what it all came to.
    ///
    /// # Errors
    /// The path is outside the grant, the access is more than was granted, or a rule keeps it out.
    pub fn judge_path(&self, path: &Path, access: Access) -> Result<(), Refusal> {
        self.judge(path, access, FileGrant::covers)
    }

    /// Judges a path as a guest spelled it: absolute, `.` and `..` removed by text alone, symlinks still in it.
    /// What it resolves to is judged by [`Self::judge_path`] too: both must pass.
    ///
    /// # Errors
    /// As [`Self::judge_path`].
    pub fn judge_spelling(&self, path: &Path, access: Access) -> Result<(), Refusal> {
        self.judge(path, access, FileGrant::covers_spelling)
    }

    fn judge(
        &self,
        path: &Path,
        access: Access,
        covers: impl Fn(&FileGrant, &Path) -> bool,
    ) -> Result<(), Refusal> {
        let plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
        if !plain {
            return Err(Refusal(format!("it was not resolved before it was judged: `{}`", path.display())));
        }
        let mut why = None;
        for file in self.files.iter().filter(|file| covers(file, path)) {
            if file.access < access {
                let only = || Refusal(format!("this call was granted reading only: `{}`", path.display()));
                why = why.or_else(|| Some(only()));
                continue;
            }
            match self.fence.judge(path, access, file) {
                Ok(()) => return Ok(()),
                Err(refusal) => why = Some(refusal),
            }
        }
        Err(why.unwrap_or_else(|| {
            let verb = if access == Access::Write { "writing" } else { "reading" };
            Refusal(format!("{verb} it is not among what this call was granted: `{}`", path.display()))
        }))
    }

    /// Judges one request, before any name is looked up. Redirects are requests of their own.
    ///
    /// # Errors
    /// No granted origin matches in scheme, host and port, or the method is more than was granted.
    pub fn judge_request(&self, method: &str, url: &Url) -> Result<&EgressGrant, Refusal> {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
        let port = url.port_or_known_default().unwrap_or_default();
        let origin = self
            .egress
            .iter()
            .filter(|origin| origin.scheme == url.scheme() && origin.host == host && origin.port == port);
        let safe = matches!(method, "GET" | "HEAD");
        let mut found = false;
        for origin in origin {
            found = true;
            if safe || !origin.safe_methods {
                return Ok(origin);
            }
        }
        let origin = format!("{}://{host}:{port}", url.scheme());
        Err(Refusal(if found {
            format!("this call may send only GET and HEAD to `{origin}`, not `{method}`")
        } else {
            format!("this call was not granted requests to `{origin}`")
        }))
    }
}

impl FileGrant {
    /// Whether a resolved path is this file, or in this tree.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        match self.extent {
            Extent::File => path == self.path,
            Extent::Tree => path.starts_with(&self.path),
        }
    }

    /// The same for a path as it was spelled: either spelling of the grant will do.
    #[must_use]
    pub fn covers_spelling(&self, path: &Path) -> bool {
        self.covers(path)
            || match self.extent {
                Extent::File => path == self.named,
                Extent::Tree => path.starts_with(&self.named),
            }
    }
}

#[cfg(test)]
impl Grant {
    /// A grant of requests alone, for the tests of what holds guests to it.
    pub(crate) fn for_test_egress(egress: Vec<EgressGrant>, limits: Limits) -> Self {
        Self { egress, ..Self::none(limits) }
    }
}
