//! The contract's `http.fetch`.

use super::*;

#[tokio::test]
async fn body_over_the_cap_is_cut_and_said_to_be() {
    for (cap, body, truncated) in [(4, "hell", true), (5, "hello", false), (6, "hello", false), (0, "", true)]
    {
        let server = Server::answering(OK).await;
        let limits = Limits { response_bytes: cap, ..Limits::default() };
        let grant = Grant::for_test_egress(vec![private("127.0.0.1", server.port)], limits);
        let url = format!("http://127.0.0.1:{}/", server.port);
        let response = ask(&Client::default(), &grant, get(url)).await.unwrap();
        assert_eq!((response.body.as_slice(), response.truncated), (body.as_bytes(), truncated), "cap {cap}");
    }
}

#[tokio::test]
async fn body_and_its_length_arrive() {
    let server = Server::answering(OK).await;
    let grant = grant([private("127.0.0.1", server.port)]);
    let url = format!("http://127.0.0.1:{}/", server.port);
    let request = FetchRequest { method: "POST".into(), body: Some(b"a=b".to_vec()), ..get(url) };
    ask(&Client::default(), &grant, request).await.unwrap();
    let request = server.requests().remove(0);
    assert!(request.contains("\r\ncontent-length: 3\r\n") && request.ends_with("\r\n\r\na=b"), "{request}");
}

#[tokio::test]
async fn request_with_a_secret_is_not_sent_without_it() {
    let listener = Untouched::new();
    let grant = grant([private("127.0.0.1", listener.port())]);
    let url = format!("http://127.0.0.1:{}/", listener.port());
    let request = FetchRequest { secret: Some("weather-key".into()), ..get(url) };
    let error = ask(&Client::default(), &grant, request).await.unwrap_err();
    let expected =
        "secrets come with a later version and are not attached yet, so nothing was sent: `weather-key`";
    assert_eq!(error, expected);
    assert!(!listener.was_dialed());
}

#[tokio::test]
async fn refusals_are_kept_for_the_result_and_failures_are_not() {
    let refusals = Refusals::new();
    let resolver = Answers::of(&[]);
    let grant = grant([origin("https", "gone.test", 443)]);
    for url in ["https://gone.test/", "https://other.test/", "https://other.test/again"] {
        fetch(&client(&resolver), &grant, &refusals, get(url), soon()).await.unwrap_err();
    }
    assert_eq!(refusals.list(), ["this call was not granted requests to `https://other.test:443`"]);
}

#[tokio::test]
async fn empty_grant_reaches_nothing() {
    let listener = Untouched::new();
    let grant = Grant::none(Limits::default());
    let error = ask(&Client::default(), &grant, get(format!("http://127.0.0.1:{}/", listener.port()))).await;
    assert!(error.unwrap_err().contains("was not granted"));
    assert!(!listener.was_dialed());
}

#[test]
fn list_of_refusals_is_bounded() {
    let refusals = Refusals::new();
    for index in 0..1_000 {
        refusals.note(format!("refused {index}"));
    }
    assert_eq!(refusals.list().len(), 16);
}
