//! The calls of one turn: one result each, in order, and shared context that changes in order.

use std::sync::Arc;

use async_trait::async_trait;
use mortise::contract::{Answers, Descriptor, Failure, Invocation, Outcome};
use mortise::execution::{Attendance, Call, Ending};
use mortise::host::Host;
use mortise::registry::{NativeCall, NativeTool};
use mortise::sandbox::Session;
use serde_json::{Value, json};

use crate::support::{config_in, text_of};

/// Says what the shared context was when it ran, and puts its own input there.
struct Note;

#[async_trait]
impl NativeTool for Note {
    fn describe(&self) -> Descriptor {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        Descriptor::new("note", "Notes a text.", schema)
    }

    fn inspect(&self, _: &Invocation, _: &Session) -> Answers {
        Answers { read_only: true, ..Answers::default() }
    }

    async fn call(&self, call: &Invocation, context: &NativeCall) -> Result<Outcome, Failure> {
        if call.input["text"] == "panic" {
            panic!("as asked");
        }
        let mut outcome = Outcome::text(context.session.context["last"].to_string());
        outcome.context = Some(json!({"last": call.input["text"], "gone": Value::Null}));
        Ok(outcome)
    }
}

async fn host(folder: &std::path::Path) -> Host {
    Host::builder().config(config_in(folder)).tool(Arc::new(Note)).build().await.unwrap()
}

fn turn(texts: &[&str]) -> Vec<Call> {
    let call = |(number, text): (usize, &&str)| Call {
        id: format!("toolu_{number}"),
        name: if *text == "nobody" { "Nobody".into() } else { "note".into() },
        input: json!({ "text": text }),
    };
    texts.iter().enumerate().map(call).collect()
}

#[tokio::test]
async fn each_call_of_a_turn_gets_one_result_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path()).await;
    let results = host.run(turn(&["a", "nobody", "panic", "b"])).await;
    let ids: Vec<_> = results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["toolu_0", "toolu_1", "toolu_2", "toolu_3"]);
    let endings: Vec<_> = results.iter().map(|result| result.ending).collect();
    assert_eq!(endings, [Ending::Done, Ending::Invalid, Ending::Broken, Ending::Done], "{results:#?}");
}

#[tokio::test]
async fn a_cancelled_turn_has_a_result_for_the_calls_that_never_started() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path()).await;
    let attendance = Attendance::default();
    let cancel = attendance.cancel.clone();
    let results = host.run_attended(turn(&["a", "b", "c"]), &attendance, |_| cancel.cancel()).await;
    let endings: Vec<_> = results.iter().map(|result| result.ending).collect();
    assert_eq!(endings, [Ending::Done, Ending::Interrupted, Ending::Interrupted]);
}

#[tokio::test]
async fn context_changes_in_the_order_of_the_calls() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path()).await;
    let results = host.run(turn(&["a", "panic", "b", "c"])).await;
    let seen: Vec<_> = [0, 2, 3].map(|place: usize| text_of(&results[place])).to_vec();
    assert_eq!(seen, ["null", "\"a\"", "\"b\""], "what failed changes nothing");
}
