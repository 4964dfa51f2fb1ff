//! The core set: components built from `plugins/` when the host is built, and carried in the binary.

/// One embedded plugin.
pub(super) struct Embedded {
    /// Its folder in `plugins/`.
    pub(super) name: &'static str,
    /// The component.
    pub(super) bytes: &'static [u8],
    /// `sha256:…` of the bytes, computed when the host was built.
    pub(super) digest: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
