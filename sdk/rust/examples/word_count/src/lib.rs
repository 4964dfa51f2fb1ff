//! The smallest plugin: one tool that counts the words of a text and needs nothing.

use mortise_sdk::{Answers, Failure, Invocation, Outcome, Rejection, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text whose words are counted.
    text: String,
}

/// The tool `word_count`.
pub struct WordCount;

impl Tool for WordCount {
    type Input = Input;
    const NAME: &'static str = "word_count";
    const DESCRIPTION: &'static str = "Counts the words of a text and answers the number.";

    fn inspect(_: &Input, _: &Invocation) -> Result<Answers, Rejection> {
        Ok(Answers::new().read_only().concurrency_safe().closed_world())
    }

    fn call(input: Input, _: &Invocation) -> Result<Outcome, Failure> {
        Ok(input.text.split_whitespace().count().to_string().into())
    }
}

mortise_sdk::export!(WordCount);

#[cfg(test)]
mod tests {
    use super::*;
    use mortise_sdk::{serde_json::json, testing};

    #[test]
    fn words_are_counted() {
        let outcome = testing::call::<WordCount>(json!({"text": " one\ttwo\nthree "})).unwrap();
        assert_eq!(testing::text(&outcome.content), "3");
    }

    #[test]
    fn a_misspelt_field_is_a_rejection_that_names_it() {
        let failure = testing::call::<WordCount>(json!({"txt": "one"})).unwrap_err();
        assert!(testing::message(&failure).contains("txt"));
    }

    #[test]
    fn it_needs_nothing_and_changes_nothing() {
        assert!(testing::describe::<WordCount>().needs.is_empty());
        let answers = testing::inspect::<WordCount>(json!({"text": ""}));
        assert_eq!((answers.read_only, answers.subjects.len()), (Some(true), 0));
    }
}
