//! What one instance holds: its phase, its grant, and the host's side of everything it may ask for.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::filesystem::{Files, FilesystemCtxView, FilesystemView};
use super::instance::Visit;
use super::log::{Log, Stream};
use super::meter::Meter;
use super::network::{Client, NetworkHooks, Refusals, http_ctx};
use super::phase::{Phase, ProgressSink, Session};
use super::process::Waiting;
use super::storage::Storage;
use crate::permission::Grant;

/// Random bytes that a guest gets at a time: making them is work that no tick interrupts.
const RANDOM: u64 = 1 << 20;

/// The host's side of one instance. Lives and dies with its Store.
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) grant: Arc<Grant>,
    pub(super) session: Arc<Session>,
    pub(super) meter: Meter,
    pub(super) log: Log,
    pub(super) files: Files,
    pub(super) network: NetworkHooks,
    /// Requests that were refused, in words.
    pub(super) refusals: Refusals,
    /// The end of the visit.
    pub(super) deadline: Instant,
    pub(super) client: Client,
    pub(super) storage: Option<Storage>,
    pub(super) progress: Option<ProgressSink>,
    pub(super) cancel: CancellationToken,
    /// Whose commands these are.
    pub(super) plugin: String,
    /// Time spent waiting for commands.
    pub(super) waiting: Waiting,
    /// Where the shell of the last command ended.
    pub(super) left_in: Option<PathBuf>,
    pub(super) table: ResourceTable,
    http: WasiHttpCtx,
    /// Made at the first question: most calls of small guests ask WASI nothing.
    wasi: Option<WasiCtx>,
}

impl State {
    /// The state of an instance for one visit. A Store can be made of nothing else, so there is none without
    /// a grant.
    pub(super) fn new(visit: Visit, client: Client, storage: Option<Storage>, deadline: Instant) -> Self {
        let limits = *visit.grant.limits();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        let refusals = Refusals::new();
        let network = NetworkHooks::new(Arc::clone(&visit.grant), client.clone(), refusals.clone(), deadline);
        Self {
            phase: visit.phase,
            meter: Meter::new(limits.memory),
            log: Log::new(&visit.tool, limits.log_bytes),
            files: Files::new(Arc::clone(&visit.grant), visit.session.working_directory.clone().into()),
            network,
            refusals,
            deadline,
            grant: visit.grant,
            session: visit.session,
            client,
            storage,
            progress: visit.progress,
            cancel: visit.cancel,
            plugin: visit.plugin,
            waiting: Waiting::default(),
            left_in: None,
            table,
            http: http_ctx(),
            wasi: None,
        }
    }

    /// WASI for this instance: no environment, no arguments, no standard input, no sockets, no folders but
    /// those that our own files add; output to the log.
    fn wasi(log: &Log, phase: Phase) -> WasiCtx {
        let mut wasi = WasiCtx::builder();
        wasi.stdout(log.stream(Stream::Output)).stderr(log.stream(Stream::Error));
        wasi.max_random_size(RANDOM);
        super::network::close_sockets(&mut wasi);
        if phase.is_powerless() {
            let seed = || Deterministic::new(vec![0]);
            wasi.wall_clock(StoppedClock)
                .monotonic_clock(StoppedClock)
                .secure_random(seed())
                .insecure_random(seed())
                .insecure_random_seed(0);
        }
        wasi.build()
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.get_or_insert_with(|| Self::wasi(&self.log, self.phase));
        WasiCtxView { ctx: wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.network }
    }
}

impl FilesystemView for State {
    fn filesystem(&mut self) -> FilesystemCtxView<'_> {
        FilesystemCtxView { files: &mut self.files, table: &mut self.table }
    }
}

/// A clock that stands still, for phases that must give the same answer each time.
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for StoppedClock {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}
