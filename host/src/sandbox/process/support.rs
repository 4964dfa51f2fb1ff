//! What this machine's kernel can confine, tried out once: what is configured says little of what works.
//!
//! Leaves to others: saying it (`surfaces`), using it (`confine`).

#![expect(
    clippy::disallowed_methods,
    reason = "it starts a program that does nothing, to see how it is held"
)]

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use landlock::{Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};

use super::confine::{NEEDED, identity, unconfined};
use super::descend::{Descent, Namespaces, attach};
use super::spawn::in_spawner;

/// What the kernel of this machine can do for commands.
#[derive(Debug, Clone)]
pub struct Support {
    landlock: Result<(), String>,
    namespaces: Result<NamespaceKind, String>,
}

/// How namespaces are to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespaceKind {
    /// This user may make any.
    Direct,
    /// In a namespace of users of their own.
    User,
}

impl Support {
    /// Tries out the kernel of this machine; from the second time on it is remembered. Takes some milliseconds.
    #[must_use]
    pub fn of_this_kernel() -> &'static Self {
        static FOUND: OnceLock<Support> = OnceLock::new();
        FOUND.get_or_init(|| Self { landlock: landlock(), namespaces: namespaces() })
    }

    /// A kernel that can do less, for tests.
    #[must_use]
    pub fn without(&self, landlock: bool, namespaces: bool) -> Self {
        let off = "switched off".to_owned();
        Self {
            landlock: if landlock { Err(off.clone()) } else { self.landlock.clone() },
            namespaces: if namespaces { Err(off) } else { self.namespaces.clone() },
        }
    }

    /// Whether commands are confined: without Landlock they are not.
    #[must_use]
    pub fn confines(&self) -> bool {
        self.landlock.is_ok()
    }

    pub(super) fn namespaces(&self) -> Option<NamespaceKind> {
        self.namespaces.as_ref().ok().copied()
    }

    /// One line for the operator: how commands are confined here.
    ///
    /// # Errors
    /// They cannot be, with the next step.
    pub fn told(&self) -> Result<String, String> {
        if let Err(why) = &self.landlock {
            return Err(format!(
                "no command runs, since the kernel cannot confine it: {why}; hint: Linux 6.2 or later with \
                 `landlock` in its `lsm=` list, or `[process] unconfined = true` in your own mortise.toml"
            ));
        }
        Ok(match &self.namespaces {
            Ok(NamespaceKind::Direct) => {
                "Landlock, with namespaces for mounts, processes and network".to_owned()
            }
            Ok(NamespaceKind::User) => {
                "Landlock, with namespaces for users, mounts, processes and network".to_owned()
            }
            Err(why) => format!(
                "Landlock and a system call filter, without namespaces ({why}): folders that hold something denied \
                 are granted entry by entry, so no new file can be made in them"
            ),
        })
    }
}

fn landlock() -> Result<(), String> {
    let tried = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))
        .and_then(|ruleset| ruleset.create());
    tried.map(|_| ()).map_err(|error| error.to_string())
}

fn namespaces() -> Result<NamespaceKind, String> {
    let privileged = rustix::process::geteuid().is_root();
    if privileged && tried(NamespaceKind::Direct).is_ok() {
        return Ok(NamespaceKind::Direct);
    }
    tried(NamespaceKind::User).map(|()| NamespaceKind::User)
}

fn tried(kind: NamespaceKind) -> Result<(), String> {
    let run = move || {
        let mut nothing = Command::new("/bin/true");
        nothing.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let user = (kind == NamespaceKind::User).then(identity);
        let namespaces = Some(Namespaces { user, isolate_network: true, mounts: Vec::new() });
        attach(&mut nothing, Descent { namespaces, ..unconfined() });
        nothing.status()
    };
    match in_spawner(run) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("a program in them ended with {status}")),
        Err(error) => Err(error.to_string()),
    }
}
