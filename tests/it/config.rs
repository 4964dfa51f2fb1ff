//! Configuration: what is read from where, what is refused, and what a stranger's project may say.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mortise::config::{Config, ConfigError, Level, Places, RuleEffect, Sources, load};
use mortise::permission::Mode;
use serde_json::json;
use tempfile::TempDir;

/// A machine with a user and a project, both empty.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(machine.path("project/deep/down")).unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn sources(&self) -> Sources {
        let places = Places {
            managed: Some(self.path("etc/managed.toml")),
            home: Some(self.path("home")),
            config: Some(self.path("home/.config/mortise")),
            cache: Some(self.path("home/.cache/mortise")),
            data: Some(self.path("home/.local/share/mortise")),
            state: Some(self.path("home/.local/state/mortise")),
        };
        Sources { working_directory: self.path("project"), places: Some(places), ..Sources::default() }
    }

    fn load(&self) -> Config {
        load(&self.sources()).unwrap()
    }

    /// With `text` as the file that `--config` names.
    fn named(&self, text: &str) -> Result<Config, ConfigError> {
        let file = self.write("named/own.toml", text);
        load(&Sources { config: Some(file), ..self.sources() })
    }

    fn refused(&self, text: &str) -> String {
        self.named(text).unwrap_err().to_string()
    }
}

fn rules(config: &Config) -> Vec<(RuleEffect, &str, Level, Option<u32>)> {
    let rules = config.permission.rules.iter();
    rules.map(|rule| (rule.effect, rule.text.as_str(), rule.source.level, rule.source.line)).collect()
}

#[test]
fn nothing_written_is_all_defaults() {
    let machine = Machine::new();
    let config = machine.load();
    assert_eq!(config.working_directory, machine.path("project"));
    assert!(config.registry.embedded);
    assert_eq!(config.execution.concurrency, 10);
    assert_eq!(config.sandbox.limits, mortise::config::Limits::default());
    assert_eq!(config.sandbox.cache, Some(machine.path("home/.cache/mortise/compiled")));
    assert_eq!(config.sandbox.storage, Some(machine.path("home/.local/share/mortise/storage")));
    assert_eq!(config.registry.state, Some(machine.path("home/.local/state/mortise/plugins.json")));
    assert_eq!(config.registry.cache, Some(machine.path("home/.cache/mortise/descriptors")));
    assert_eq!((config.warnings, config.files), (vec![], vec![]));
}

#[test]
fn a_named_file_counts_as_a_whole() {
    let machine = Machine::new();
    let digest = format!("sha256:{}", "0a".repeat(32));
    let config = machine
        .named(&format!(
            r#"
[plugins]
folders = ["more", "~/mine"]
embedded = false
[permissions]
mode = "plan"
allow = [
  "Read(src/**)",
  "Edit",
]
deny = ["Read(./.env)"]
additional-directories = ["../beside"]
allow-private = ["127.0.0.1:8080"]
[limits]
time = "2m"
memory = "1GiB"
log-bytes = 1000
concurrency = 3
[tools.weather]
enabled = true
concurrent = true
digest = "{digest}"
grant = {{ files = ["data:read", "/out:write"], egress = ["https://api.example.com"] }}
limits = {{ time = "500ms", memory = "64MiB", result = 9 }}
config = {{ units = "metric", when = 1979-05-27, many = [1, 0x10, 2.5] }}
"#
        ))
        .unwrap();
    let folders: Vec<_> = config.registry.folders.iter().map(|f| (f.path.clone(), f.accepted)).collect();
    assert_eq!(folders, [(machine.path("named/more"), false), (machine.path("home/mine"), false)]);
    assert!(!config.registry.embedded);
    assert_eq!(config.permission.mode.as_deref(), Some("plan"));
    assert_eq!(
        rules(&config),
        [
            (RuleEffect::Deny, "Read(./.env)", Level::CommandLine, Some(11)),
            (RuleEffect::Allow, "Read(src/**)", Level::CommandLine, Some(8)),
            (RuleEffect::Allow, "Edit", Level::CommandLine, Some(9)),
        ]
    );
    assert_eq!(config.permission.rules[0].source.root, machine.path("named"));
    assert_eq!(config.permission.additional_directories, [machine.path("beside")]);
    assert_eq!(config.permission.private_origins, ["127.0.0.1:8080"]);
    assert_eq!(config.sandbox.limits.time, Duration::from_secs(120));
    assert_eq!((config.sandbox.limits.memory, config.sandbox.limits.log_bytes), (1 << 30, 1000));
    assert_eq!(config.execution.concurrency, 3);
    let tool = &config.registry.tools["weather"];
    assert_eq!((tool.enabled, tool.concurrent, tool.digest.as_ref()), (Some(true), true, Some(&digest)));
    assert_eq!(tool.files, [(machine.path("named/data"), false), ("/out".into(), true)]);
    assert_eq!(tool.egress, ["https://api.example.com"]);
    assert_eq!(tool.limits.time, Some(Duration::from_millis(500)));
    assert_eq!((tool.limits.memory, tool.limits.result), (Some(64 << 20), Some(9)));
    let given = json!({"units": "metric", "when": "1979-05-27", "many": [1, 16, 2.5]});
    assert_eq!(tool.config, Some(given));
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[test]
fn what_is_misspelt_is_refused_with_its_line_and_the_right_spelling() {
    let machine = Machine::new();
    let at = machine.path("named/own.toml").display().to_string();
    for (text, message) in [
        ("[permissions]\ndeyn = []", "2: unknown key in `[permissions]`: `deyn`; hint: `deny`"),
        ("\n[permisions]\ndeny = []", "2: unknown key in the file: `permisions`; hint: `permissions`"),
        ("[tools.x]\nenabeld = false", "2: unknown key in `[tools.x]`: `enabeld`; hint: `enabled`"),
        ("[permissions]\ndeny = \"Bash\"", "2: `permissions.deny` takes an array of strings, not string"),
        (
            "[permissions]\ndeny = [\n\"Bash\",\n7]",
            "4: `permissions.deny` takes an array of strings, not integer",
        ),
        ("[permissions]\nmode = \"pln\"", "2: unknown mode: `pln`; hint: `plan`"),
        ("[plugins]\nembedded = 1", "2: `plugins.embedded` takes true or false, not integer"),
        ("tools = 3", "1: `tools` takes a table, not integer"),
        ("[tools]\nx = 3", "2: `tools.x` takes a table, not integer"),
    ] {
        assert_eq!(machine.refused(text), format!("{at}:{message}"), "{text}");
    }
    assert!(machine.refused("[permissions]\nzzzzzz = 1").contains("hint: one of mode, allow"), "no guess");
    assert!(machine.refused("[permissions\n").starts_with(&format!("{at}:1: ")));
    assert!(machine.refused("[permissions]\ndeny = []\ndeny = []").starts_with(&format!("{at}:3: ")));
}

#[test]
fn values_that_mean_nothing_are_refused() {
    let machine = Machine::new();
    for text in [
        "[limits]\ntime = \"0s\"",
        "[limits]\ntime = \"10\"",
        "[limits]\ntime = \"25h\"",
        "[limits]\ntime = \"1.5s\"",
        "[limits]\ntime = 10",
        "[limits]\nmemory = \"64mb\"",
        "[limits]\nmemory = 0",
        "[limits]\nmemory = -1",
        "[limits]\nmemory = \"99999999999GiB\"",
        "[limits]\nconcurrency = 0",
        "[tools.\"a b\"]\nenabled = false",
        "[tools.x]\ndigest = \"sha256:12\"",
        "[tools.x]\ngrant = { files = [\"data\"] }",
        "[tools.x]\ngrant = { egress = [\"api.example.com\"] }",
        "[tools.x]\ngrant = { egress = [\"https://u@api.example.com\"] }",
        "[tools.x]\ngrant = { egress = [\"https://api.example.com/path\"] }",
        "[permissions]\nallow-private = [\"127.0.0.1\"]",
    ] {
        let message = machine.refused(text);
        assert!(message.contains("own.toml:2: ") || message.contains("own.toml:1: "), "{text}: {message}");
    }
}

#[test]
fn commands_get_the_environment_that_the_operator_names() {
    let machine = Machine::new();
    let process = |config: Config| config.sandbox.process;
    let named = |name: &str| std::env::var(name).ok().map(|value| (name.to_owned(), value));
    let usual: Vec<_> = ["PATH", "HOME", "LANG", "TERM"].into_iter().filter_map(named).collect();
    assert_eq!(process(machine.load()).environment, usual);
    assert!(!process(machine.load()).unconfined);
    let own = "[process]\nenvironment = [\"CARGO_MANIFEST_DIR\", \"NOT_SET_ANYWHERE\"]\nunconfined = true\n";
    let config = process(machine.named(own).unwrap());
    assert_eq!(config.environment.len(), usual.len() + usize::from(named("CARGO_MANIFEST_DIR").is_some()));
    assert!(config.unconfined);
    assert!(machine.refused("[process]\nenviroment = []\n").contains("environment"));
}

#[test]
fn a_found_project_neither_names_variables_nor_lifts_confinement() {
    let machine = Machine::new();
    let before = machine.load().sandbox.process;
    machine.write("project/mortise.toml", "[process]\nenvironment = [\"USER\"]\nunconfined = true\n");
    let config = machine.load();
    assert_eq!(config.sandbox.process, before);
    let said = &config.warnings;
    assert!(
        said.iter().any(|said| said.contains("process.environment") && said.contains("process.unconfined")),
        "{said:?}"
    );
    // What tightens counts.
    machine.write("home/.config/mortise/mortise.toml", "[process]\nunconfined = true\n");
    assert!(machine.load().sandbox.process.unconfined, "the user's own word");
    machine.write("project/mortise.toml", "[process]\nunconfined = false\n");
    assert!(!machine.load().sandbox.process.unconfined);
}

#[test]
fn sections_of_later_versions_are_said() {
    let machine = Machine::new();
    let config =
        machine.named("[secrets.key]\nfrom = { env = \"KEY\" }\n[pools]\n[[hooks.PreToolUse]]\n").unwrap();
    assert_eq!(config.warnings.len(), 3);
    for section in ["hooks", "secrets", "pools"] {
        let said = format!("section `[{section}]` is not read by this version");
        assert!(config.warnings.iter().any(|warning| warning.ends_with(&said)), "{section}");
    }
}

#[test]
fn the_nearest_project_file_upward_is_read_and_the_local_one_beside_it() {
    let machine = Machine::new();
    machine.write("mortise.toml", "[permissions]\ndeny = [\"Outer\"]");
    machine.write("project/mortise.toml", "[permissions]\ndeny = [\"Shared\"]");
    machine.write("project/mortise.local.toml", "[permissions]\nask = [\"Own\"]");
    let config =
        load(&Sources { working_directory: machine.path("project/deep/down"), ..machine.sources() }).unwrap();
    assert_eq!(
        rules(&config),
        [
            (RuleEffect::Deny, "Shared", Level::Project, Some(2)),
            (RuleEffect::Ask, "Own", Level::Local, Some(2)),
        ]
    );
    assert_eq!(config.permission.rules[0].source.root, machine.path("project"));
}

#[test]
fn a_found_project_only_tightens() {
    let machine = Machine::new();
    machine.write(
        "home/.config/mortise/mortise.toml",
        "[limits]\ntime = \"60s\"\n[tools.off]\nenabled = false\n[tools.slow.limits]\ntime = \"30s\"",
    );
    let file = machine.write(
        "project/mortise.toml",
        r#"
[plugins]
folders = ["plugins"]
[permissions]
mode = "bypassPermissions"
allow = ["Bash"]
ask = ["Edit"]
deny = ["Read(./.env)"]
additional-directories = ["/"]
allow-private = ["169.254.169.254:80"]
[limits]
time = "90s"
memory = "1MiB"
[tools.off]
enabled = true
[tools.slow]
enabled = false
grant = { files = ["/:write"] }
limits = { time = "10s", memory = "9GiB" }
"#,
    );
    let held = machine.load();
    assert_eq!(held.permission.mode, None);
    assert!(held.registry.folders.is_empty());
    assert!(held.permission.additional_directories.is_empty());
    assert!(held.permission.private_origins.is_empty());
    let effects: Vec<_> = held.permission.rules.iter().map(|rule| rule.effect).collect();
    assert_eq!(effects, [RuleEffect::Deny, RuleEffect::Ask]);
    assert_eq!(held.sandbox.limits.time, Duration::from_secs(60));
    assert_eq!(held.sandbox.limits.memory, 1 << 20);
    assert_eq!(held.registry.tools["off"].enabled, Some(false));
    let slow = &held.registry.tools["slow"];
    assert_eq!((slow.enabled, slow.files.len()), (Some(false), 0));
    assert_eq!((slow.limits.time, slow.limits.memory), (Some(Duration::from_secs(10)), None));
    let [warning] = held.warnings.as_slice() else { panic!("one line: {:?}", held.warnings) };
    assert!(warning.contains("permissions.allow (line 6)"), "{warning}");
    assert!(warning.contains(&format!("`--config {}`", file.display())), "{warning}");

    // The same file, named.
    let used = load(&Sources { config: Some(file), ..machine.sources() }).unwrap();
    assert_eq!(used.permission.mode.as_deref(), Some("bypassPermissions"));
    assert_eq!(used.permission.rules.len(), 3);
    assert_eq!(used.registry.folders.len(), 1);
    assert_eq!(used.sandbox.limits.time, Duration::from_secs(90));
    assert_eq!(used.registry.tools["off"].enabled, Some(true));
    assert_eq!(used.warnings, Vec::<String>::new());
}

#[test]
fn naming_the_project_file_does_not_lose_the_denies_of_the_local_one() {
    let machine = Machine::new();
    let file = machine.write("project/mortise.toml", "");
    machine.write("project/mortise.local.toml", "[permissions]\ndeny = [\"Bash\"]\nallow = [\"Edit\"]");
    let config = load(&Sources { config: Some(file), ..machine.sources() }).unwrap();
    assert_eq!(rules(&config), [(RuleEffect::Deny, "Bash", Level::Local, Some(2))]);
}

#[test]
fn what_the_managed_file_takes_away_stays_away() {
    let machine = Machine::new();
    machine.write(
        "etc/managed.toml",
        "[plugins]\nembedded = false\n[permissions]\ndeny = [\"Bash\"]\n[limits]\ntime = \"5s\"\n[tools.x]\nenabled = false",
    );
    let config = machine
        .named("[plugins]\nembedded = true\n[limits]\ntime = \"60s\"\n[tools.x]\nenabled = true\n[tools.y.limits]\ntime = \"60s\"")
        .unwrap();
    assert!(!config.registry.embedded);
    assert_eq!(config.sandbox.limits.time, Duration::from_secs(5));
    assert_eq!(config.registry.tools["x"].enabled, Some(false));
    assert_eq!(config.registry.tools["y"].limits.time, Some(Duration::from_secs(5)));
    assert_eq!(rules(&config), [(RuleEffect::Deny, "Bash", Level::Managed, Some(4))]);
}

#[test]
fn the_command_line_comes_last_and_its_folders_are_accepted() {
    let machine = Machine::new();
    let own = machine.write("own.toml", "[permissions]\nmode = \"plan\"\n[plugins]\nfolders = [\"p\"]");
    let config = load(&Sources {
        config: Some(own),
        plugins: vec![machine.path("p"), machine.path("q")],
        allow: vec!["Edit".to_owned()],
        deny: vec!["Bash".to_owned()],
        mode: Some("acceptEdits".to_owned()),
        no_embedded: true,
        ..machine.sources()
    })
    .unwrap();
    assert_eq!(config.permission.mode.as_deref(), Some("acceptEdits"));
    assert!(!config.registry.embedded);
    let folders: Vec<_> = config.registry.folders.iter().map(|f| (f.path.clone(), f.accepted)).collect();
    assert_eq!(folders, [(machine.path("p"), true), (machine.path("q"), true)]);
    assert_eq!(
        rules(&config),
        [
            (RuleEffect::Deny, "Bash", Level::CommandLine, None),
            (RuleEffect::Allow, "Edit", Level::CommandLine, None),
        ]
    );
    assert_eq!(config.permission.rules[0].source.root, machine.path("project"));
    let error = load(&Sources { mode: Some("yolo".to_owned()), ..machine.sources() }).unwrap_err();
    assert!(error.to_string().starts_with("`--mode`: unknown mode: `yolo`"), "{error}");
}

#[test]
fn every_mode_is_known_by_its_name() {
    let machine = Machine::new();
    for mode in Mode::ALL.map(Mode::name).into_iter().chain(["manual"]) {
        let config = load(&Sources { mode: Some(mode.to_owned()), ..machine.sources() }).unwrap();
        assert!(config.permission.mode.unwrap().parse::<Mode>().is_ok(), "{mode}");
    }
}

#[test]
fn imported_settings_keep_their_lines_and_skip_what_is_malformed() {
    let machine = Machine::new();
    let file = machine.write(
        "s/settings.json",
        r#"{
  "model": "x",
  "permissions": {
    "allow": ["Bash(say \"deny\")", 7, "Edit",
      "Edit"],
    "deny": [
      "Read(./.env)"
    ],
    "read": { "deny": ["x"] },
    "additionalDirectories": ["../beside", "~/notes"],
    "defaultMode": "plan"
  },
  "hooks": {}
}"#,
    );
    let config = load(&Sources { settings: vec![file.clone()], ..machine.sources() }).unwrap();
    assert_eq!(
        rules(&config),
        [
            (RuleEffect::Deny, "Read(./.env)", Level::CommandLine, Some(7)),
            (RuleEffect::Allow, "Bash(say \"deny\")", Level::CommandLine, Some(4)),
            (RuleEffect::Allow, "Edit", Level::CommandLine, Some(4)),
            (RuleEffect::Allow, "Edit", Level::CommandLine, Some(5)),
        ]
    );
    assert_eq!(config.permission.rules[0].source.root, machine.path("s"));
    assert_eq!(config.permission.mode.as_deref(), Some("plan"));
    let folders = [machine.path("beside"), machine.path("home/notes")];
    assert_eq!(config.permission.additional_directories, folders);
    let at = file.display();
    assert_eq!(
        config.warnings,
        [
            format!("{at}:2: `model` is not read by this version"),
            format!("{at}:13: `hooks` is not read by this version"),
            format!("{at}:9: `permissions.read` is not read by this version"),
            format!("{at}:4: skipped: an entry of `permissions.allow` is a string, not `7`"),
        ]
    );
}

#[test]
fn settings_that_would_lose_denies_are_an_error() {
    let machine = Machine::new();
    for text in [
        "",
        "{",
        "[]",
        r#"{"permissions": []}"#,
        r#"{"permissions": {"deny": "Bash"}}"#,
        r#"{"permissions": {"deny": ["Bash"], "deny": []}}"#,
        r#"{"permissions": {"deny": ["Bash"]}, "permissions": {}}"#,
    ] {
        let file = machine.write("s.json", text);
        assert!(load(&Sources { settings: vec![file], ..machine.sources() }).is_err(), "{text}");
    }
    assert!(load(&Sources { settings: vec![machine.path("none.json")], ..machine.sources() }).is_err());
    assert!(load(&Sources { config: Some(machine.path("none.toml")), ..machine.sources() }).is_err());
}

#[test]
fn a_mode_that_settings_forbid_is_not_taken() {
    let machine = Machine::new();
    let file = machine.write("s.json", r#"{"permissions": {"disableBypassPermissionsMode": "disable"}}"#);
    let sources = Sources { settings: vec![file], ..machine.sources() };
    let bypass = Sources { mode: Some("bypassPermissions".to_owned()), ..sources.clone() };
    assert_eq!(load(&bypass).unwrap().permission.mode, None);
    let plan = Sources { mode: Some("plan".to_owned()), ..sources };
    assert_eq!(load(&plan).unwrap().permission.mode.as_deref(), Some("plan"));
}

#[test]
fn own_files_are_named_whether_or_not_they_exist() {
    let machine = Machine::new();
    let named = machine.write("x/settings.json", "{}");
    machine.write("project/mortise.toml", "[plugins]\nfolders = [\"theirs\"]");
    let config = load(&Sources {
        working_directory: machine.path("project/deep"),
        settings: vec![named],
        plugins: vec![machine.path("mine")],
        ..machine.sources()
    })
    .unwrap();
    for own in [
        "project/mortise.toml",
        "project/mortise.local.toml",
        "project/deep/mortise.toml",
        "project/deep/mortise.local.toml",
        "project/.claude/settings.json",
        "project/deep/.claude/settings.local.json",
        "project/theirs",
        "mine",
        "x/settings.json",
        "etc/managed.toml",
        "home/.config/mortise",
        "home/.cache/mortise",
        "home/.local/share/mortise",
        "home/.local/state/mortise",
    ] {
        assert!(config.permission.own_files.contains(&machine.path(own)), "{own}");
    }
    let is_own = |path: &Path| config.permission.own_files.iter().any(|own| path.starts_with(own));
    assert!(!is_own(&machine.path("project/src/main.rs")));
}

#[test]
fn a_working_directory_that_is_not_there_is_an_error() {
    let machine = Machine::new();
    let nowhere = Sources { working_directory: machine.path("nowhere"), ..machine.sources() };
    assert!(matches!(load(&nowhere), Err(ConfigError::WorkingDirectory { .. })));
    let file = Sources { working_directory: machine.write("file", ""), ..machine.sources() };
    assert!(matches!(load(&file), Err(ConfigError::WorkingDirectory { .. })));
}
