//! What the confinement holds, on this machine's kernel and on one that can do less. Where a kernel cannot do
//! something, the tests assert that commands are refused, not that nothing was tried.

#![allow(clippy::disallowed_methods, reason = "tests make and look at files of their own")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::processes::Starter;
use super::running::{Running, Times, Waited};
use super::task::Ended;
use super::{Processes, Support};
use crate::config::{Level, PermissionOptions, ProcessOptions, RawRule, RuleEffect, RuleSource};
use crate::contract::{Access, Extent};
use crate::permission::{CommandGrant, Fence, FileGrant, Policy};

struct Site {
    _folder: tempfile::TempDir,
    top: PathBuf,
    fence: Arc<Fence>,
    processes: Processes,
    access: Access,
}

/// A folder `ws` that is granted and a folder `other` that is not, side by side.
fn site_with(support: Support, options: ProcessOptions, rules: &[(RuleEffect, &str)]) -> Site {
    site_in(tempfile::tempdir().unwrap(), support, options, rules)
}

fn site_in(
    folder: tempfile::TempDir,
    support: Support,
    options: ProcessOptions,
    rules: &[(RuleEffect, &str)],
) -> Site {
    let top = folder.path().canonicalize().unwrap();
    for (name, text) in [("ws/a.txt", "own"), ("other/b.txt", "foreign"), ("ws/keys/live.txt", "secret")] {
        let file = top.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let root = top.join("ws");
    let source = RuleSource { level: Level::CommandLine, file: None, line: None, root: root.clone() };
    let rule = |(effect, text): &(RuleEffect, &str)| RawRule {
        effect: *effect,
        text: (*text).to_owned(),
        source: source.clone(),
    };
    let permission = PermissionOptions {
        rules: rules.iter().map(rule).collect(),
        own_files: vec![root.join("mortise.toml")],
        ..PermissionOptions::default()
    };
    let (policy, problems) = Policy::new(&permission, &root);
    assert!(problems.is_empty(), "{problems:?}");
    let processes = Processes::with_support(options, support);
    Site { _folder: folder, top, fence: policy.fence(), processes, access: Access::Write }
}

/// Every kernel that this machine's can stand for.
fn kernels() -> Vec<Support> {
    let here = Support::of_this_kernel();
    vec![here.clone(), here.without(false, true)]
}

fn site(support: &Support, rules: &[(RuleEffect, &str)]) -> Site {
    site_with(support.clone(), ProcessOptions::default(), rules)
}

impl Site {
    fn grant(&self, line: &str) -> CommandGrant {
        let ws = self.top.join("ws");
        let tree =
            FileGrant { path: ws.clone(), named: ws.clone(), access: self.access, extent: Extent::Tree };
        CommandGrant { line: line.to_owned(), working_directory: ws, files: vec![tree], network: false }
    }

    fn start_granted(&self, grant: &CommandGrant) -> Result<Running, String> {
        let starter = Starter { plugin: "test".to_owned(), call: "toolu_1".to_owned() };
        self.processes.start(grant, &self.fence, starter, Times::new(Some(Duration::from_secs(60)), false))
    }

    fn start(&self, line: &str) -> Running {
        self.start_granted(&self.grant(line)).unwrap()
    }

    /// Runs a line to its end: its code, what it wrote, what it complained of. `None` where the kernel confines
    /// nothing: then it must have been refused.
    async fn run(&self, line: &str) -> Option<(Option<i32>, String, String)> {
        let mut running = match self.start_granted(&self.grant(line)) {
            Ok(running) => running,
            Err(why) => {
                assert!(!self.processes.confines(), "{why}");
                assert!(why.contains("hint: ") && why.contains("unconfined = true"), "{why}");
                return None;
            }
        };
        let (ended, out, err) = to_the_end(&mut running).await;
        Some((ended.code, out, err))
    }
}

async fn to_the_end(running: &mut Running) -> (Ended, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    while let Some((more_out, more_err)) = running.read().await {
        out.extend(more_out);
        err.extend(more_err);
    }
    let Waited::Ended(ended) = running.wait().await else { panic!("it has not ended") };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (ended, text(out), text(err))
}

/// What the pair of a test saw: that the thing denied is there, for those who may.
fn fine(done: Option<(Option<i32>, String, String)>, expected: &str) {
    let Some((code, out, err)) = done else { return };
    assert_eq!((code, out.as_str()), (Some(0), expected), "{err}");
}

#[track_caller]
fn refused(done: Option<(Option<i32>, String, String)>, secret: &str) {
    let Some((code, out, err)) = done else { return };
    assert_ne!(code, Some(0), "{out} {err}");
    assert!(!out.contains(secret) && !err.contains(secret), "{out} {err}");
}

#[tokio::test]
async fn a_granted_folder_is_read_and_written_and_a_sibling_is_neither() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        fine(site.run("cat a.txt").await, "own");
        fine(site.run("echo new > new.txt && cat new.txt").await, "new\n");
        refused(site.run("cat ../other/b.txt").await, "foreign");
        refused(site.run(&format!("cat {}/other/b.txt", site.top.display())).await, "foreign");
        refused(site.run("ln -s ../other/b.txt link && cat link").await, "foreign");
        refused(site.run("echo x > ../other/c.txt").await, "foreign");
        assert!(!site.top.join("other/c.txt").exists());
        refused(site.run("truncate -s 0 ../other/b.txt").await, "foreign");
        assert_eq!(std::fs::read_to_string(site.top.join("other/b.txt")).unwrap(), "foreign");
    }
}

#[tokio::test]
async fn what_may_only_be_read_is_not_written() {
    for kernel in kernels() {
        let mut site = site(&kernel, &[]);
        site.access = Access::Read;
        fine(site.run("cat a.txt").await, "own");
        refused(site.run("echo x > a.txt").await, "nothing");
        refused(site.run("touch new.txt").await, "nothing");
        assert_eq!(std::fs::read_to_string(site.top.join("ws/a.txt")).unwrap(), "own");
    }
}

#[tokio::test]
async fn a_denied_file_in_a_granted_folder_is_not_read_by_any_name() {
    let rules = [
        (RuleEffect::Deny, "Read(keys/**)"),
        (RuleEffect::Deny, "Read(.env)"),
        (RuleEffect::Deny, "Read(conf/deep/fixed)"),
    ];
    for kernel in kernels() {
        let site = site(&kernel, &rules);
        let ws = site.top.join("ws");
        std::fs::write(ws.join(".env"), "secret").unwrap();
        std::fs::hard_link(ws.join(".env"), ws.join("second")).unwrap();
        std::fs::create_dir(ws.join("open")).unwrap();
        refused(site.run("cat .env").await, "secret");
        refused(site.run("cat second").await, "secret");
        refused(site.run("cat keys/live.txt").await, "secret");
        refused(site.run("cd keys && cat live.txt").await, "secret");
        refused(site.run("mv .env open/x && cat open/x").await, "secret");
        refused(site.run("ln .env open/y && cat open/y").await, "secret");
        refused(site.run("echo x > .env").await, "secret");
        // Under another name the rule would not know it in the next call.
        std::fs::create_dir_all(ws.join("conf/deep")).unwrap();
        std::fs::write(ws.join("conf/deep/fixed"), "secret").unwrap();
        refused(site.run("mv conf conf2").await, "secret");
        refused(site.run("mv conf/deep deep").await, "secret");
        fine(site.run("cat a.txt; echo x > open/z; cat open/z").await, "ownx\n");
        assert_eq!(std::fs::read_to_string(ws.join(".env")).unwrap(), "secret");
    }
    // The pair: without the rules they are read.
    for kernel in kernels() {
        fine(site(&kernel, &[]).run("cat keys/live.txt").await, "secret");
    }
}

#[tokio::test]
async fn what_may_not_be_edited_is_read_and_not_written() {
    for kernel in kernels() {
        let site = site(&kernel, &[(RuleEffect::Deny, "Edit(a.txt)")]);
        std::fs::write(site.top.join("ws/mortise.toml"), "# own").unwrap();
        for (file, text) in [("a.txt", "own"), ("mortise.toml", "# own")] {
            fine(site.run(&format!("cat {file}")).await, text);
            refused(site.run(&format!("echo x > {file}")).await, "nothing");
            refused(site.run(&format!("rm {file}")).await, "nothing");
            refused(site.run(&format!("mv {file} elsewhere")).await, "nothing");
            assert_eq!(std::fs::read_to_string(site.top.join("ws").join(file)).unwrap(), text);
        }
    }
}

#[tokio::test]
async fn the_network_is_out_of_reach() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let dial = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached");
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        refused(site.run(&dial).await, "reached");
        let mut grant = site.grant(&dial);
        grant.network = true;
        if let Ok(mut running) = site.start_granted(&grant) {
            let (ended, out, err) = to_the_end(&mut running).await;
            assert_eq!((ended.code, out.as_str()), (Some(0), "reached\n"), "{err}");
        }
    }
}

#[tokio::test]
async fn the_environment_is_clean_and_standard_input_is_at_its_end() {
    let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let options = ProcessOptions {
        environment: vec![named("PATH", "/usr/bin:/bin"), named("LANG", "C"), named("CARGO_HOME", "/c")],
        unconfined: false,
    };
    for kernel in kernels() {
        let site = site_with(kernel, options.clone(), &[]);
        let Some((_, out, _)) = site.run("env | cut -d= -f1 | sort | tr '\\n' ' '; cat; echo end").await
        else {
            continue;
        };
        assert_eq!(out, "CARGO_HOME LANG PATH PWD SHLVL TMPDIR _ end\n");
        // ls itself holds the folder it lists.
        fine(site.run("ls /proc/self/fd | tr '\\n' ' '").await, "0 1 2 3 ");
        fine(site.run("echo x > /dev/stderr; echo y > /dev/stdout; echo z > /dev/null").await, "y\n");
        refused(site.run("echo x > /proc/self/comm").await, "nothing");
        fine(site.run("echo x > $TMPDIR/x && cat $TMPDIR/x").await, "x\n");
    }
}

#[tokio::test]
async fn what_others_leave_in_shared_folders_is_not_seen_and_a_place_to_write_is_there() {
    // Not in the folder for temporary files: that is what others share.
    let target = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let left = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(left.path(), "foreign").unwrap();
    for kernel in kernels() {
        let rules = [(RuleEffect::Deny, "Read(keys/**)")];
        let folder = tempfile::tempdir_in(&target).unwrap();
        let site = site_in(folder, kernel.clone(), ProcessOptions::default(), &rules);
        refused(site.run(&format!("cat {}", left.path().display())).await, "foreign");
        refused(site.run("cat keys/live.txt").await, "secret");
        fine(site.run("cd keys 2>/dev/null; cat ../a.txt 2>/dev/null || cat a.txt").await, "own");
        fine(site.run("echo x > $TMPDIR/x && cat $TMPDIR/x && mktemp >/dev/null").await, "x\n");
        if kernel.namespaces().is_some() {
            fine(
                site.run("echo $TMPDIR; ls /tmp /var/tmp /dev/shm 2>&1 | grep -v : | xargs").await,
                "/tmp\n\n",
            );
        }
    }
}

#[tokio::test]
async fn a_call_has_few_commands_at_a_time() {
    let site = site(Support::of_this_kernel(), &[]);
    if !site.processes.confines() {
        assert!(site.start_granted(&site.grant("sleep 1000")).is_err());
        return;
    }
    let running: Vec<Running> = (0..4).map(|_| site.start("sleep 1000")).collect();
    let why = site.start_granted(&site.grant("sleep 1000")).unwrap_err();
    assert!(why.contains("too many commands"), "{why}");
    for mut running in running {
        running.kill();
        running.wait().await;
    }
    fine(site.run("echo next").await, "next\n");
}

#[tokio::test]
async fn of_the_home_folder_only_what_git_reads_is_read() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    std::fs::write(at(".gitconfig"), "[user]\nname = Ada\nemail = ada@example.com\n").unwrap();
    std::fs::write(at(".git-credentials"), "https://ada:secret@example.com").unwrap();
    let home = home.path().to_str().unwrap().to_owned();
    let options = ProcessOptions { environment: vec![("HOME".to_owned(), home)], unconfined: false };
    for kernel in kernels() {
        let site = site_with(kernel.clone(), options.clone(), &[]);
        fine(
            site.run("git init -q . && git add a.txt && git commit -qm 1 && git log --format=%an").await,
            "Ada\n",
        );
        refused(site.run("cat ~/.git-credentials").await, "secret");
        refused(site.run("ls ~").await, "gitconfig");
        refused(site.run("echo x >> ~/.gitconfig").await, "nothing");
        let site = site_with(kernel, options.clone(), &[(RuleEffect::Deny, "Read(//**/.gitconfig)")]);
        refused(site.run("cat ~/.gitconfig").await, "Ada");
    }
}

#[tokio::test]
async fn the_memory_and_the_processes_of_others_are_out_of_reach() {
    let own = std::process::id();
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        refused(site.run(&format!("cat /proc/{own}/environ | tr '\\0' '\\n' | grep PATH")).await, "PATH");
        refused(site.run(&format!("kill -0 {own}")).await, "nothing");
        // What the host was started with, either.
        let run = site.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").await;
        if kernel.namespaces().is_some() {
            let this = std::env::args().next().unwrap();
            assert!(run.is_none_or(|(_, out, _)| out.contains("cat /proc") && !out.contains(&this)));
        }
        refused(site.run("mount -t tmpfs none /mnt 2>&1 || umount a.txt").await, "nothing");
    }
}

#[tokio::test]
async fn a_command_that_is_not_read_waits_and_loses_nothing() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        if !site.processes.confines() {
            continue;
        }
        let mut running = site.start("head -c 10000000 /dev/zero");
        let (first, _) = running.read().await.unwrap();
        assert!(running.held() < 1 << 20, "{}", running.held());
        let (ended, rest, _) = to_the_end(&mut running).await;
        assert_eq!((ended.code, first.len() + rest.len()), (Some(0), 10_000_000));
    }
}

#[tokio::test]
async fn output_held_open_by_something_left_behind_is_not_waited_for() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        fine(site.run("sleep 1000 & echo started").await, "started\n");
        fine(site.run("setsid sleep 1000 & echo started").await, "started\n");
    }
}

/// Reads a line that the command writes once it runs, and the process that it names.
async fn named_process(running: &mut Running) -> PathBuf {
    let (out, _) = running.read().await.expect("it says which process it is");
    let text = String::from_utf8(out).unwrap();
    PathBuf::from(text.trim())
}

/// Whether the lock of a file is free: the kernel gives it up when its holder ends.
fn is_free(lock: &Path) -> bool {
    let file = std::fs::File::open(lock).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[tokio::test]
async fn killing_a_command_kills_whatever_it_started() {
    for kernel in kernels() {
        for line in [
            "flock lock sh -c 'echo lock; sleep 1000' | cat",
            "setsid flock lock sh -c 'echo lock; sleep 1000'",
            "(setsid flock lock sh -c 'echo lock; exec setsid sleep 1000' &); sleep 1000",
        ] {
            let site = site(&kernel, &[]);
            let lock = site.top.join("ws/lock");
            std::fs::write(&lock, "").unwrap();
            if !site.processes.confines() {
                assert!(site.start_granted(&site.grant(line)).is_err());
                continue;
            }
            let mut running = site.start(line);
            assert_eq!(named_process(&mut running).await, Path::new("lock"));
            assert!(!is_free(&lock), "{line}");
            running.kill();
            let Waited::Ended(ended) = running.wait().await else { panic!("it was killed: {line}") };
            assert_eq!((ended.code, ended.signal), (None, Some(9)));
            until_free(&lock).await;
        }
    }
}

/// Waits for a lock to be given up. The kernel ends processes in its own time.
async fn until_free(lock: &Path) {
    let lock = lock.to_owned();
    let file = std::fs::File::open(lock).unwrap();
    let work = move || rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    tokio::time::timeout(Duration::from_secs(30), tokio::task::spawn_blocking(work)).await.unwrap().unwrap();
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        let lock = site.top.join("ws/lock");
        std::fs::write(&lock, "").unwrap();
        let line = "mkfifo pipe; (setsid flock lock sh -c 'echo up >pipe; exec sleep 1000' &); cat pipe";
        fine(site.run(line).await, "up\n");
        until_free(&lock).await;
    }
}

#[tokio::test]
async fn a_dropped_command_is_killed_and_a_detached_one_is_not() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        if !site.processes.confines() {
            continue;
        }
        let lock = site.top.join("ws/lock");
        std::fs::write(&lock, "").unwrap();
        let mut running = site.start("flock lock sh -c 'echo lock; sleep 1000'");
        named_process(&mut running).await;
        drop(running);
        until_free(&lock).await;

        let mut running = site.start("flock lock sh -c 'echo lock; sleep 1000'");
        named_process(&mut running).await;
        let id = running.detach();
        drop(running);
        assert!(!is_free(&lock));
        assert!(site.processes.stop("another", &id).await.is_err(), "it is not its own");
        assert!(site.processes.stop("test", &id).await.unwrap().contains("flock lock"));
        until_free(&lock).await;
        assert!(site.processes.stop("test", &id).await.unwrap_err().contains("ended already"));
        let kept = std::fs::read_to_string(site.processes.output_file("toolu_1").unwrap()).unwrap();
        assert!(kept.contains("lock\n") && kept.contains("killed: it was stopped"), "{kept}");
    }
}

#[tokio::test]
async fn commands_end_with_the_session() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        if !site.processes.confines() {
            continue;
        }
        let lock = site.top.join("ws/lock");
        std::fs::write(&lock, "").unwrap();
        let mut running = site.start("flock lock sh -c 'echo lock; sleep 1000'");
        named_process(&mut running).await;
        running.detach();
        drop((running, site.processes));
        until_free(&lock).await;
    }
}

#[tokio::test]
async fn where_nothing_confines_a_command_is_refused_with_the_next_step() {
    let bare = Support::of_this_kernel().without(true, true);
    let site = site_with(bare.clone(), ProcessOptions::default(), &[]);
    assert!(!site.processes.confines());
    let why = site.start_granted(&site.grant("echo hi")).unwrap_err();
    assert!(why.contains("cannot confine") && why.contains("[process] unconfined = true"), "{why}");

    let options = ProcessOptions { unconfined: true, ..ProcessOptions::default() };
    let site = site_with(bare, options, &[]);
    assert!(!site.processes.confines());
    fine(site.run("cat ../other/b.txt").await, "foreign");
    let lock = site.top.join("ws/lock");
    std::fs::write(&lock, "").unwrap();
    let mut running =
        site.start("(setsid flock lock sh -c 'echo lock; exec setsid sleep 1000' &); sleep 1000");
    named_process(&mut running).await;
    drop(running);
    until_free(&lock).await;
}

#[tokio::test]
async fn where_the_shell_ended_is_told() {
    for kernel in kernels() {
        let site = site(&kernel, &[]);
        if !site.processes.confines() {
            continue;
        }
        for (line, code, folder) in [
            ("cd keys", 0, Some("keys")),
            ("cd keys; exit 3", 3, Some("keys")),
            ("(cd keys)", 0, Some("")),
            ("echo 'a\nb'; cat <<'E' >/dev/null\n$x\nE\ncd keys && false", 1, Some("keys")),
            ("exec true", 0, None),
        ] {
            let (ended, ..) = to_the_end(&mut site.start(line)).await;
            let expected = folder.map(|folder| site.top.join("ws").join(folder));
            let told = ended.left_in.map(|told| told.components().collect::<PathBuf>());
            assert_eq!(
                (ended.code, told),
                (Some(code), expected.map(|path| path.components().collect())),
                "{line}"
            );
        }
    }
}
