//! `wasi:sockets`: linked, so that every guest loads, and shut. A socket would be a way out that no rule on
//! URLs sees, and a lookup alone carries secrets to whoever answers for a domain.

use wasmtime_wasi::WasiCtxBuilder;

/// Denies sockets and lookups: creating one fails, resolving fails, and no address would pass if one came
/// about. These are the engine's defaults too; saying them keeps them whatever a later version's are.
pub fn close_sockets(ctx: &mut WasiCtxBuilder) -> &mut WasiCtxBuilder {
    ctx.allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false)
        .socket_addr_check(|_, _| Box::pin(std::future::ready(false)))
}
