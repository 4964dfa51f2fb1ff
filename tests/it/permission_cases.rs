//! What the permission tests share: a scratch project, and calls of tools in it.

use std::path::{Path, PathBuf};

use mortise::config::{Level, PermissionOptions, RawRule, RuleEffect, RuleSource};
use mortise::contract::{Access, Answers, Descriptor, Extent, Need, PathSubject, Subject, UrlSubject};
use mortise::permission::{Decision, Effect, GrantSummary, Policy, Problem, Request, prospect};
use serde_json::{Value, json};

/// A scratch project with a folder beside it.
pub struct Scratch {
    pub dir: tempfile::TempDir,
    pub options: PermissionOptions,
}

impl Scratch {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for folder in ["ws/src/deep", "ws-evil", "home", "outside"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        for file in ["ws/a.rs", "ws/.env", "ws/src/deep/b.rs", "outside/secret", "ws-evil/x", "home/key"] {
            std::fs::write(base.join(file), "x").unwrap();
        }
        let options = PermissionOptions { home: Some(base.join("home")), ..PermissionOptions::default() };
        Self { dir, options }
    }

    pub fn base(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub fn ws(&self) -> PathBuf {
        self.base().join("ws")
    }

    pub fn rule(mut self, effect: RuleEffect, text: &str) -> Self {
        self.options.rules.push(raw(effect, text, &self.ws()));
        self
    }

    pub fn allow(self, text: &str) -> Self {
        self.rule(RuleEffect::Allow, text)
    }

    pub fn ask(self, text: &str) -> Self {
        self.rule(RuleEffect::Ask, text)
    }

    pub fn deny(self, text: &str) -> Self {
        self.rule(RuleEffect::Deny, text)
    }

    pub fn mode(mut self, mode: &str) -> Self {
        self.options.mode = Some(mode.to_owned());
        self
    }

    pub fn policy(&self) -> Policy {
        Policy::new(&self.options, &self.ws()).0
    }

    pub fn problems(&self) -> Vec<Problem> {
        Policy::new(&self.options, &self.ws()).1
    }

    pub fn decide(&self, call: &Call) -> (Decision, GrantSummary) {
        prospect(&self.policy(), &call.request())
    }

    pub fn effect(&self, call: &Call) -> Effect {
        self.decide(call).0.effect
    }
}

pub fn raw(effect: RuleEffect, text: &str, root: &Path) -> RawRule {
    let source = RuleSource { level: Level::CommandLine, file: None, line: None, root: root.to_path_buf() };
    RawRule { effect, text: text.to_owned(), source }
}

/// One call of an accepted plugin's tool that needs everything.
#[derive(Clone)]
pub struct Call {
    pub descriptor: Descriptor,
    pub answers: Answers,
    pub input: Value,
    pub accepted: bool,
}

impl Call {
    pub fn of(tool: &str) -> Self {
        let mut descriptor = Descriptor::new(tool, "", json!({"type": "object"}));
        descriptor.needs = vec![
            Need::ReadFiles,
            Need::WriteFiles,
            Need::HttpRead(vec![]),
            Need::HttpWrite(vec![]),
            Need::RunCommands,
        ];
        Self { descriptor, answers: Answers::default(), input: json!({}), accepted: true }
    }

    pub fn reads(path: impl AsRef<Path>) -> Self {
        Self::of("Read").read_only().path(path, Access::Read, Extent::File)
    }

    pub fn lists(path: impl AsRef<Path>) -> Self {
        Self::of("Grep").read_only().path(path, Access::Read, Extent::Tree)
    }

    pub fn writes(path: impl AsRef<Path>) -> Self {
        Self::of("Write").path(path, Access::Write, Extent::File)
    }

    pub fn fetches(url: &str) -> Self {
        Self::of("WebFetch").read_only().url(url, "GET")
    }

    pub fn runs(command: &str) -> Self {
        Self::of("Bash").subject(Subject::Command { command: command.to_owned() })
    }

    pub fn path(self, path: impl AsRef<Path>, access: Access, extent: Extent) -> Self {
        let path = path.as_ref().to_str().unwrap().to_owned();
        self.subject(Subject::Path(PathSubject { path, access, extent }))
    }

    pub fn url(self, url: &str, method: &str) -> Self {
        self.subject(Subject::Url(UrlSubject { url: url.to_owned(), method: method.to_owned() }))
    }

    pub fn subject(mut self, subject: Subject) -> Self {
        self.answers.subjects.push(subject);
        self
    }

    pub fn read_only(mut self) -> Self {
        self.answers.read_only = true;
        self
    }

    pub fn needs(mut self, needs: Vec<Need>) -> Self {
        self.descriptor.needs = needs;
        self
    }

    pub fn alias(mut self, name: &str) -> Self {
        self.descriptor.aliases.push(name.to_owned());
        self
    }

    pub fn unaccepted(mut self) -> Self {
        self.accepted = false;
        self
    }

    pub fn request(&self) -> Request<'_> {
        let mut request = Request::new(&self.descriptor, &self.answers, &self.input, "call-1");
        request.accepted = self.accepted;
        request.digest = "sha256:1";
        request
    }
}
