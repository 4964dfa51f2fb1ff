//! The sandbox: what one call can reach, made from its grant. Step 9 of the path.
//!
//! Leaves to others: what is granted (`permission`), when and in which order calls run (`execution`).

pub mod network;
