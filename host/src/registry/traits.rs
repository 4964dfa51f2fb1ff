//! What a tool may ever want, told from its descriptor for the one who looks at the pool.

use crate::contract::{Descriptor, Need};

/// What a tool may ever want, in words.
pub(super) fn traits(descriptor: &Descriptor, native: bool) -> Vec<String> {
    let mut words = Vec::new();
    if native {
        words.push("native".to_owned());
    }
    if descriptor.needs.is_empty() {
        words.push("needs nothing".to_owned());
    } else if !descriptor.may_write() {
        words.push("read-only".to_owned());
    }
    words.extend(descriptor.needs.iter().map(|need| match need {
        Need::ReadFiles => "reads files".to_owned(),
        Need::WriteFiles => "writes files".to_owned(),
        Need::HttpRead(origins) => format!("reads from {}", hosts(origins)),
        Need::HttpWrite(origins) => format!("sends to {}", hosts(origins)),
        Need::RunCommands => "runs commands".to_owned(),
        Need::CallTools(tools) => {
            format!("calls {}", if tools.is_empty() { "any tool".into() } else { tools.join(", ") })
        }
        Need::Secrets(names) => format!("uses secrets {}", names.join(", ")),
        Need::AskUser => "asks the user".to_owned(),
        Need::Storage => "keeps storage".to_owned(),
    }));
    words
}

fn hosts(origins: &[String]) -> String {
    if origins.is_empty() { "hosts it names".to_owned() } else { origins.join(", ") }
}
