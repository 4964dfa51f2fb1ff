//! One plugin's compiled code. Names are checked before, types are checked here; only then can there be an
//! instance. Compiling happens at the first need and is kept on disk.

#![expect(clippy::disallowed_methods, reason = "it reads a component again that was checked, by its digest")]

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{ComponentExportIndex, ComponentNamedList, InstancePre, Lift, Lower};

use super::engine::{Core, Engine, EngineError, share};
use super::state::State;
use crate::contract::bindings::exports::mortise::tool::toolset as wit_toolset;
use crate::contract::bindings::mortise::tool::types as wit;
use crate::contract::{CONTRACT_VERSION, Contract, ContractError};

/// The largest component that is taken, in bytes.
pub const MAX_COMPONENT: u64 = 128 << 20;

/// One plugin's code: by digest, compiled when there is need. Cheap to clone.
#[derive(Clone)]
pub struct Component {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    digest: String,
    bytes: Bytes,
    ready: OnceCell<Ready>,
}

/// What an instance is made from.
pub(super) struct Ready {
    pub(super) instance: InstancePre<State>,
    pub(super) toolset: Toolset,
    /// What an instance takes of the pool, in instances.
    pub(super) share: u32,
}

/// Where the functions of the contract are among a component's exports; their types have been checked.
pub(super) struct Toolset {
    pub(super) describe: ComponentExportIndex,
    pub(super) inspect: ComponentExportIndex,
    pub(super) preview: ComponentExportIndex,
    pub(super) call: ComponentExportIndex,
    pub(super) render: ComponentExportIndex,
}

/// Where a component's bytes are to be had when it is compiled.
#[derive(Clone)]
pub enum Bytes {
    /// Part of this program.
    Embedded(&'static [u8]),
    /// In memory.
    Loaded(Arc<[u8]>),
    /// On disk. Read again at the first need, and then refused if they are not what they were.
    File(PathBuf),
}

/// Why a component cannot be run. For the operator.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LoadError {
    /// It is no plugin.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// The engine refuses its code.
    #[error("its code does not compile: {0}")]
    Code(String),
    /// The file is not what it was when the pool was assembled.
    #[error("the file changed after it was checked; hint: reload the plugins; file `{0}`")]
    Changed(PathBuf),
    /// The file cannot be read any more.
    #[error("the file cannot be read: {why}; file `{file}`")]
    Unreadable {
        /// Which one.
        file: PathBuf,
        /// What the system said.
        why: String,
    },
    /// It is not ready, and nobody waits any longer.
    #[error("it is still being compiled; hint: try again in a minute, what is compiled is kept")]
    StillCompiling,
    /// There is no engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component").field("digest", &self.shared.digest).finish_non_exhaustive()
    }
}

impl Component {
    /// The component whose names are `contract` and whose bytes have this digest.
    ///
    /// Runs and compiles nothing yet.
    #[must_use]
    pub fn new(engine: &Engine, _contract: &Contract, digest: String, bytes: Bytes) -> Self {
        Self { shared: Arc::new(Shared { engine: engine.clone(), digest, bytes, ready: OnceCell::new() }) }
    }

    /// `sha256:` and 64 hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.shared.digest
    }

    /// The digest of a component's bytes.
    #[must_use]
    pub fn digest_of(bytes: &[u8]) -> String {
        format!("sha256:{:x}", Sha256::digest(bytes))
    }

    /// Compiles it or takes it from the cache, unless that has been done.
    ///
    /// # Errors
    /// Each [`LoadError`].
    pub async fn prepare(&self) -> Result<(), LoadError> {
        self.ready().await.map(|_| ())
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(super) async fn ready(&self) -> Result<&Ready, LoadError> {
        self.shared.ready.get_or_try_init(|| self.make_ready()).await
    }

    async fn make_ready(&self) -> Result<Ready, LoadError> {
        let this = self.clone();
        let runtime = tokio::runtime::Handle::current();
        let work = tokio::task::spawn_blocking(move || {
            let core = this.shared.engine.core()?;
            let compiled = this.compiled(core, &runtime)?;
            Ready::link(core, &compiled)
        });
        work.await.map_err(|panic| LoadError::Code(format!("the compiler gave up: {panic}")))?
    }

    fn compiled(
        &self,
        core: &Core,
        runtime: &tokio::runtime::Handle,
    ) -> Result<wasmtime::component::Component, LoadError> {
        if let Some(compiled) = core.cache.load(&core.engine, self.digest()) {
            return Ok(compiled);
        }
        let _turn = runtime.block_on(core.compiles.acquire());
        // Somebody else may have compiled it meanwhile.
        if let Some(compiled) = core.cache.load(&core.engine, self.digest()) {
            return Ok(compiled);
        }
        let compiled = wasmtime::component::Component::from_binary(&core.engine, &self.bytes()?)
            .map_err(|error| LoadError::Code(format!("{error:#}")))?;
        core.cache.store(self.digest(), &compiled);
        Ok(compiled)
    }

    /// The bytes that were checked, or an error: never others.
    fn bytes(&self) -> Result<std::borrow::Cow<'_, [u8]>, LoadError> {
        let file = match &self.shared.bytes {
            Bytes::Embedded(bytes) => return Ok((*bytes).into()),
            Bytes::Loaded(bytes) => return Ok(bytes.as_ref().into()),
            Bytes::File(file) => file,
        };
        let bytes = read_again(file)
            .map_err(|error| LoadError::Unreadable { file: file.clone(), why: error.to_string() })?
            .filter(|bytes| Self::digest_of(bytes) == self.shared.digest)
            .ok_or_else(|| LoadError::Changed(file.clone()))?;
        Ok(bytes.into())
    }
}

/// Reads a file that was a component once. What is no file any more, or too large, is nothing: a pipe or a
/// device in its place must not keep the host waiting.
fn read_again(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let opened = File::options().read(true).custom_flags(flags).open(file)?;
    let found = opened.metadata()?;
    if !found.is_file() || found.len() > MAX_COMPONENT {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or_default());
    opened.take(MAX_COMPONENT).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

impl Ready {
    /// Links the imports and checks the type of every export of the contract, before any guest code runs.
    fn link(core: &Core, component: &wasmtime::component::Component) -> Result<Self, LoadError> {
        let code = |error: wasmtime::Error| LoadError::Code(format!("{error:#}"));
        let instance = core.linker.instantiate_pre(component).map_err(code)?;
        let exports = Exports { instance: &instance };
        let toolset = Toolset {
            describe: exports.find::<(), (Vec<wit::Descriptor>,)>("describe")?,
            inspect: exports.find::<(&wit::Invocation,), (wit::Answers,)>("inspect")?,
            preview: exports
                .find::<(&wit::Invocation,), (Result<Vec<wit::Content>, wit::Rejection>,)>("preview")?,
            call: exports.find::<(&wit::Invocation,), (Result<wit::Outcome, wit::Failure>,)>("call")?,
            render: exports.find::<(&wit_toolset::View,), (Option<String>,)>("render")?,
        };
        Ok(Self { instance, toolset, share: share(component) })
    }
}

struct Exports<'a> {
    instance: &'a InstancePre<State>,
}

impl Exports<'_> {
    fn find<Params, Results>(&self, name: &str) -> Result<ComponentExportIndex, LoadError>
    where
        Params: ComponentNamedList + Lower,
        Results: ComponentNamedList + Lift,
    {
        let component = self.instance.component();
        let wrong = || LoadError::Contract(ContractError::WrongType(name.to_owned()));
        let toolset = component
            .get_export_index(None, format!("mortise:tool/toolset@{CONTRACT_VERSION}").as_str())
            .ok_or_else(wrong)?;
        match component.get_export(Some(&toolset), name) {
            Some((ComponentItem::ComponentFunc(function), index)) => {
                let checked = function.typecheck::<Params, Results>(&self.instance.instance_type());
                checked.map(|()| index).map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }
}
