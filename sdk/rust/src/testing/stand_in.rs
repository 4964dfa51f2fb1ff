//! The functions of the contract's imports under the same names, answering from the test's session.
#![allow(clippy::disallowed_methods, reason = "stands in for the host's own file layer, in tests")]

use std::path::Path;

use super::STATE;

/// The home folder, if the test has set one.
pub(crate) fn home() -> Option<String> {
    STATE.with_borrow(|state| state.home.clone())
}

pub(crate) mod session {
    use super::*;
    use crate::session::KnownFile;

    pub(crate) fn working_directory() -> String {
        let set = STATE.with_borrow(|state| state.working_directory.clone());
        if set.is_empty() { "/".to_owned() } else { set }
    }

    pub(crate) fn configuration() -> String {
        STATE.with_borrow(|state| {
            state.configuration.as_ref().map_or("{}".to_owned(), |value| value.to_string())
        })
    }

    pub(crate) fn interactive() -> bool {
        false
    }

    pub(crate) fn file_known(path: &str) -> Option<KnownFile> {
        let path = Path::new(&working_directory()).join(path);
        STATE.with_borrow(|state| state.known.get(&path).cloned())
    }

    pub(crate) fn context() -> String {
        STATE.with_borrow(|state| state.context.as_ref().map_or("{}".to_owned(), |value| value.to_string()))
    }
}

pub(crate) mod log {
    use super::*;
    use crate::bindings::mortise::tool::log::Level;

    pub(crate) fn log(level: Level, message: &str) {
        let level = match level {
            Level::Trace => "trace",
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        STATE.with_borrow_mut(|state| state.logged.push(format!("{level}: {message}")));
    }
}

pub(crate) mod reporting {
    use super::*;
    use crate::Progress;

    pub(crate) fn report(progress: &Progress) {
        STATE.with_borrow_mut(|state| state.reported.push(progress.clone()));
    }

    pub(crate) fn cancelled() -> bool {
        STATE.with_borrow(|state| state.cancelled)
    }
}

pub(crate) mod files {
    use super::*;
    use crate::files::Replaced;

    pub(crate) fn replace(path: &str, content: &[u8]) -> Result<Replaced, String> {
        let path = Path::new(&session::working_directory()).join(path);
        let created = !path.exists();
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        std::fs::write(&path, content).map_err(|error| error.to_string())?;
        Ok(Replaced { created, in_place: false })
    }
}

pub(crate) mod http {
    use super::*;
    use crate::bindings::mortise::tool::http::{Request, Response};

    pub(crate) fn fetch(request: &Request) -> Result<Response, String> {
        let answer = STATE.with_borrow_mut(|state| state.responses.pop_front());
        let answer =
            answer.unwrap_or_else(|| Err(format!("the test holds no response for `{}`", request.url)))?;
        Ok(Response {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
            truncated: answer.truncated,
        })
    }
}

pub(crate) mod storage {
    use super::*;

    pub(crate) fn get(key: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(STATE.with_borrow(|state| state.stored.get(key).cloned()))
    }

    pub(crate) fn set(key: &str, value: &[u8], _ttl_seconds: Option<u32>) -> Result<(), String> {
        STATE.with_borrow_mut(|state| state.stored.insert(key.to_owned(), value.to_owned()));
        Ok(())
    }

    pub(crate) fn delete(key: &str) -> Result<(), String> {
        STATE.with_borrow_mut(|state| state.stored.remove(key));
        Ok(())
    }
}

pub(crate) mod process {
    use std::cell::RefCell;

    use super::*;
    use crate::bindings::mortise::tool::process::{Options, Output, Status};
    use crate::testing::Ran;

    /// A command as the test says it goes.
    pub(crate) struct Running(RefCell<Ran>);

    impl Running {
        pub(crate) fn start(options: &Options) -> Result<Self, String> {
            let ran = STATE.with_borrow_mut(|state| state.commands.pop_front());
            let none = || format!("the test says nothing of the command `{}`", options.command);
            ran.map(|ran| Self(RefCell::new(ran))).ok_or_else(none)
        }

        pub(crate) fn read(&self) -> Option<Output> {
            let mut ran = self.0.borrow_mut();
            let (stdout, stderr) = (std::mem::take(&mut ran.stdout), std::mem::take(&mut ran.stderr));
            let more = !(stdout.is_empty() && stderr.is_empty());
            more.then(|| Output { stdout: stdout.into(), stderr: stderr.into() })
        }

        pub(crate) fn wait(&self) -> Status {
            let ran = self.0.borrow();
            let signal = (ran.code == Some(-9)).then_some(9);
            let code = ran.code.filter(|code| *code != -9);
            Status { code, signal, timed_out: ran.timed_out, cwd_after: None }
        }

        pub(crate) fn detach(&self) -> String {
            "bash_1".to_owned()
        }

        pub(crate) fn kill(&self) {
            self.0.borrow_mut().code = Some(-9);
        }
    }

    pub(crate) fn stop(id: &str) -> Result<String, String> {
        if id == "bash_1" {
            Ok("sleep 1000".to_owned())
        } else {
            Err(format!("no command runs in the background under the id `{id}`"))
        }
    }
}
