//! Exports a toolset under the contract's name whose functions have other types.

#![allow(missing_docs, clippy::all, reason = "generated")]

wit_bindgen::generate!({
    inline: r#"
        package mortise:tool@0.1.0;

        interface toolset {
            describe: func() -> list<string>;
            inspect: func(call: string) -> string;
            preview: func(call: string) -> string;
            call: func(call: string) -> string;
            render: func(view: string) -> option<string>;
        }

        world plugin {
            export toolset;
        }
    "#,
});

struct Mistyped;

impl exports::mortise::tool::toolset::Guest for Mistyped {
    fn describe() -> Vec<String> {
        vec!["mistyped".to_owned()]
    }

    fn inspect(call: String) -> String {
        call
    }

    fn preview(call: String) -> String {
        call
    }

    fn call(call: String) -> String {
        call
    }

    fn render(view: String) -> Option<String> {
        Some(view)
    }
}

export!(Mistyped);
