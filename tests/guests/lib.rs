//! Hostile guests, one file each, built into components for the tests. Nothing is shared between them but the SDK.
