//! The contract's imports: linked in every phase, answering only where the phase and the grant allow, and
//! saying what is missing where they do not.

use std::time::Duration;

use wasmtime::component::{HasSelf, Linker};

use super::phase::Phase;
use super::state::State;
use super::{filesystem, network};
use crate::contract::bindings::Plugin;
use crate::contract::bindings::mortise::tool::{
    client, files, http, log, pool, reporting, session, storage, types,
};

/// Links every interface of the contract.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    Plugin::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
}

impl State {
    /// Fails unless this is the call itself: nothing else may reach out.
    pub(super) fn only_in_call(&self, what: &str) -> Result<(), String> {
        if self.phase == Phase::Call {
            return Ok(());
        }
        Err(format!("{what} answers only in `call`, and this is `{}`", self.phase))
    }

    /// Traps in `describe`: a descriptor that depended on the session would not be the same for everybody.
    fn not_in_describe(&self, what: &str) -> wasmtime::Result<()> {
        if self.phase == Phase::Describe {
            return Err(wasmtime::Error::msg(format!(
                "`{what}` does not answer in `describe`: what a tool says of itself is the same for everybody"
            )));
        }
        Ok(())
    }
}

impl types::Host for State {}

impl session::Host for State {
    async fn working_directory(&mut self) -> wasmtime::Result<String> {
        self.not_in_describe("session.working-directory")?;
        Ok(self.session.working_directory.clone())
    }

    async fn configuration(&mut self) -> wasmtime::Result<String> {
        self.not_in_describe("session.configuration")?;
        Ok(object_text(&self.session.configuration))
    }

    async fn interactive(&mut self) -> wasmtime::Result<bool> {
        self.not_in_describe("session.interactive")?;
        Ok(self.session.interactive)
    }

    async fn file_known(&mut self, path: String) -> wasmtime::Result<Option<session::KnownFile>> {
        self.not_in_describe("session.file-known")?;
        Ok(self.session.known.get(&path).map(|known| session::KnownFile {
            modified: known.modified.clone(),
            digest: known.digest.clone(),
            whole: known.whole,
        }))
    }

    async fn context(&mut self) -> wasmtime::Result<String> {
        self.not_in_describe("session.context")?;
        Ok(object_text(&self.session.context))
    }
}

/// JSON text; an object where there is nothing.
fn object_text(value: &serde_json::Value) -> String {
    if value.is_null() { "{}".to_owned() } else { value.to_string() }
}

impl log::Host for State {
    async fn log(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Trace => tracing::Level::TRACE,
            log::Level::Debug => tracing::Level::DEBUG,
            log::Level::Info => tracing::Level::INFO,
            log::Level::Warn => tracing::Level::WARN,
            log::Level::Error => tracing::Level::ERROR,
        };
        self.log.message(level, &message);
        Ok(())
    }
}

impl reporting::Host for State {
    async fn report(&mut self, progress: types::Progress) -> wasmtime::Result<()> {
        if let (Phase::Call, Some(sink)) = (self.phase, &self.progress) {
            sink(progress.into());
        }
        Ok(())
    }

    async fn cancelled(&mut self) -> wasmtime::Result<bool> {
        Ok(self.cancel.is_cancelled())
    }
}

impl files::Host for State {
    async fn replace(
        &mut self,
        path: String,
        content: Vec<u8>,
    ) -> wasmtime::Result<Result<files::Replaced, String>> {
        if let Err(why) = self.only_in_call("`files.replace`") {
            return Ok(Err(why));
        }
        let replaced = self.files.replace(&path, &content);
        Ok(replaced.map(|filesystem::Replaced { created, in_place }| files::Replaced { created, in_place }))
    }
}

impl http::Host for State {
    async fn fetch(&mut self, request: http::Request) -> wasmtime::Result<Result<http::Response, String>> {
        if let Err(why) = self.only_in_call("`http.fetch`") {
            return Ok(Err(why));
        }
        let request = network::FetchRequest {
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body,
            timeout: request.timeout_ms.map(|ms| Duration::from_millis(ms.into())),
            secret: request.secret,
        };
        let fetched = network::fetch(&self.client, &self.grant, &self.refusals, request, self.deadline).await;
        Ok(fetched.map(|response| http::Response {
            status: response.status,
            headers: response.headers,
            body: response.body,
            truncated: response.truncated,
        }))
    }
}

/// What the interfaces say whose time has not come.
fn not_yet(what: &str) -> String {
    format!("{what} is in the contract, but this version of the host does not answer it yet")
}

impl pool::Host for State {
    async fn call(
        &mut self,
        tool: String,
        _: types::Json,
    ) -> wasmtime::Result<Result<types::Outcome, types::Failure>> {
        let why = self
            .only_in_call("`pool.call`")
            .err()
            .unwrap_or_else(|| not_yet(&format!("calling `{tool}` from a tool")));
        Ok(Err(types::Failure::Rejected(types::Rejection { message: why, code: None })))
    }
}

impl client::Host for State {
    async fn elicit(
        &mut self,
        _: String,
        _: types::Json,
    ) -> wasmtime::Result<Result<types::Json, client::Declined>> {
        Ok(Err(self.no_client("`client.elicit`")))
    }

    async fn sample(&mut self, _: types::Json) -> wasmtime::Result<Result<types::Json, client::Declined>> {
        Ok(Err(self.no_client("`client.sample`")))
    }

    async fn roots(&mut self) -> wasmtime::Result<Result<Vec<String>, client::Declined>> {
        Ok(Err(self.no_client("`client.roots`")))
    }
}

impl State {
    fn no_client(&self, what: &str) -> client::Declined {
        client::Declined::Unavailable(self.only_in_call(what).err().unwrap_or_else(|| not_yet(what)))
    }

    /// The plugin's storage, if this phase and this grant have it.
    fn granted_storage(&self) -> Result<&super::storage::Storage, String> {
        self.only_in_call("`storage`")?;
        if !self.grant.storage() {
            return Err(
                "this call was granted no storage; the tool must list `storage` among its needs".into()
            );
        }
        self.storage.as_ref().ok_or_else(|| "this host keeps no storage".to_owned())
    }
}

impl storage::Host for State {
    async fn get(&mut self, key: String) -> wasmtime::Result<Result<Option<Vec<u8>>, String>> {
        Ok(self.granted_storage().and_then(|storage| storage.get(&key)))
    }

    async fn set(
        &mut self,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> wasmtime::Result<Result<(), String>> {
        Ok(self.granted_storage().and_then(|storage| storage.set(&key, &value, ttl_seconds)))
    }

    async fn delete(&mut self, key: String) -> wasmtime::Result<Result<(), String>> {
        Ok(self.granted_storage().and_then(|storage| storage.delete(&key)))
    }
}
