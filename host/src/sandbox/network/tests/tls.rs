//! TLS: the server must prove the name in the URL, to the roots that are trusted.

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::*;

fn certificate() -> CertificateDer<'static> {
    let pem = include_bytes!("../../../../../tests/fixtures/tls/secure.test.cert.pem");
    CertificateDer::from_pem_slice(pem).unwrap()
}

/// A server that proves to be `secure.test`; gives its port, and the name and protocol that were asked for.
async fn secure_server() -> (u16, tokio::task::JoinHandle<Option<(String, Vec<u8>)>>) {
    let key = include_bytes!("../../../../../tests/fixtures/tls/secure.test.key.pem");
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate()], PrivateKeyDer::from_pem_slice(key).unwrap())
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = TlsAcceptor::from(Arc::new(config)).accept(stream).await.ok()?;
        read_request(&mut stream).await;
        stream.write_all(OK.as_bytes()).await.ok()?;
        stream.shutdown().await.ok()?;
        let session = stream.get_ref().1;
        Some((session.server_name()?.to_owned(), session.alpn_protocol()?.to_vec()))
    });
    (port, served)
}

async fn exchange(
    host: &str,
    extra_roots: Vec<CertificateDer<'static>>,
) -> (Result<u16, String>, Option<String>) {
    let (port, served) = secure_server().await;
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let client = Client::new(ClientOptions { resolver, extra_roots });
    let grant = grant([EgressGrant { private: true, ..origin("https", host, port) }]);
    let result = ask(&client, &grant, get(format!("https://{host}:{port}/"))).await;
    let seen = served.await.unwrap();
    assert!(seen.as_ref().is_none_or(|(_, protocol)| protocol == b"http/1.1"));
    (result.map(|response| response.status), seen.map(|(name, _)| name))
}

#[tokio::test]
async fn trusted_server_is_spoken_to_under_the_name_in_the_url() {
    let (result, name) = exchange("secure.test", vec![certificate()]).await;
    assert_eq!((result, name.as_deref()), (Ok(200), Some("secure.test")));
}

#[tokio::test]
async fn server_that_proves_another_name_gets_no_request() {
    let (result, name) = exchange("other.test", vec![certificate()]).await;
    let error = result.unwrap_err();
    assert!(error.starts_with("the server's TLS was not accepted"), "{error}");
    assert_eq!(name, None);
}

#[tokio::test]
async fn server_that_nobody_vouches_for_gets_no_request() {
    let (result, name) = exchange("secure.test", Vec::new()).await;
    let error = result.unwrap_err();
    // A machine without root certificates trusts nobody either, and says so.
    assert!(error.contains("TLS was not accepted") || error.contains("no root certificates"), "{error}");
    assert_eq!(name, None);
}
