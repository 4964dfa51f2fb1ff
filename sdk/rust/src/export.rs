//! The macro that makes tools a plugin.

/// Exports one or more [`Tool`](crate::Tool)s as this component's toolset. Written once, at the root of the crate.
///
/// On other targets than WebAssembly it exports nothing, so that the crate can be tested as it stands.
///
/// ```
/// # macro_rules! tool { ($name:ident) => {
/// # struct $name;
/// # impl mortise_sdk::Tool for $name {
/// #     type Input = std::collections::BTreeMap<String, String>;
/// #     const NAME: &'static str = stringify!($name);
/// #     const DESCRIPTION: &'static str = "";
/// #     fn call(_: Self::Input, _: &mortise_sdk::Invocation) -> Result<mortise_sdk::Outcome, mortise_sdk::Failure> {
/// #         Ok("".into()) }
/// # } } }
/// # tool!(Encode);
/// # tool!(Decode);
/// mortise_sdk::export!(Encode, Decode);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export {
    ($($tool:ty),+ $(,)?) => {
        #[doc(hidden)]
        #[allow(unsafe_code, unused_imports, reason = "the component's exports, as generated")]
        const _: () = {
            use $crate::{Tool, __private::dispatch};

            struct Toolset;

            impl $crate::__private::Guest for Toolset {
                fn describe() -> Vec<$crate::Descriptor> {
                    vec![$(dispatch::describe::<$tool>()),+]
                }

                fn inspect(call: $crate::Invocation) -> $crate::Answers {
                    $(if call.tool == <$tool as Tool>::NAME {
                        return dispatch::inspect::<$tool>(&call);
                    })+
                    $crate::Answers::new().reject(dispatch::unknown(&call.tool))
                }

                fn preview(call: $crate::Invocation) -> Result<Vec<$crate::Content>, $crate::Rejection> {
                    $(if call.tool == <$tool as Tool>::NAME {
                        return dispatch::preview::<$tool>(&call);
                    })+
                    Err(dispatch::unknown(&call.tool))
                }

                fn call(call: $crate::Invocation) -> Result<$crate::Outcome, $crate::__private::ContractFailure> {
                    $(if call.tool == <$tool as Tool>::NAME {
                        return dispatch::call::<$tool>(&call).map_err(Into::into);
                    })+
                    Err($crate::Failure::Rejected(dispatch::unknown(&call.tool)).into())
                }

                fn render(view: $crate::View) -> Option<String> {
                    $(if dispatch::viewed(&view) == <$tool as Tool>::NAME {
                        return <$tool as Tool>::render(&view);
                    })+
                    None
                }
            }

            #[cfg(target_family = "wasm")]
            $crate::bindings::export_toolset!(Toolset with_types_in $crate::bindings);
        };
    };
}
