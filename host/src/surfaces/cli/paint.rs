//! Colour for people. Written always, and taken out again by the stream (`anstream`) where nobody would see it:
//! in a pipe, under `NO_COLOR`, on a terminal that knows none.

use std::fmt;

/// A value in a colour.
pub(super) struct Painted<T>(&'static str, T);

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\x1b[{}m{}\x1b[0m", self.0, self.1)
    }
}

pub(super) fn bold<T: fmt::Display>(value: T) -> Painted<T> {
    Painted("1", value)
}

pub(super) fn dim<T: fmt::Display>(value: T) -> Painted<T> {
    Painted("2", value)
}

pub(super) fn red<T: fmt::Display>(value: T) -> Painted<T> {
    Painted("1;31", value)
}

pub(super) fn green<T: fmt::Display>(value: T) -> Painted<T> {
    Painted("32", value)
}

pub(super) fn yellow<T: fmt::Display>(value: T) -> Painted<T> {
    Painted("33", value)
}

pub(super) fn cyan<T: fmt::Display>(value: T) -> Painted<T> {
    Painted("36", value)
}
