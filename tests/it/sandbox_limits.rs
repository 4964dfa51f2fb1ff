//! What a hostile guest may use up: time, memory, handles, room for results and logs. Each ends its own call
//! and nothing else.

use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use mortise::config::{RuleEffect, ToolLimits, ToolOptions};
use mortise::execution::{Attendance, Call, CallResult, Ending};
use mortise::host::Host;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::{
    Site, broken, call, describing, guest, leb, section, still_serves, text_of, with_core_module,
};

const SHORT: Duration = Duration::from_millis(300);

/// A site with one guest whose calls have little time.
fn hurried(tool: &str) -> Site {
    let mut site = Site::with(&[tool]);
    let limits = ToolLimits { time: Some(SHORT), ..ToolLimits::default() };
    site.config.registry.tools.insert(tool.into(), ToolOptions { limits, ..ToolOptions::default() });
    site
}

/// One call that is cancelled as soon as it shows a sign of life.
async fn call_and_cancel(host: &Host, tool: &str, input: Value) -> CallResult {
    let attendance = Attendance::default();
    let cancel = attendance.cancel.clone();
    let attendance = Attendance { progress: Some(Arc::new(move |_| cancel.cancel())), ..attendance };
    host.call_attended(Call { id: "toolu_1".into(), name: tool.into(), input }, attendance).await
}

#[tokio::test]
async fn guest_that_spins_is_stopped_when_its_time_is_up() {
    let host = hurried("spin").host().await;
    let spun = call(&host, "spin", json!({"at": "call"})).await;
    assert_eq!(spun.ending, Ending::TimedOut, "{spun:#?}");
    assert!(text_of(&spun).contains("300 ms"), "{spun:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn guest_that_spins_is_stopped_when_it_is_cancelled() {
    let host = Site::with(&["spin"]).host().await;
    let spun = call_and_cancel(&host, "spin", json!({"at": "call"})).await;
    assert_eq!(spun.ending, Ending::Interrupted, "{spun:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn guests_that_spin_do_not_keep_others_waiting() {
    // One thread: whoever does not share it keeps everybody waiting.
    let host = Arc::new(Site::with(&["spin"]).host().await);
    let cancel = Attendance::default().cancel;
    let (alive, mut spinning) = tokio::sync::mpsc::unbounded_channel();
    let spins: Vec<_> = (0..4)
        .map(|at| {
            let (host, alive, cancel) = (Arc::clone(&host), alive.clone(), cancel.clone());
            let progress = Some(Arc::new(move |_| alive.send(()).unwrap()) as mortise::sandbox::ProgressSink);
            let call = Call { id: format!("toolu_{at}"), name: "spin".into(), input: json!({"at": "call"}) };
            tokio::spawn(async move { host.call_attended(call, Attendance { progress, cancel }).await })
        })
        .collect();
    for _ in 0..4 {
        spinning.recv().await.unwrap();
    }
    still_serves(&host).await;
    cancel.cancel();
    for spin in spins {
        assert_eq!(spin.await.unwrap().ending, Ending::Interrupted);
    }
}

#[tokio::test]
async fn questionnaire_that_spins_counts_as_unanswered() {
    let mut site = hurried("spin");
    site.config.sandbox.limits.introspection_time = SHORT;
    let host = site.host().await;
    let spun = call(&host, "spin", json!({"at": "inspect"})).await;
    assert!(spun.notes.iter().any(|note| note.contains("was not answered")), "{spun:#?}");
    // A tool that needs nothing runs all the same, and then it is its call that spins.
    assert_eq!(spun.ending, Ending::TimedOut, "{spun:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn call_that_was_cancelled_before_it_began_ends_although_its_questionnaire_spins() {
    let host = Site::with(&["spin"]).host().await;
    let attendance = Attendance::default();
    attendance.cancel.cancel();
    let input = json!({"at": "inspect"});
    let spun =
        host.call_attended(Call { id: "toolu_1".into(), name: "spin".into(), input }, attendance).await;
    assert_eq!(spun.ending, Ending::Interrupted, "{spun:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn description_that_never_ends_breaks_its_plugin_and_no_other() {
    for mode in ["spins", "sleeps"] {
        let mut site = Site::with(&[]);
        site.plugin("endless", &describing(mode));
        site.config.sandbox.limits.introspection_time = SHORT;
        let host = site.host().await;
        let why = broken(&host, "endless");
        assert!(why.contains("stopped in `describe`"), "{mode}: {why}");
        still_serves(&host).await;
    }
}

#[tokio::test]
async fn core_module_that_spins_at_its_start_is_stopped_too() {
    let mut site = Site::with(&[]);
    // (type (func)) (func (type 0)) (start 0) (code: loop br 0 end)
    let spins = [
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[1, 0]),
        section(8, &[0]),
        section(10, &[1, 7, 0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b]),
    ];
    site.plugin("starting", &with_core_module(&guest("describes"), &spins.concat()));
    site.config.sandbox.limits.introspection_time = SHORT;
    let host = site.host().await;
    let why = broken(&host, "starting");
    assert!(why.contains("stopped in `describe`"), "{why}");
    still_serves(&host).await;
}

#[tokio::test]
async fn guest_that_sleeps_for_an_hour_is_stopped_when_its_time_is_up() {
    let host = hurried("sleep").host().await;
    let slept = call(&host, "sleep", json!({"at": "call"})).await;
    assert_eq!(slept.ending, Ending::TimedOut, "{slept:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn guest_that_sleeps_for_an_hour_is_stopped_when_it_is_cancelled() {
    let host = Site::with(&["sleep"]).host().await;
    let slept = call_and_cancel(&host, "sleep", json!({"at": "call"})).await;
    assert_eq!(slept.ending, Ending::Interrupted, "{slept:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn answer_of_a_server_that_never_ends_ends_with_the_call() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = listener.local_addr().unwrap().to_string();
    let mut site = hurried("dial");
    site.config.permission.private_origins = vec![origin.clone()];
    site.rule(RuleEffect::Allow, "dial");
    let host = site.host().await;
    let (met, mut meeting) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nonce upon").await.unwrap();
            kept.push(stream);
            met.send(()).unwrap();
        }
    });
    let url = format!("http://{origin}/");
    let dialed = call(&host, "dial", json!({"how": "fetch", "to": url, "claims": [url]})).await;
    assert!(meeting.try_recv().is_ok(), "the server was reached: {dialed:#?}");
    assert_eq!(dialed.ending, Ending::TimedOut, "{dialed:#?}");
    still_serves(&host).await;
}

#[tokio::test]
async fn guest_that_wants_four_gibibytes_is_told_what_it_may_have() {
    let host = Site::with(&["hoard"]).host().await;
    let got = call(&host, "hoard", json!({"what": "memory", "much": 16})).await;
    assert_eq!(got.ending, Ending::Done, "one mebibyte is fine: {got:#?}");
    for (what, much) in [("memory", 65_000_u64), ("memory-by-bits", 4 << 30)] {
        let hoarded = call(&host, "hoard", json!({"what": what, "much": much})).await;
        assert_eq!(hoarded.ending, Ending::Failed, "{hoarded:#?}");
        assert!(text_of(&hoarded).contains("256.0 MiB of memory"), "{hoarded:#?}");
        still_serves(&host).await;
    }
}

/// A component with so many more core modules, each with a memory of so many pages.
fn with_memories(count: usize, pages: u32) -> Vec<u8> {
    let memory = section(5, &[&[1, 0][..], &leb(pages)].concat());
    (0..count).fold(guest("describes"), |component, _| with_core_module(&component, &memory))
}

#[tokio::test]
async fn memories_that_each_stay_under_the_cap_are_counted_together() {
    let site = Site::with(&[]);
    // 150 MiB each.
    site.plugin("several", &with_memories(2, 2_400));
    let host = site.host().await;
    let why = broken(&host, "several");
    assert!(why.contains("ran out of memory in `describe`"), "{why}");
    still_serves(&host).await;

    site.plugin("several", &with_memories(2, 24));
    let host = site.host().await;
    let described = call(&host, "describes", json!({})).await;
    assert_eq!(described.ending, Ending::Done, "small ones are fine: {described:#?}");
}

#[tokio::test]
async fn more_memories_or_tables_than_there_are_for_one_instance_are_refused() {
    let site = Site::with(&[]);
    site.plugin("memories", &with_memories(40, 0));
    let table = section(4, &[1, 0x70, 0, 1]);
    let modules = |count: usize| {
        (0..count).fold(guest("describes"), |component, _| with_core_module(&component, &table))
    };
    site.plugin("modules", &modules(100));
    let one = [0x70, 0, 1];
    let tables = section(4, &[&[100][..], &one.repeat(100)].concat());
    site.plugin("tables", &with_core_module(&guest("describes"), &tables));
    let host = site.host().await;
    for (name, word) in [("memories", "memories"), ("modules", "core module instances"), ("tables", "tables")]
    {
        let why = broken(&host, name);
        assert!(why.contains("does not compile") && why.contains(word), "{name}: {why}");
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn handles_random_bytes_and_headers_without_end_end_the_call() {
    let host = Site::with(&["hoard"]).host().await;
    for (what, few, many) in [
        ("handles", 10, 5_000_000_u64),
        ("random", 10, 4 << 30),
        ("random", 10, 16 << 20),
        ("headers", 10, 1 << 20),
    ] {
        let hoarded = call(&host, "hoard", json!({"what": what, "much": few})).await;
        assert_eq!((hoarded.ending, text_of(&hoarded)), (Ending::Done, few.to_string()), "{hoarded:#?}");
        let hoarded = call(&host, "hoard", json!({"what": what, "much": many})).await;
        assert!(matches!(hoarded.ending, Ending::Broken | Ending::Failed), "{what}: {hoarded:#?}");
        still_serves(&host).await;
    }
}

#[tokio::test]
async fn result_of_two_hundred_megabytes_is_cut_and_stored() {
    let host = Site::with(&["hoard"]).host().await;
    let hoarded = call(&host, "hoard", json!({"what": "text", "much": 200_000_000})).await;
    assert_eq!(hoarded.ending, Ending::Done, "{:?}", hoarded.notes);
    let text = text_of(&hoarded);
    assert!(text.len() < 30_000 && text.contains("All of it is in this file"), "{} bytes", text.len());
    let cut = hoarded.notes.iter().any(|note| note.contains("was cut") && note.contains("64.0 MiB"));
    assert!(cut, "{:?}", hoarded.notes);
    still_serves(&host).await;
}

#[tokio::test]
async fn result_that_is_never_stored_is_cut_where_the_host_ends() {
    let mut site = Site::with(&["hoard"]);
    site.config.sandbox.limits.result_bytes = 1_000_000;
    let host = site.host().await;
    let whole = call(&host, "hoard_whole", json!({"what": "text", "much": 999_999})).await;
    assert_eq!((whole.ending, text_of(&whole).len()), (Ending::Done, 999_999), "{:?}", whole.notes);
    let cut = call(&host, "hoard_whole", json!({"what": "text", "much": 2_000_000})).await;
    assert_eq!(cut.ending, Ending::Done);
    let text = text_of(&cut);
    assert!((1_000_000..1_001_000).contains(&text.len()), "{} bytes", text.len());
    assert!(text.contains("left out"), "the model is told");
    let cut = call(&host, "hoard_whole", json!({"what": "blob", "much": 2_000_000})).await;
    assert_eq!(cut.ending, Ending::Done);
    assert!(text_of(&cut).contains("left out") && cut.content.len() == 1, "half a picture is none");
    still_serves(&host).await;
}

#[tokio::test]
async fn structured_output_without_end_is_nonsense() {
    let host = Site::with(&["hoard"]).host().await;
    let small = call(&host, "hoard", json!({"what": "structured", "much": 1_000})).await;
    assert!(small.structured.is_some(), "{small:#?}");
    let huge = call(&host, "hoard", json!({"what": "structured", "much": 100_000_000})).await;
    assert_eq!((huge.ending, &huge.structured), (Ending::Broken, &None), "{:?}", text_of(&huge));
    assert!(text_of(&huge).contains("structured output"), "{:?}", text_of(&huge));
    still_serves(&host).await;
}

#[tokio::test]
async fn shared_context_does_not_grow_without_end() {
    let host = Site::with(&["hoard"]).host().await;
    let kept = call(&host, "hoard", json!({"what": "context", "much": 600_000})).await;
    assert_eq!((kept.ending, kept.notes.len()), (Ending::Done, 0), "{:?}", kept.notes);
    let over = call(&host, "hoard", json!({"what": "context", "much": 600_001})).await;
    assert_eq!(over.ending, Ending::Done, "what was done is done");
    assert!(over.notes.iter().any(|note| note.contains("shared context")), "{:?}", over.notes);
    still_serves(&host).await;
}

#[tokio::test]
async fn answers_without_end_count_as_unanswered() {
    let host = Site::with(&["hoard"]).host().await;
    let asked = call(&host, "hoard", json!({"what": "answers", "much": 10 << 20})).await;
    assert!(asked.notes.iter().any(|note| note.contains("was not answered")), "{:?}", asked.notes);
    still_serves(&host).await;
}

#[tokio::test]
async fn noise_without_end_is_dropped_and_the_call_succeeds() {
    let host = Site::with(&["noise"]).host().await;
    for (to, lines, bytes) in
        [("log", 1_000_000, 10), ("log", 1, 64 << 20), ("stdout", 100_000, 10), ("stderr", 1, 64 << 20)]
    {
        let said = call(&host, "noise", json!({"to": to, "lines": lines, "bytes": bytes})).await;
        assert_eq!((said.ending, text_of(&said).as_str()), (Ending::Done, "said"), "{to}: {said:#?}");
    }
    still_serves(&host).await;
}

/// Runs one test of this binary in a process of its own; `None`: this is that process.
fn alone(test: &str) -> Option<Output> {
    const MARK: &str = "MORTISE_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        return None;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture"]).env(MARK, "1");
    Some(command.output().unwrap())
}

/// The most memory that this process ever held, in MiB, since the last call of `forget_peak`.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

#[tokio::test]
async fn host_memory_stays_flat_whatever_guests_hoard() {
    if let Some(output) = alone("sandbox_limits::host_memory_stays_flat_whatever_guests_hoard") {
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("1 passed"), "{said}");
        return;
    }
    let mut site = Site::with(&["hoard", "noise"]);
    site.config.sandbox.limits.memory = 64 << 20;
    let host = site.host().await;
    // Compiled and warm before anything is measured.
    call(&host, "hoard", json!({"what": "nothing", "much": 0})).await;
    call(&host, "noise", json!({"to": "nobody", "lines": 0, "bytes": 0})).await;
    still_serves(&host).await;
    for (what, much) in [
        ("memory", 65_000_u64),
        ("memory-by-bits", 4 << 30),
        ("random", 4 << 30),
        ("handles", 5_000_000),
        ("headers", 1 << 20),
        ("text", 50 << 20),
        ("blob", 50 << 20),
        ("structured", 50 << 20),
        ("answers", 50 << 20),
    ] {
        forget_peak();
        let before = peak();
        call(&host, "hoard", json!({"what": what, "much": much})).await;
        let grown = peak() - before;
        // The guest's own 64 MiB, and the host's copies of what it hands over.
        assert!(grown < 320, "{what}: {grown} MiB more than before");
    }
    forget_peak();
    let before = peak();
    call(&host, "noise", json!({"to": "log", "lines": 200_000, "bytes": 100})).await;
    call(&host, "noise", json!({"to": "log", "lines": 1, "bytes": 30 << 20})).await;
    let grown = peak() - before;
    assert!(grown < 160, "noise: {grown} MiB more than before");
    for _ in 0..50 {
        call(&host, "hoard", json!({"what": "memory-by-bits", "much": 60 << 20})).await;
    }
    forget_peak();
    let (before, left) = (before, peak());
    assert!(left < before + 160, "after 50 large calls: {left} MiB, before {before}");
    still_serves(&host).await;
}
