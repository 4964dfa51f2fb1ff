//! The sandbox: what turns a grant into an instance that holds exactly that. Step 9 of the path.
//!
//! Leaves to others: what is granted (`permission`), when a call runs (`execution`).

pub mod filesystem;
