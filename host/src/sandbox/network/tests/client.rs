//! What is reached and what is not: origins, methods, addresses.

use std::net::IpAddr;

use super::*;
use crate::sandbox::network::connect::Connector;
use crate::sandbox::network::error::EgressError;
use crate::sandbox::network::target::Target;
use crate::sandbox::network::tls::Tls;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn connector(resolver: &Arc<Answers>) -> Connector {
    Connector::new(Arc::clone(resolver) as Arc<dyn Resolve>, Tls::default())
}

#[tokio::test]
async fn granted_host_is_dialed_under_its_own_name() {
    let server = Server::answering(OK).await;
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("api.test", server.port)]);
    let url = format!("http://api.test:{}/a/b?c=d#e", server.port);
    let response = ask(&client(&resolver), &grant, get(url)).await.unwrap();
    assert_eq!((response.status, response.body.as_slice(), response.truncated), (200, &b"hello"[..], false));
    let request = server.requests().remove(0);
    assert!(request.starts_with("GET /a/b?c=d HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("\r\nhost: api.test:{}\r\n", server.port)), "{request}");
    assert!(request.contains("\r\nconnection: close\r\n"), "{request}");
    assert!(request.contains("\r\nuser-agent: mortise/"), "{request}");
}

#[tokio::test]
async fn denied_host_is_neither_looked_up_nor_dialed() {
    let listener = Untouched::new();
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("api.test", listener.port())]);
    let url = format!("http://c2VjcmV0.attacker.test:{}/", listener.port());
    let error = ask(&client(&resolver), &grant, get(url)).await.unwrap_err();
    assert!(error.contains("was not granted requests to `http://c2vjcmv0.attacker.test"), "{error}");
    assert_eq!(resolver.asked(), Vec::<String>::new());
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn other_port_and_other_scheme_are_not_dialed() {
    let listener = Untouched::new();
    let other = Untouched::new();
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("api.test", listener.port())]);
    for url in [
        format!("http://api.test:{}/", other.port()),
        format!("https://api.test:{}/", listener.port()),
        "http://api.test/".to_owned(),
    ] {
        let error = ask(&client(&resolver), &grant, get(url.clone())).await.unwrap_err();
        assert!(error.contains("was not granted"), "{url}: {error}");
    }
    assert!(resolver.asked().is_empty());
    assert!(!listener.was_dialed() && !other.was_dialed());
}

#[tokio::test]
async fn read_only_grant_lets_get_out_and_keeps_post_in() {
    let server = Server::answering(OK).await;
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let origin = EgressGrant { safe_methods: true, ..private("api.test", server.port) };
    let (client, grant) = (client(&resolver), grant([origin]));
    let url = format!("http://api.test:{}/", server.port);
    assert!(ask(&client, &grant, get(url.clone())).await.is_ok());
    for method in ["POST", "PUT", "DELETE", "get", "PROPFIND"] {
        let request = FetchRequest { method: method.into(), ..get(url.clone()) };
        let error = ask(&client, &grant, request).await.unwrap_err();
        assert!(error.contains("only GET and HEAD"), "{method}: {error}");
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn tunnels_and_traces_are_never_sent() {
    let listener = Untouched::new();
    let grant = grant([private("127.0.0.1", listener.port())]);
    for method in ["CONNECT", "TRACE", "BAD METHOD", ""] {
        let url = format!("http://127.0.0.1:{}/", listener.port());
        let request = FetchRequest { method: method.into(), ..get(url) };
        let error = ask(&Client::default(), &grant, request).await.unwrap_err();
        assert!(error.starts_with("this method is never sent"), "{method}: {error}");
    }
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn public_name_on_a_private_address_is_not_dialed() {
    let listener = Untouched::new();
    for answers in [
        vec![LOOPBACK],
        vec![ip("::ffff:127.0.0.1")],
        // Mixed, in either order: one bad address refuses all.
        vec![ip("8.8.8.8"), LOOPBACK],
        vec![LOOPBACK, ip("8.8.8.8")],
    ] {
        let resolver = Answers::of(&[&answers]);
        let grant = grant([origin("http", "127.0.0.1.nip.test", listener.port())]);
        let url = format!("http://127.0.0.1.nip.test:{}/", listener.port());
        let error = ask(&client(&resolver), &grant, get(url)).await.unwrap_err();
        assert!(
            error.contains("127.0.0.1` is not a globally routable address (loopback, RFC 1122)"),
            "{error}"
        );
        let hint = format!("hint: allow-private = [\"127.0.0.1.nip.test:{}\"]", listener.port());
        assert!(error.ends_with(&hint), "{error}");
    }
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn opening_one_private_origin_opens_no_other() {
    let server = Server::answering(OK).await;
    let other = Untouched::new();
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("dev.test", server.port), origin("http", "dev.test", other.port())]);
    let client = client(&resolver);
    assert!(ask(&client, &grant, get(format!("http://dev.test:{}/", server.port))).await.is_ok());
    let error = ask(&client, &grant, get(format!("http://dev.test:{}/", other.port()))).await.unwrap_err();
    assert!(error.contains("not a globally routable address"), "{error}");
    assert!(!other.was_dialed());
}

#[tokio::test]
async fn name_is_looked_up_once_and_the_checked_addresses_are_kept() {
    let resolver = Answers::of(&[&[ip("8.8.8.8"), ip("2606:4700::1111")], &[LOOPBACK]]);
    let target = Target::parse("https://rebind.test/").unwrap();
    let checked = connector(&resolver).check(&target, false).await.unwrap();
    let addresses: Vec<String> = checked.addresses().iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["8.8.8.8:443", "[2606:4700::1111]:443"]);
    assert_eq!(resolver.asked(), ["rebind.test"]);
    // Asked again it would be another answer, and refused.
    let again = connector(&resolver).check(&target, false).await.unwrap_err();
    assert!(matches!(again, EgressError::Address { kind: "loopback, RFC 1122", .. }), "{again}");
}

#[tokio::test]
async fn whole_exchange_looks_a_name_up_once() {
    let server = Server::answering(OK).await;
    let resolver = Answers::of(&[&[LOOPBACK], &[ip("10.0.0.1")]]);
    let grant = grant([private("rebind.test", server.port)]);
    let url = format!("http://rebind.test:{}/", server.port);
    assert!(ask(&client(&resolver), &grant, get(url)).await.is_ok());
    assert_eq!((resolver.asked().len(), server.requests().len()), (1, 1));
}

#[tokio::test]
async fn next_address_is_tried_when_one_does_not_answer() {
    let server = Server::answering(OK).await;
    // Nobody listens on the second loopback address.
    let resolver = Answers::of(&[&[ip("127.0.0.2"), LOOPBACK]]);
    let grant = grant([private("two.test", server.port)]);
    let url = format!("http://two.test:{}/", server.port);
    assert_eq!(ask(&client(&resolver), &grant, get(url)).await.unwrap().status, 200);
}

#[tokio::test]
async fn unknown_name_is_an_error_in_words() {
    let resolver = Answers::of(&[]);
    let grant = grant([origin("https", "gone.test", 443)]);
    let error = ask(&client(&resolver), &grant, get("https://gone.test/")).await.unwrap_err();
    assert_eq!(error, "looking up the name failed, entity not found: `gone.test`");
}
