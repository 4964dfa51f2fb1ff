//! Every way to write a host that is not what it looks like (H8).

use super::*;

/// Each is granted by its own spelling, so that only the address check is left to refuse it.
#[tokio::test]
async fn spelled_out_special_addresses_are_not_dialed() {
    let listener = Untouched::new();
    let port = listener.port();
    for (host, kind) in [
        ("127.0.0.1", "loopback"),
        ("127.1", "loopback"),
        ("0x7f.1", "loopback"),
        ("2130706433", "loopback"),
        ("017700000001", "loopback"),
        ("0177.0.0.1", "loopback"),
        ("0x7f000001", "loopback"),
        ("１２７.0.0.1", "loopback"),
        ("127。0。0。1", "loopback"),
        ("%31%32%37.0.0.1", "loopback"),
        ("127.0.0.1.", "loopback"),
        ("0", "this network"),
        ("0.0.0.0", "this network"),
        ("[::]", "unspecified"),
        ("[::1]", "loopback"),
        ("[::ffff:127.0.0.1]", "loopback"),
        ("[::ffff:7f00:1]", "loopback"),
        ("[::127.0.0.1]", "IPv4-compatible"),
        ("[64:ff9b::7f00:1]", "loopback"),
        ("[2002:7f00:1::]", "6to4"),
        ("[2001::7f00:1]", "Teredo"),
        ("[::5efe:7f00:1]", "ISATAP"),
        ("198.18.0.1", "benchmarking"),
        ("192.0.0.192", "cloud metadata"),
        ("168.63.129.16", "cloud metadata"),
        ("100.100.100.200", "cloud metadata"),
        ("169.254.169.254", "cloud metadata"),
        ("[fd00:ec2::254]", "cloud metadata"),
    ] {
        let url = url::Url::parse(&format!("http://{host}:{port}/")).unwrap();
        let spelled = url.host_str().unwrap().trim_end_matches('.');
        let grant = grant([origin("http", spelled, port)]);
        let error = ask(&Client::default(), &grant, get(format!("http://{host}:{port}/"))).await.unwrap_err();
        assert!(error.contains(&format!("not a globally routable address ({kind}")), "{host}: {error}");
    }
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn granted_name_is_reached_in_every_spelling_of_it() {
    let server = Server::answering(OK).await;
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("api.test", server.port)]);
    let spellings = ["api.test", "API.Test", "api.test.", "%61pi.test", "ａｐｉ.test"];
    for host in spellings {
        let url = format!("http://{host}:{}/", server.port);
        assert_eq!(ask(&client(&resolver), &grant, get(url)).await.unwrap().status, 200, "{host}");
    }
    let host = format!("\r\nhost: api.test:{}\r\n", server.port);
    assert!(server.requests().iter().all(|request| request.contains(&host)));
    assert_eq!(resolver.asked(), vec!["api.test"; spellings.len()]);
}

#[tokio::test]
async fn user_name_before_a_host_is_refused_and_its_password_not_repeated() {
    let listener = Untouched::new();
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("api.test", listener.port()), private("evil.test", listener.port())]);
    for url in [
        format!("http://api.test@evil.test:{}/", listener.port()),
        format!("http://user:hunter2@api.test:{}/", listener.port()),
        format!("http://:hunter2@api.test:{}/", listener.port()),
    ] {
        let error = ask(&client(&resolver), &grant, get(url.clone())).await.unwrap_err();
        assert!(error.contains("a user name or password before the host is refused"), "{url}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn what_is_no_web_address_is_refused() {
    let grant = grant([]);
    for url in [
        "",
        "/etc/passwd",
        "file:///etc/passwd",
        "ftp://a.test/",
        "http://",
        "http://a.test:0/",
        "javascript:1",
    ] {
        let error = ask(&Client::default(), &grant, get(url)).await.unwrap_err();
        assert!(error.starts_with("this is no URL that requests can be sent to"), "{url}: {error}");
    }
}

#[tokio::test]
async fn host_behind_a_backslash_is_judged_as_it_is_dialed() {
    let listener = Untouched::new();
    let resolver = Answers::of(&[&[LOOPBACK]]);
    let grant = grant([private("api.test", listener.port())]);
    let url = format!("http://evil.test\\@api.test:{}/", listener.port());
    let error = ask(&client(&resolver), &grant, get(url)).await.unwrap_err();
    assert!(error.contains("was not granted requests to `http://evil.test:80`"), "{error}");
    assert!(!listener.was_dialed());
}
