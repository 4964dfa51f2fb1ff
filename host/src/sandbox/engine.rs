//! The engine that every plugin shares: its settings, the tick that stops guests, the bound on instances
//! alive at a time, and the linker that answers every import. Built at the first need, since listing tools
//! needs none of it.

use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use tokio::sync::Semaphore;
use wasmtime::component::Linker;
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::cache::CompileCache;
use super::network::Client;
use super::state::State;
use super::{filesystem, imports, network};
use crate::config::SandboxOptions;

/// Instances alive at a time; more wait for their turn.
const INSTANCES: u32 = 1_000;
/// Tables that the pool holds for each of them, on average. A component is a few core modules.
const TABLES: u32 = 4;
/// Core instances that one component may have. They are only counted, so there are as many as could be wanted.
const CORE_INSTANCES: u32 = 64;
/// The largest memory that any call can be granted: what a 32-bit guest can address.
const MAX_MEMORY: usize = 4 << 30;
/// How often guests look up from their work.
const TICK: Duration = Duration::from_millis(1);

/// The shared engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    options: SandboxOptions,
    core: OnceLock<Result<Core, EngineError>>,
}

/// What the engine is made of, once there is need for it.
pub(super) struct Core {
    pub(super) engine: wasmtime::Engine,
    pub(super) linker: Linker<State>,
    pub(super) cache: CompileCache,
    pub(super) client: Client,
    /// Permits for instances alive: each takes its [`share`] of the pool.
    pub(super) instances: Arc<Semaphore>,
    /// One permit for each component being compiled: compiling takes all cores and much memory.
    pub(super) compiles: Semaphore,
}

/// Why there is no engine on this machine. For the operator.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The engine refuses its settings.
    #[error("the WebAssembly engine cannot start on this machine: {0}")]
    Start(String),
    /// The thread that stops guests does not run; without it no deadline would hold.
    #[error("the thread that stops runaway guests does not run: {0}")]
    Ticker(String),
    /// The imports do not fit together: a fault of this program.
    #[error("the host's imports cannot be linked: {0}")]
    Linker(String),
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("started", &self.shared.core.get().is_some()).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that starts at the first use.
    #[must_use]
    pub fn new(options: SandboxOptions) -> Self {
        Self { shared: Arc::new(Shared { options, core: OnceLock::new() }) }
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> &SandboxOptions {
        &self.shared.options
    }

    /// Starts it, unless that has been done: about 10 ms.
    ///
    /// # Errors
    /// The engine cannot run on this machine.
    pub fn start(&self) -> Result<(), EngineError> {
        self.core().map(|_| ())
    }

    pub(super) fn core(&self) -> Result<&Core, EngineError> {
        self.shared.core.get_or_init(|| Core::start(&self.shared.options)).as_ref().map_err(Clone::clone)
    }
}

impl Core {
    fn start(options: &SandboxOptions) -> Result<Self, EngineError> {
        // A machine that will not reserve the pool's address space still gets an engine, a slower one.
        let engine = wasmtime::Engine::new(&settings(true))
            .or_else(|error| {
                tracing::warn!(%error, "no pool of instances on this machine: calls will be slower");
                wasmtime::Engine::new(&settings(false))
            })
            .map_err(|error| EngineError::Start(error.to_string()))?;
        tick(&engine)?;
        let linker = linker(&engine).map_err(|error| EngineError::Linker(format!("{error:#}")))?;
        let cache = CompileCache::open(options.cache.as_deref(), &engine);
        Ok(Self {
            engine,
            linker,
            cache,
            client: Client::default(),
            instances: Arc::new(Semaphore::new(INSTANCES as usize)),
            compiles: Semaphore::new(1),
        })
    }
}

/// How many instances' worth of the pool an instance of `component` takes: one with many memories or tables
/// must not leave others without.
pub(super) fn share(component: &wasmtime::component::Component) -> u32 {
    let Some(required) = component.resources_required() else { return INSTANCES };
    required.num_memories.max(required.num_tables.div_ceil(TABLES)).clamp(1, INSTANCES)
}

/// The settings, each measured or needed; cached code is refused when one that matters to it differs.
fn settings(pooling: bool) -> Config {
    let mut config = Config::new();
    // Guests are stopped and made to share at each tick; counting fuel instead costs 17 to 50 %.
    config.epoch_interruption(true);
    // Component-model async is not in the contract; having it on costs about 7 µs a call.
    config.concurrency_support(false);
    config.memory_init_cow(true);
    if pooling {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(INSTANCES)
            .total_core_instances(CORE_INSTANCES * INSTANCES)
            .total_memories(INSTANCES)
            .total_tables(TABLES * INSTANCES)
            .total_stacks(INSTANCES)
            .max_core_instances_per_component(CORE_INSTANCES)
            .max_memories_per_component(16)
            .max_tables_per_component(64)
            // JavaScript needs 7,688 table elements, Python 5,670.
            .table_elements(20_000)
            .max_memory_size(MAX_MEMORY)
            // Pages that stay mapped between instances; cheap only where the kernel can tell which were touched.
            .linear_memory_keep_resident(4 << 20)
            .table_keep_resident(64 << 10)
            .async_stack_keep_resident(64 << 10)
            .pagemap_scan(Enabled::Auto);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    }
    config
}

/// Starts the tick, and makes sure that it beats: a deadline that nobody counts would never come.
fn tick(engine: &wasmtime::Engine) -> Result<(), EngineError> {
    let engine = engine.weak();
    let (beat, first_beat) = mpsc::channel();
    thread::Builder::new()
        .name("mortise-tick".to_owned())
        .spawn(move || {
            let mut beat = Some(beat);
            // Ends with the engine.
            while let Some(engine) = engine.upgrade() {
                engine.increment_epoch();
                drop(engine);
                beat.take().map(|beat| beat.send(()));
                thread::sleep(TICK);
            }
        })
        .map_err(|error| EngineError::Ticker(error.to_string()))?;
    first_beat.recv_timeout(Duration::from_secs(10)).map_err(|error| EngineError::Ticker(error.to_string()))
}

/// Links every import there is, for every phase: all of WASI 0.2 and all of the contract. What may be
/// reached is decided at each use, by the phase and the grant.
fn linker(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    network::add_to_linker(&mut linker)?;
    // Our own files in the place of WASI's: same interface, every path judged.
    filesystem::add_to_linker(&mut linker)?;
    imports::add_to_linker(&mut linker)?;
    Ok(linker)
}
