//! What a hostile guest may reach: exactly what its call was granted, by no spelling and in no way more.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use mortise::config::{RuleEffect, ToolOptions};
use mortise::execution::{CallResult, Ending};
use mortise::host::Host;
use serde_json::{Value, json};

use crate::support::{Site, call, still_serves, text_of};

/// A site whose working folder may be written without a question, with something to find outside of it.
fn site() -> Site {
    let mut site = Site::with(&["reach"]);
    site.rule(RuleEffect::Allow, "Edit(**)");
    site.put("ws/in.txt", "inside");
    site.put("out/secret.txt", "secret");
    site
}

/// The guest does one thing, having claimed the working folder, to read or to write.
async fn reach(host: &Host, site: &Site, op: &str, path: &str, to: Option<&str>, writes: bool) -> CallResult {
    let claim = if writes { "writes" } else { "reads" };
    let mut input = json!({"op": op, "path": path, claim: [site.path("ws")], "read_only": !writes});
    if let Some(to) = to {
        input["to"] = to.into();
    }
    call(host, "reach", input).await
}

#[track_caller]
fn refused(result: &CallResult) {
    assert_eq!(result.ending, Ending::Failed, "{result:#?}");
    assert!(!text_of(result).contains("secret\n") && text_of(result) != "secret", "{result:#?}");
}

#[track_caller]
fn done(result: &CallResult) {
    assert_eq!(result.ending, Ending::Done, "{result:#?}");
}

#[tokio::test]
async fn what_is_granted_is_read_and_what_is_not_is_not() {
    let site = site();
    symlink(site.path("out/secret.txt"), site.path("ws/link")).unwrap();
    symlink(site.path("out"), site.path("ws/folder")).unwrap();
    std::fs::create_dir(site.path("ws-evil")).unwrap();
    std::fs::write(site.path("ws-evil/secret.txt"), "secret").unwrap();
    let host = site.host().await;
    let read = reach(&host, &site, "read", &site.path("ws/in.txt"), None, false).await;
    assert_eq!((read.ending, text_of(&read).as_str()), (Ending::Done, "inside"), "{read:#?}");
    let outside = [
        site.path("out/secret.txt"),
        site.path("ws/../out/secret.txt"),
        site.path("ws/../ws/../out/secret.txt"),
        site.path("ws-evil/secret.txt"),
        site.path("ws/link"),
        site.path("ws/folder/secret.txt"),
        "../out/secret.txt".to_owned(),
        "/etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
        "/proc/self/root/etc/passwd".to_owned(),
        format!("/proc/self/cwd/{}", site.path("out/secret.txt")),
        "/dev/zero".to_owned(),
    ];
    for path in &outside {
        refused(&reach(&host, &site, "read", path, None, false).await);
        refused(&reach(&host, &site, "read", path, None, true).await);
    }
    for path in
        [site.path("out"), site.path("ws/.."), site.path("ws/folder"), "/".into(), "/proc/self".into()]
    {
        refused(&reach(&host, &site, "list", &path, None, false).await);
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn refused_file_is_named_with_the_reason() {
    let site = site();
    let host = site.host().await;
    let read = reach(&host, &site, "read", &site.path("ws/../out/secret.txt"), None, false).await;
    refused(&read);
    let told = text_of(&read);
    assert!(told.contains("not among what this call was granted"), "{told}");
    assert!(told.contains(&site.path("out/secret.txt")), "{told}");
}

#[tokio::test]
async fn nothing_is_written_outside() {
    let site = site();
    symlink(site.path("out"), site.path("ws/folder")).unwrap();
    symlink(site.path("out/new.txt"), site.path("ws/dangling")).unwrap();
    let host = site.host().await;
    done(&reach(&host, &site, "write", &site.path("ws/new.txt"), None, true).await);
    assert_eq!(site.text("ws/new.txt"), "pwned");
    for path in
        ["out/new.txt", "ws/../out/new.txt", "ws/folder/new.txt", "ws/dangling", "ws/folder/secret.txt"]
    {
        for op in ["write", "replace", "append", "truncate", "resize", "remove"] {
            let result = reach(&host, &site, op, &site.path(path), None, true).await;
            // Removing a link that lies inside is the one thing that may be done.
            if (op, path) != ("remove", "ws/dangling") {
                refused(&result);
            }
        }
    }
    assert_eq!(site.text("out/secret.txt"), "secret");
    assert_eq!(std::fs::read_dir(site.path("out")).unwrap().count(), 1, "nothing came of it");
    still_serves(&host).await;
}

#[tokio::test]
async fn links_and_moves_lead_neither_in_nor_out() {
    let site = site();
    let host = site.host().await;
    let (out, inside) = (site.path("out/secret.txt"), site.path("ws/in.txt"));
    let stolen = site.path("ws/stolen");
    for op in ["link", "rename", "copy"] {
        refused(&reach(&host, &site, op, &out, Some(&stolen), true).await);
        refused(&reach(&host, &site, op, &inside, Some(&site.path("out/planted")), true).await);
        refused(&reach(&host, &site, op, &inside, Some(&site.path("ws/../out/planted")), true).await);
    }
    for target in [out.as_str(), "../out/secret.txt", "/", "../../../../../../etc/passwd"] {
        refused(&reach(&host, &site, "symlink", &stolen, Some(target), true).await);
    }
    // The trick of a link to a name that is replaced by a link afterwards.
    done(&reach(&host, &site, "mkdir", &site.path("ws/a"), None, true).await);
    let evil = reach(&host, &site, "symlink", &site.path("ws/a/evil"), Some(&site.path("out")), true).await;
    refused(&evil);
    assert!(!Path::new(&stolen).exists() && !Path::new(&site.path("out/planted")).exists());
    assert_eq!((site.text("out/secret.txt").as_str(), site.text("ws/in.txt").as_str()), ("secret", "inside"));
    let moved = site.path("ws/moved.txt");
    done(&reach(&host, &site, "rename", &inside, Some(&moved), true).await);
    assert_eq!(site.text("ws/moved.txt"), "inside");
    still_serves(&host).await;
}

#[tokio::test]
async fn read_only_grant_changes_nothing() {
    let site = site();
    let host = site.host().await;
    let file = site.path("ws/in.txt");
    done(&reach(&host, &site, "read", &file, None, false).await);
    for op in ["write", "append", "truncate", "truncate-unwritten", "resize", "remove", "replace"] {
        refused(&reach(&host, &site, op, &file, None, false).await);
        assert_eq!(site.text("ws/in.txt"), "inside", "{op}");
    }
    for op in ["link", "rename", "copy", "symlink"] {
        refused(&reach(&host, &site, op, &file, Some(&site.path("ws/second")), false).await);
    }
    refused(&reach(&host, &site, "mkdir", &site.path("ws/folder"), None, false).await);
    assert_eq!(std::fs::read_dir(site.path("ws")).unwrap().count(), 1, "nothing came of it");
    still_serves(&host).await;
}

#[tokio::test]
async fn nothing_is_carried_from_a_read_tree_into_a_written_one() {
    let mut site = Site::with(&["reach"]);
    site.put("ws/read/a.txt", "kept");
    std::fs::create_dir(site.path("ws/write")).unwrap();
    site.rule(RuleEffect::Allow, "Edit(write/**)");
    let host = site.host().await;
    let (from, to) = (site.path("ws/read/a.txt"), site.path("ws/write/a.txt"));
    let claims = |op: &str| {
        let (reads, writes) = ([site.path("ws/read")], [site.path("ws/write")]);
        json!({"op": op, "path": from, "to": to, "reads": reads, "writes": writes})
    };
    for op in ["link", "rename"] {
        refused(&call(&host, "reach", claims(op)).await);
        assert!(!Path::new(&to).exists(), "{op}");
    }
    done(&call(&host, "reach", claims("copy")).await);
    assert_eq!((site.text("ws/read/a.txt"), site.text("ws/write/a.txt")), ("kept".into(), "kept".into()));
    still_serves(&host).await;
}

#[tokio::test]
async fn denied_file_is_neither_read_nor_listed_nor_carried_off() {
    let mut site = site();
    site.put("ws/.env", "secret");
    site.put("ws/sub/.env", "secret");
    site.rule(RuleEffect::Deny, "Read(.env)");
    symlink(".env", site.path("ws/alias")).unwrap();
    std::fs::hard_link(site.path("ws/.env"), site.path("ws/twin")).unwrap();
    let host = site.host().await;
    let listed = reach(&host, &site, "list", &site.path("ws"), None, false).await;
    done(&listed);
    assert!(text_of(&listed).lines().any(|name| name == "in.txt"), "{listed:#?}");
    assert!(!text_of(&listed).lines().any(|name| name == ".env"), "{listed:#?}");
    for name in [".env", "./.env", "sub/../.env", "sub/.env", "alias", "twin"] {
        for op in ["read", "stat", "write", "append", "truncate", "remove", "replace"] {
            // A link's own name may be looked at and removed: what it leads to may not.
            if matches!((op, name), ("stat" | "remove", "alias" | "twin")) {
                continue;
            }
            refused(&reach(&host, &site, op, &site.path(&format!("ws/{name}")), None, true).await);
        }
        for op in ["link", "rename", "copy"] {
            // It may get another name of its own; what it leads to stays out of reach under that.
            if !matches!((op, name), ("rename", "alias" | "twin")) {
                let to = site.path("ws/stolen.txt");
                let carried =
                    reach(&host, &site, op, &site.path(&format!("ws/{name}")), Some(&to), true).await;
                assert_eq!(carried.ending, Ending::Failed, "{op} {name}: {carried:#?}");
                assert!(!Path::new(&to).exists(), "{op} {name}");
            }
        }
    }
    let moved = site.path("ws/moved.txt");
    done(&reach(&host, &site, "rename", &site.path("ws/twin"), Some(&moved), true).await);
    refused(&reach(&host, &site, "read", &moved, None, true).await);
    assert_eq!((site.text("ws/.env"), site.text("ws/sub/.env")), ("secret".into(), "secret".into()));
    still_serves(&host).await;
}

#[tokio::test]
async fn denied_name_in_another_case_is_no_way_around() {
    let mut site = site();
    site.rule(RuleEffect::Deny, "Read(.env)");
    // On a file system that tells cases apart these are other files; a rule that was meant denies them too.
    site.put("ws/.ENV", "secret");
    let host = site.host().await;
    refused(&reach(&host, &site, "read", &site.path("ws/.ENV"), None, false).await);
    still_serves(&host).await;
}

#[tokio::test]
async fn hosts_own_files_are_not_written_whether_they_exist_or_not() {
    let mut site = site();
    let own = ["ws/mortise.toml", "ws/.mortise/lock.toml", "ws/absent.toml", "plugins"];
    site.config.permission.own_files = own.map(|path| site.path(path).into()).into();
    site.put("ws/mortise.toml", "own");
    let host = site.host().await;
    done(&reach(&host, &site, "read", &site.path("ws/mortise.toml"), None, false).await);
    for name in
        ["ws/mortise.toml", "ws/MORTISE.toml", "ws/.mortise/lock.toml", "ws/absent.toml", "plugins/evil.wasm"]
    {
        for op in ["write", "replace"] {
            refused(&reach(&host, &site, op, &site.path(name), None, true).await);
        }
        let from = site.path("ws/in.txt");
        for op in ["rename", "link", "copy"] {
            refused(&reach(&host, &site, op, &from, Some(&site.path(name)), true).await);
        }
    }
    for op in ["append", "truncate", "remove"] {
        refused(&reach(&host, &site, op, &site.path("ws/mortise.toml"), None, true).await);
    }
    refused(
        &reach(&host, &site, "rename", &site.path("ws/mortise.toml"), Some(&site.path("ws/x")), true).await,
    );
    // By name it is not even asked for.
    let file = site.path("ws/absent.toml");
    let input = json!({"op": "write", "path": file, "writes_file": [file]});
    assert_eq!(call(&host, "reach", input).await.ending, Ending::Denied);
    assert_eq!(site.text("ws/mortise.toml"), "own");
    for absent in ["ws/.mortise/lock.toml", "ws/absent.toml", "plugins/evil.wasm", "ws/MORTISE.toml"] {
        assert!(!Path::new(&site.path(absent)).exists(), "{absent}");
    }
    still_serves(&host).await;
}

/// Somebody who would notice being dialled.
fn listener() -> (std::net::TcpListener, String) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let origin = listener.local_addr().unwrap().to_string();
    (listener, origin)
}

#[track_caller]
fn not_dialled(listener: &std::net::TcpListener) {
    // The call is over, so a connection of its would be waiting by now.
    assert!(listener.accept().is_err(), "it was dialled");
}

#[tokio::test]
async fn address_that_is_not_global_is_not_dialled_whatever_rules_allow() {
    let (listener, origin) = listener();
    let port = origin.rsplit_once(':').unwrap().1;
    let mut site = Site::with(&["dial"]);
    site.rule(RuleEffect::Allow, "dial");
    let host = site.host().await;
    for url in [
        format!("http://{origin}/"),
        format!("http://localhost:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://[::1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://100.100.100.200/".to_owned(),
    ] {
        for how in ["fetch", "wasi-http"] {
            let dialled = call(&host, "dial", json!({"how": how, "to": url, "claims": [url]})).await;
            assert_eq!(dialled.ending, Ending::Failed, "{how} {url}: {dialled:#?}");
            not_dialled(&listener);
        }
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn only_the_claimed_origin_is_dialled() {
    let (listener, origin) = listener();
    let (other, other_origin) = self::listener();
    let mut site = Site::with(&["dial"]);
    site.config.permission.private_origins = vec![origin.clone(), other_origin.clone()];
    site.rule(RuleEffect::Allow, "dial");
    let host = site.host().await;
    let claimed = format!("http://{other_origin}/");
    for (to, claims) in [
        (format!("http://{origin}/"), json!([claimed])),
        (format!("http://{origin}/"), json!([])),
        (format!("https://{other_origin}/"), json!([])),
        (format!("http://user@{origin}/"), json!([claimed])),
    ] {
        for how in ["fetch", "wasi-http"] {
            let dialled = call(&host, "dial", json!({"how": how, "to": to, "claims": claims})).await;
            assert_eq!(dialled.ending, Ending::Failed, "{how} {to}: {dialled:#?}");
        }
    }
    not_dialled(&listener);
    not_dialled(&other);
    // The same origin, claimed, is dialled: the tests above could fail.
    let answered = tokio::task::spawn_blocking(move || {
        loop {
            if let Ok((mut stream, _)) = listener.accept() {
                use std::io::{Read, Write};
                stream.set_nonblocking(false).unwrap();
                let mut head = [0; 1024];
                assert!(stream.read(&mut head).unwrap() > 0);
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").unwrap();
                return;
            }
            std::thread::yield_now();
        }
    });
    let url = format!("http://{origin}/");
    let dialled = call(&host, "dial", json!({"how": "fetch", "to": url, "claims": [url]})).await;
    assert_eq!((dialled.ending, text_of(&dialled).as_str()), (Ending::Done, "hi"), "{dialled:#?}");
    answered.await.unwrap();
    still_serves(&host).await;
}

#[tokio::test]
async fn host_that_a_rule_denies_is_not_dialled() {
    let (listener, origin) = listener();
    let mut site = Site::with(&["dial"]);
    site.config.permission.private_origins = vec![origin.clone()];
    let egress = vec![format!("http://{origin}")];
    site.config.registry.tools.insert("dial".into(), ToolOptions { egress, ..ToolOptions::default() });
    site.rule(RuleEffect::Allow, "dial");
    site.rule(RuleEffect::Deny, "WebFetch(domain:127.0.0.1)");
    let host = site.host().await;
    let url = format!("http://{origin}/");
    let named = call(&host, "dial", json!({"how": "fetch", "to": url, "claims": [url]})).await;
    assert_eq!(named.ending, Ending::Denied, "{named:#?}");
    let silent = call(&host, "dial", json!({"how": "fetch", "to": url, "claims": []})).await;
    assert_eq!(silent.ending, Ending::Failed, "{silent:#?}");
    not_dialled(&listener);
    still_serves(&host).await;
}

#[tokio::test]
async fn there_are_no_sockets_and_no_lookups() {
    let (listener, origin) = listener();
    let mut site = Site::with(&["dial"]);
    site.config.permission.private_origins = vec![origin.clone()];
    site.rule(RuleEffect::Allow, "dial");
    let host = site.host().await;
    let url = format!("http://{origin}/");
    for (how, to) in [("tcp", origin.as_str()), ("lookup", "localhost:80"), ("tcp", "localhost:80")] {
        let dialled = call(&host, "dial", json!({"how": how, "to": to, "claims": [url]})).await;
        assert_eq!(dialled.ending, Ending::Failed, "{how} {to}: {dialled:#?}");
    }
    not_dialled(&listener);
    still_serves(&host).await;
}

/// Runs in a process of its own: it is that process that is to be inherited from.
#[tokio::test]
async fn nothing_of_the_hosts_process_is_inherited() {
    const MARK: &str = "MORTISE_TEST_INHERIT";
    if std::env::var_os(MARK).is_some() {
        let site = Site::with(&["noise"]);
        let host = site.host().await;
        let found = call(&host, "inherit", json!({})).await;
        let found: Value = serde_json::from_str(&text_of(&found)).unwrap();
        assert_eq!(found["environment"], json!([]));
        assert!(found["arguments"].as_array().unwrap().iter().all(|one| one == ""), "{found}");
        assert_eq!(found["stdin"], "");
        still_serves(&host).await;
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["sandbox_reach::nothing_of_the_hosts_process_is_inherited", "--exact", "--nocapture"]);
    child.env(MARK, "secret").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"secret\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{complained}");
    // The guest wrote a protocol message to both of its standard streams.
    assert!(!said.contains("jsonrpc") && !complained.contains("jsonrpc"), "{said}\n{complained}");
}
