//! What a trivial call costs: through the whole pipeline (ten steps, two fresh instances, a grant), and as a bare
//! instantiate-and-call of the same component by an engine with the same settings.

mod measure;

use measure::{Contender, compare};
use mortise::config::{Config, PluginFolder};
use mortise::{Call, Host};
use serde_json::json;
use wasmtime::component::{Component, InstancePre, Linker, ResourceTable};
use wasmtime::{Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

mod bindings {
    wasmtime::component::bindgen!({
        path: "../wit/tool",
        world: "plugin",
        exports: { default: async },
    });
}

use bindings::PluginPre;
use bindings::mortise::tool::types::Invocation;

struct State {
    /// Made at the first question, as the host does: this component asks none.
    wasi: Option<WasiCtx>,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.get_or_insert_with(|| WasiCtx::builder().build());
        WasiCtxView { ctx: wasi, table: &mut self.table }
    }
}

/// An instance of the component with WASI and nothing else, ready to be made again and again.
struct Bare {
    engine: Engine,
    tool: PluginPre<State>,
}

impl Bare {
    fn new(bytes: &[u8]) -> Self {
        let mut pool = PoolingAllocationConfig::new();
        pool.max_memory_size(1 << 30)
            .linear_memory_keep_resident(4 << 20)
            .table_keep_resident(64 << 10)
            .async_stack_keep_resident(64 << 10)
            .pagemap_scan(Enabled::Auto);
        let mut config = wasmtime::Config::new();
        config.epoch_interruption(true);
        config.concurrency_support(false);
        config.memory_init_cow(true);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).unwrap();
        let component = Component::from_binary(&engine, bytes).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
        // The contract's imports are not called by this component.
        linker.define_unknown_imports_as_traps(&component).unwrap();
        let instance: InstancePre<State> = linker.instantiate_pre(&component).unwrap();
        Self { tool: PluginPre::new(instance).unwrap(), engine }
    }

    async fn call(&self, input: &str) {
        let state = State { wasi: None, table: ResourceTable::new() };
        let mut store = Store::new(&self.engine, state);
        store.set_epoch_deadline(1_000_000);
        let tool = self.tool.instantiate_async(&mut store).await.unwrap();
        let invocation = Invocation {
            tool: "word_count".to_owned(),
            id: "toolu_1".to_owned(),
            input: input.to_owned(),
            extensions: Vec::new(),
        };
        let outcome = tool.mortise_tool_toolset().call_call(&mut store, &invocation).await.unwrap();
        assert!(outcome.is_ok());
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let input = json!({ "text": "the runtime that the tools of agents live in" });

    let folder = tempfile::tempdir().unwrap();
    let wasm = format!("{}/word_count.wasm", env!("MORTISE_TEST_GUESTS"));
    std::fs::copy(&wasm, folder.path().join("word_count.wasm")).unwrap();
    let mut config = Config { working_directory: folder.path().canonicalize().unwrap(), ..Config::default() };
    config.registry.folders = vec![PluginFolder { path: folder.path().to_path_buf(), accepted: true }];
    let host = runtime.block_on(Host::builder().config(config).build()).unwrap();

    let bare = Bare::new(&std::fs::read(wasm).unwrap());
    let text = input.to_string();

    let pipeline = Contender::new("whole pipeline", |times| {
        runtime.block_on(async {
            for _ in 0..times {
                let call = Call { id: "toolu_1".into(), name: "word_count".into(), input: input.clone() };
                let result = host.call(call).await;
                assert!(!result.ending.is_error(), "{result:?}");
            }
        });
    });
    let instantiate = Contender::new("bare instantiate and call", |times| {
        runtime.block_on(async {
            for _ in 0..times {
                bare.call(&text).await;
            }
        });
    });
    compare("A trivial call through the whole pipeline", 3.0, 51, 200, [pipeline, instantiate]);
}
