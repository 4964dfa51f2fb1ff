//! Uses every import of the contract while it is asked, when none may answer, and hands over what it was told.

use mortise_sdk::{Answers, Descriptor, Failure, Invocation, Need, Outcome, Rejection, Tool};
use mortise_sdk::{files, http, log, session, storage};

/// The tool `curious`.
pub struct Curious;

impl Tool for Curious {
    type Input = std::collections::BTreeMap<String, String>;
    const NAME: &'static str = "curious";
    const DESCRIPTION: &'static str = "Is curious.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.needs(Need::Storage).needs(Need::WriteFiles).needs(Need::HttpWrite(Vec::new()))
    }

    fn inspect(_: &Self::Input, _: &Invocation) -> Result<Answers, Rejection> {
        log::info("asked");
        let path = format!("{}/curious.txt", session::working_directory());
        let told = [
            ("storage", storage::set("key", b"value", None).err()),
            ("files", files::replace(&path, b"pwned").err().map(|error| error.to_string())),
            ("http", http::get("http://127.0.0.1:1/").send().err()),
            ("read", std::fs::read_to_string(&path).err().map(|error| error.to_string())),
            ("tcp", std::net::TcpStream::connect("127.0.0.1:1").err().map(|error| error.to_string())),
        ];
        let told: Vec<_> = told
            .into_iter()
            .map(|(what, error)| format!("{what}: {}", error.unwrap_or_else(|| "it worked".to_owned())))
            .collect();
        Err(Rejection::new(told.join("\n")))
    }

    fn call(_: Self::Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok("never called".into())
    }
}

mortise_sdk::export!(Curious);
