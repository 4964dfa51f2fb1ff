//! Wants more of everything than there is for one call: memory, handles, random bytes, room for its result.

use std::collections::BTreeMap;

use mortise_sdk::{Answers, Content, Descriptor, Failure, Invocation, Outcome, Rejection, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// What to hoard.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One of the words of `call`.
    what: String,
    /// How much of it.
    much: u64,
}

/// The tool `hoard`, whose results are spilled.
pub struct Hoard;

/// The tool `hoard_whole`, whose results never are.
pub struct HoardWhole;

impl Tool for Hoard {
    type Input = Input;
    const NAME: &'static str = "hoard";
    const DESCRIPTION: &'static str = "Hoards.";

    fn inspect(input: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        let answers = Answers::new().read_only().closed_world();
        if input.what == "answers" {
            return Ok(answers.extension("bulk", &"x".repeat(size(input.much))));
        }
        Ok(answers)
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        let much = size(input.much);
        match input.what.as_str() {
            // At once, in pages of 64 KiB.
            "memory" => {
                let before = core::arch::wasm32::memory_grow::<0>(much);
                assert!(before != usize::MAX, "there was no such memory");
                Ok("got it".into())
            }
            // Bit by bit, and every page of it is used.
            "memory-by-bits" => {
                let hoard: Vec<Vec<u8>> = (0..much >> 20).map(|_| vec![1_u8; 1 << 20]).collect();
                Ok(std::hint::black_box(hoard).len().to_string().into())
            }
            "random" => Ok(wasip2::random::random::get_random_bytes(input.much).len().to_string().into()),
            "handles" => {
                let hoard: Vec<_> = (0..much)
                    .map(|_| wasip2::clocks::monotonic_clock::subscribe_duration(u64::MAX))
                    .collect();
                Ok(std::hint::black_box(hoard).len().to_string().into())
            }
            "headers" => {
                let fields = wasip2::http::types::Fields::new();
                for at in 0..much {
                    fields
                        .append(&format!("x-{at}"), &vec![b'x'; 1 << 10])
                        .map_err(|error| Failure::fail(format!("{at} headers: {error:?}")))?;
                }
                Ok(much.to_string().into())
            }
            "text" => Ok(Outcome::text(text(much))),
            "blob" => Ok(Outcome::new().with(Content::image("image/png", vec![0; much]))),
            "structured" => {
                let outcome = Outcome::text("see the structured output");
                Ok(Outcome { structured: Some(numbers(much)), ..outcome })
            }
            "context" => {
                let patch: BTreeMap<_, _> = [(input.much.to_string(), text(much))].into();
                Ok(Outcome::text("kept").context(&patch))
            }
            _ => Ok("nothing".into()),
        }
    }
}

impl Tool for HoardWhole {
    type Input = Input;
    const NAME: &'static str = "hoard_whole";
    const DESCRIPTION: &'static str = "Hoards, and hands it over whole.";

    fn describe(descriptor: Descriptor) -> Descriptor {
        descriptor.unbounded_result()
    }

    fn inspect(input: &Input, call: &Invocation) -> Result<Answers, Rejection> {
        Hoard::inspect(input, call)
    }

    fn call(input: Input, call: &Invocation) -> Result<Outcome, Failure> {
        Hoard::call(input, call)
    }
}

/// A text of exactly this many bytes, with no room to spare: the copy would not fit beside it.
fn text(bytes: usize) -> String {
    String::from_utf8(vec![b'x'; bytes]).unwrap_or_default()
}

/// A JSON array of about this many bytes, each of whose elements costs its reader sixteen times as much.
fn numbers(bytes: usize) -> String {
    let mut json = vec![b','; bytes.max(4) | 1];
    json.iter_mut().skip(1).step_by(2).for_each(|byte| *byte = b'0');
    let last = json.len() - 1;
    json[0] = b'[';
    json[last] = b']';
    String::from_utf8(json).unwrap_or_default()
}

fn size(much: u64) -> usize {
    usize::try_from(much).unwrap_or(usize::MAX)
}

mortise_sdk::export!(Hoard, HoardWhole);
