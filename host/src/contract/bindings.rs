//! The only `bindgen!`: Rust types for the WIT in `wit/tool`, generated at compile time.
//!
//! Every import may trap (that is how a phase that must not be asked answers) and is async, so that a guest
//! waiting in the host can be dropped at any point.

wasmtime::component::bindgen!({
    path: "../wit/tool",
    world: "plugin",
    imports: { default: async | trappable },
    exports: { default: async },
});
