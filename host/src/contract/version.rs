//! Reads what a component claims to be off its export and import names, before anything of it is compiled
//! or run. Invariant 1 begins here: a guest whose contract is unknown never gets to say a word.

use serde::{Deserialize, Serialize};
use wasmparser::{Encoding, FunctionBody, Parser, Payload};

use super::bytes;

/// The version of `mortise:tool` that this host speaks.
pub const CONTRACT_VERSION: &str = "0.1.0";

/// The interface that makes a component a plugin, without its version.
const TOOLSET: &str = "mortise:tool/toolset";

/// Imports of the contract that this host answers, without their version.
const INTERFACES: [&str; 10] = [
    "mortise:tool/types",
    "mortise:tool/session",
    "mortise:tool/log",
    "mortise:tool/reporting",
    "mortise:tool/files",
    "mortise:tool/http",
    "mortise:tool/process",
    "mortise:tool/pool",
    "mortise:tool/client",
    "mortise:tool/storage",
];

/// Packages of WASI 0.2 that this host answers, in any patch version of 0.2.
const WASI: [&str; 7] = [
    "wasi:cli/",
    "wasi:clocks/",
    "wasi:filesystem/",
    "wasi:http/",
    "wasi:io/",
    "wasi:random/",
    "wasi:sockets/",
];

/// Functions of a component, and bytes of their code: in all, and of one. Compiling takes time and memory by
/// these; the largest language runtimes in use have a tenth of them.
const MAX_FUNCTIONS: u64 = 250_000;
const MAX_CODE: u64 = 64 << 20;
const MAX_FUNCTION: u64 = 2 << 20;

/// What a component says it is, by its names alone.
///
/// Having one proves that the check of [`Contract::read`] ran on those bytes' names. Written down it is kept only
/// where nobody else can write, under the digest of those bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    imports: Vec<String>,
}

/// Why a component is no plugin. Each is for the operator: the plugin's author has to act.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// Not WebAssembly, cut short, or damaged.
    #[error("not a readable WebAssembly file: {0}")]
    Unreadable(String),
    /// WebAssembly, but a core module.
    #[error(
        "this is a core WebAssembly module, not a component; hint: build for the target `wasm32-wasip2`, or wrap it with `wasm-tools component new`"
    )]
    CoreModule,
    /// A component that exports no toolset at all.
    #[error("the component exports no `{TOOLSET}`, so it is no plugin; it exports {0}")]
    NoToolset(String),
    /// A toolset of a version that this host does not speak.
    #[error(
        "the plugin was built for contract version {found}, this host speaks {CONTRACT_VERSION}; hint: rebuild it with the SDK of {CONTRACT_VERSION}, or use a host that speaks `{found}`"
    )]
    Version {
        /// The version in the export's name.
        found: String,
    },
    /// An import that no host answers.
    #[error(
        "the component imports `{0}`, which is neither of the contract mortise:tool@{CONTRACT_VERSION} nor of WASI 0.2"
    )]
    UnknownImport(String),
    /// Compiling it would take more than a plugin is worth.
    #[error("the component has {0}, which would take too long to compile")]
    TooMuchCode(String),
    /// A name is there but does not have the contract's type.
    #[error("the export `{0}` does not have the type that contract {CONTRACT_VERSION} gives it")]
    WrongType(String),
}

impl Contract {
    /// Reads and checks the names of `component`. Costs microseconds and runs nothing.
    ///
    /// # Errors
    /// Each [`ContractError`] but `WrongType`, which the engine finds when it compiles.
    pub fn read(component: &[u8]) -> Result<Self, ContractError> {
        let names = Names::read(component)?;
        let toolsets: Vec<&str> = names.exports.iter().filter_map(|name| version_of(name, TOOLSET)).collect();
        if !toolsets.contains(&CONTRACT_VERSION) {
            return Err(match toolsets.first() {
                Some(found) => ContractError::Version { found: (*found).to_owned() },
                None => ContractError::NoToolset(listed(&names.exports)),
            });
        }
        match names.imports.iter().find(|name| !is_answered(name)) {
            Some(unknown) => Err(ContractError::UnknownImport(unknown.clone())),
            None => Ok(Self { imports: names.imports }),
        }
    }

    /// Names of everything the component imports. An import is not a wish: many toolchains import all of
    /// WASI whether the source needs it or not.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.imports
    }
}

fn is_answered(import: &str) -> bool {
    let ours = INTERFACES.iter().any(|name| version_of(import, name) == Some(CONTRACT_VERSION));
    let wasi = WASI.iter().any(|package| import.starts_with(package))
        && import.rsplit_once('@').is_some_and(|(_, version)| version.starts_with("0.2."));
    ours || wasi
}

/// The version in `name` if it is `interface@version`.
fn version_of<'a>(name: &'a str, interface: &str) -> Option<&'a str> {
    name.strip_prefix(interface)?.strip_prefix('@')
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
    shown.join(", ")
}

/// The outermost component's own names.
#[derive(Default)]
struct Names {
    exports: Vec<String>,
    imports: Vec<String>,
    code: Code,
}

/// How much there is to compile, in all nested modules.
#[derive(Default)]
struct Code {
    functions: u64,
    bytes: u64,
}

impl Code {
    fn add(&mut self, functions: u32, size: u32) -> Result<(), ContractError> {
        self.functions += u64::from(functions);
        self.bytes += u64::from(size);
        let over = if self.functions > MAX_FUNCTIONS {
            format!("more than {MAX_FUNCTIONS} functions")
        } else if self.bytes > MAX_CODE {
            format!("more than {} of code", bytes(MAX_CODE))
        } else {
            return Ok(());
        };
        Err(ContractError::TooMuchCode(over))
    }

    fn function(&self, body: &FunctionBody<'_>) -> Result<(), ContractError> {
        let size = body.range().len() as u64;
        if size <= MAX_FUNCTION {
            return Ok(());
        }
        let over = format!("a function of {}, and {} is the most", bytes(size), bytes(MAX_FUNCTION));
        Err(ContractError::TooMuchCode(over))
    }
}

impl Names {
    fn read(component: &[u8]) -> Result<Self, ContractError> {
        let unreadable = |error: wasmparser::BinaryReaderError| ContractError::Unreadable(error.to_string());
        let mut names = Self::default();
        // How many nested modules and components we are in: only the outermost one's names count.
        let mut depth = 0_u32;
        for payload in Parser::new(0).parse_all(component) {
            match payload.map_err(unreadable)? {
                Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                    return Err(ContractError::CoreModule);
                }
                Payload::CodeSectionStart { count, size, .. } => names.code.add(count, size)?,
                Payload::CodeSectionEntry(body) => names.code.function(&body)?,
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        names.imports.push(import.map_err(unreadable)?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        names.exports.push(export.map_err(unreadable)?.name.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(names)
    }
}
