//! TLS for outgoing requests: rustls on ring, the machine's own root certificates (read when first needed,
//! once) and any that the embedding program adds. The server must prove the name in the URL.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, IpAddr, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::error::EgressError;
use super::target::Target;

/// The settings of every TLS connection, made on first use.
#[derive(Debug, Default)]
pub(super) struct Tls {
    extra_roots: Vec<CertificateDer<'static>>,
    config: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    pub(super) fn new(extra_roots: Vec<CertificateDer<'static>>) -> Self {
        Self { extra_roots, config: OnceCell::new() }
    }

    /// Agrees on TLS over a connection to the target.
    ///
    /// # Errors
    /// There are no root certificates, or the server's certificate or protocol is not acceptable.
    pub(super) async fn secure(
        &self,
        target: &Target,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, EgressError> {
        let config = self.config.get_or_try_init(|| load(self.extra_roots.clone())).await?;
        let name = server_name(target)?;
        TlsConnector::from(Arc::clone(config))
            .connect(name, stream)
            .await
            .map_err(|source| EgressError::Tls { origin: target.to_string(), source })
    }
}

/// The name to be proved: the URL's host, as it is also sent in the server name indication.
fn server_name(target: &Target) -> Result<ServerName<'static>, EgressError> {
    match target.host() {
        Host::Ipv4(address) => Ok(ServerName::IpAddress(IpAddr::from(std::net::IpAddr::V4(*address)))),
        Host::Ipv6(address) => Ok(ServerName::IpAddress(IpAddr::from(std::net::IpAddr::V6(*address)))),
        Host::Domain(name) => ServerName::try_from(name.clone()).map_err(|_| EgressError::Url {
            why: "its host is no name that a server could prove".to_owned(),
            url: name.clone(),
        }),
    }
}

async fn load(extra_roots: Vec<CertificateDer<'static>>) -> Result<Arc<ClientConfig>, EgressError> {
    // Hundreds of files on some systems: not for a thread that serves calls.
    tokio::task::spawn_blocking(|| configure(extra_roots))
        .await
        .map_err(|error| EgressError::Roots(format!("reading root certificates failed: {error}")))?
        .map(Arc::new)
}

fn configure(extra_roots: Vec<CertificateDer<'static>>) -> Result<ClientConfig, EgressError> {
    let native = rustls_native_certs::load_native_certs();
    for error in &native.errors {
        tracing::warn!("a root certificate could not be read: {error}");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(extra_roots.into_iter().chain(native.certs));
    if roots.is_empty() {
        return Err(EgressError::Roots("no root certificates were found".to_owned()));
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| EgressError::Roots(format!("TLS could not be set up: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
