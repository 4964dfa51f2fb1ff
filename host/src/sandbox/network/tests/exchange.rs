//! What goes over a connection and what comes back: redirects, headers, bounds, time.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use tokio::sync::oneshot;

use super::*;
use crate::sandbox::network::{EgressError, Timeouts};

fn opened(server: &Server) -> (Arc<Grant>, String) {
    (grant([private("127.0.0.1", server.port)]), format!("http://127.0.0.1:{}/", server.port))
}

#[tokio::test]
async fn redirect_is_handed_back_and_not_followed() {
    let elsewhere = Untouched::new();
    for (status, location) in [
        (302, "http://169.254.169.254/latest/meta-data/".to_owned()),
        (307, format!("http://127.0.0.1:{}/", elsewhere.port())),
    ] {
        let head = format!("HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        let server = Server::answering(head).await;
        // Even where the other place is granted: following is another request.
        let grant = grant([private("127.0.0.1", server.port), private("127.0.0.1", elsewhere.port())]);
        let request = FetchRequest {
            headers: vec![("authorization".into(), "Bearer secret".into())],
            ..get(format!("http://127.0.0.1:{}/", server.port))
        };
        let response = ask(&Client::default(), &grant, request).await.unwrap();
        assert_eq!(response.status, status);
        assert!(response.headers.contains(&("location".into(), location)));
        assert_eq!(server.requests().len(), 1);
    }
    assert!(!elsewhere.was_dialed());
}

#[tokio::test]
async fn guests_own_headers_go_out_and_the_hosts_are_refused() {
    let server = Server::answering(OK).await;
    let (grant, url) = opened(&server);
    let with = |name: &str, value: &str| FetchRequest {
        headers: vec![(name.to_owned(), value.to_owned())],
        ..get(url.clone())
    };
    let client = Client::default();
    for name in [
        "Host",
        "connection",
        "keep-alive",
        "proxy-authorization",
        "Proxy-Connection",
        "te",
        "trailer",
        "Transfer-Encoding",
        "upgrade",
        "Content-Length",
    ] {
        let error = ask(&client, &grant, with(name, "1")).await.unwrap_err();
        assert_eq!(error, format!("this header is the host's to set: `{name}`"));
    }
    for (name, value) in [("x-a\r\nhost", "b"), ("x-a", "b\r\nhost: evil.test"), ("", "a")] {
        assert!(ask(&client, &grant, with(name, value)).await.is_err(), "{name:?}: {value:?}");
    }
    assert!(server.requests().is_empty());
    ask(&client, &grant, with("X-Key", "value")).await.unwrap();
    assert!(server.requests()[0].contains("\r\nx-key: value\r\n"));
}

#[tokio::test]
async fn too_many_headers_are_an_error_and_no_panic() {
    let server = Server::answering(OK).await;
    let (grant, url) = opened(&server);
    for (count, sent) in [(200, true), (300, false), (40_000, false)] {
        let headers = (0..count).map(|index| (format!("x-{index}"), "v".to_owned())).collect();
        let result = ask(&Client::default(), &grant, FetchRequest { headers, ..get(url.clone()) }).await;
        assert_eq!(result.is_ok(), sent, "{count} headers: {result:?}");
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn endless_heads_are_not_read() {
    for (fields, size, read) in [(100, 10, true), (200, 10, false), (10, 20_000, false)] {
        let mut head = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n".to_owned();
        for index in 0..fields {
            head.push_str(&format!("x-{index}: {}\r\n", "v".repeat(size)));
        }
        let server = Server::answering(head + "\r\n").await;
        let (grant, url) = opened(&server);
        let result = ask(&Client::default(), &grant, get(url)).await;
        match result {
            Ok(response) => assert!(read && response.headers.len() == fields + 1),
            Err(error) => assert!(!read && error.contains("more headers than the host reads"), "{error}"),
        }
    }
}

#[tokio::test]
async fn connection_headers_of_a_response_stay_with_the_host() {
    let server = Server::answering(
        "HTTP/1.1 200 OK\r\nconnection: close\r\nkeep-alive: 5\r\nx-kept: yes\r\ntransfer-encoding: chunked\r\n\r\n\
         3\r\nabc\r\n0\r\n\r\n",
    )
    .await;
    let (grant, url) = opened(&server);
    let response = ask(&Client::default(), &grant, get(url)).await.unwrap();
    assert_eq!(response.headers, [("x-kept".to_owned(), "yes".to_owned())]);
    assert_eq!(response.body, b"abc");
}

/// What comes of a request with these bounds, its body read to the end.
async fn within(port: u16, timeouts: Timeouts) -> Result<(), EgressError> {
    let grant = grant([private("127.0.0.1", port)]);
    let uri = format!("http://127.0.0.1:{port}/");
    let request = Request::get(uri).body(Empty::<Bytes>::new()).unwrap();
    let response = Client::default().send(&grant, request, timeouts).await?;
    response.into_body().collect().await.map(drop)
}

const SHORT: Option<Duration> = Some(Duration::from_millis(40));

#[tokio::test]
async fn silent_server_is_given_up_on_in_words() {
    let listener = Untouched::new();
    let port = listener.port();
    let error = within(port, Timeouts::until(soon()).first_byte_within(SHORT)).await.unwrap_err();
    let expected = format!("timed out after 40 ms while waiting for the response: `http://127.0.0.1:{port}`");
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn body_that_stalls_is_given_up_on_in_words() {
    let server = Server::stalling("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhel").await;
    let error = within(server.port, Timeouts::until(soon()).between_bytes_within(SHORT)).await.unwrap_err();
    let place = format!("`http://127.0.0.1:{}`", server.port);
    assert_eq!(
        error.to_string(),
        format!("timed out after 40 ms while reading the response's body: {place}")
    );
}

#[tokio::test]
async fn name_that_is_never_answered_is_given_up_on_in_words() {
    #[derive(Debug)]
    struct Never;

    #[async_trait]
    impl Resolve for Never {
        async fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
            std::future::pending().await
        }
    }

    let client = Client::new(ClientOptions { resolver: Arc::new(Never), extra_roots: Vec::new() });
    let grant = grant([origin("https", "slow.test", 443)]);
    let request = Request::get("https://slow.test/").body(Empty::<Bytes>::new()).unwrap();
    let timeouts = Timeouts::until(soon()).connect_within(SHORT);
    let error = client.send(&grant, request, timeouts).await.unwrap_err();
    assert_eq!(error.to_string(), "timed out after 40 ms while connecting: `https://slow.test:443`");
}

#[tokio::test]
async fn request_can_shorten_the_calls_time_and_not_lengthen_it() {
    let listener = Untouched::new();
    let grant = grant([private("127.0.0.1", listener.port())]);
    let asking = |timeout| FetchRequest { timeout, ..get(format!("http://127.0.0.1:{}/", listener.port())) };
    let error = ask(&Client::default(), &grant, asking(SHORT)).await.unwrap_err();
    assert!(error.starts_with("timed out after 40 ms while"), "{error}");
    for timeout in [None, Some(Duration::from_secs(3_600)), Some(Duration::MAX)] {
        let end = Instant::now() + Duration::from_millis(40);
        let error =
            fetch(&Client::default(), &grant, &Refusals::new(), asking(timeout), end).await.unwrap_err();
        assert!(error.starts_with("timed out after"), "{error}");
    }
}

#[tokio::test]
async fn body_that_breaks_off_is_an_error_and_no_short_answer() {
    let server = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhel").await;
    let (grant, url) = opened(&server);
    let error = ask(&Client::default(), &grant, get(url)).await.unwrap_err();
    assert!(error.starts_with("the exchange broke off"), "{error}");
}

#[tokio::test]
async fn dropping_the_future_ends_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let grant = grant([private("127.0.0.1", port)]);
    let (arrived, waiting) = oneshot::channel();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        arrived.send(()).unwrap();
        // Returns once the other side is gone.
        stream.read(&mut [0; 1]).await.unwrap_or(0)
    });
    let client = Client::default();
    let call = ask(&client, &grant, get(format!("http://127.0.0.1:{port}/")));
    tokio::select! {
        result = call => panic!("nobody answered, and yet: {result:?}"),
        seen = waiting => seen.unwrap(),
    }
    assert_eq!(server.await.unwrap(), 0);
}
