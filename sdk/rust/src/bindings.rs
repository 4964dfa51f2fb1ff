//! What `wit-bindgen` makes of the contract; the only place that sees WIT. The rest of the SDK adds methods to these
//! types rather than copying them, so that nothing is converted on the way out.
#![allow(missing_docs, reason = "the contract documents what needs it; short records speak for themselves")]
#![allow(unsafe_code, reason = "generated: lifting and lowering at the component's border")]
#![allow(clippy::all, clippy::allow_attributes_without_reason, unreachable_pub, reason = "generated")]

wit_bindgen::generate!({
    path: "../../wit/tool",
    world: "plugin",
    pub_export_macro: true,
    export_macro_name: "export_toolset",
    default_bindings_module: "mortise_sdk::bindings",
    additional_derives: [PartialEq],
});
