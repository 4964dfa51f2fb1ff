//! Sockets and lookups are shut.

use wasmtime::component::ResourceTable;
use wasmtime_wasi::p2::SocketError;
use wasmtime_wasi::p2::bindings::sockets::network::{ErrorCode, IpAddressFamily};
use wasmtime_wasi::p2::bindings::sockets::{
    instance_network, ip_name_lookup, tcp_create_socket, udp_create_socket,
};
use wasmtime_wasi::sockets::WasiSocketsView;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::sandbox::network::close_sockets;

struct State {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

/// What creating a socket of either kind and looking a name up come to.
async fn tried(builder: &mut WasiCtxBuilder) -> [Option<ErrorCode>; 3] {
    let mut state = State { ctx: builder.build(), table: ResourceTable::new() };
    let mut view = state.sockets();
    let code = |error: SocketError| error.downcast().unwrap();
    let tcp = tcp_create_socket::Host::create_tcp_socket(&mut view, IpAddressFamily::Ipv4);
    let udp = udp_create_socket::Host::create_udp_socket(&mut view, IpAddressFamily::Ipv6).await;
    let network = instance_network::Host::instance_network(&mut view).unwrap();
    let lookup = ip_name_lookup::Host::resolve_addresses(&mut view, network, "127.0.0.1".to_owned());
    [tcp.err().map(code), udp.err().map(code), lookup.err().map(code)]
}

#[tokio::test]
async fn sockets_and_lookups_are_denied() {
    let mut builder = WasiCtxBuilder::new();
    // Whatever came before is taken back.
    builder.inherit_network().allow_tcp(true).allow_udp(true).allow_ip_name_lookup(true);
    let denied = tried(close_sockets(&mut builder)).await;
    let all = denied
        .iter()
        .all(|code| matches!(code, Some(ErrorCode::AccessDenied | ErrorCode::PermanentResolverFailure)));
    assert!(all, "{denied:?}");
}

#[tokio::test]
async fn the_same_is_possible_where_it_is_allowed() {
    let mut builder = WasiCtxBuilder::new();
    builder.inherit_network().allow_tcp(true).allow_udp(true).allow_ip_name_lookup(true);
    assert!(matches!(tried(&mut builder).await, [None, _, None]));
}
