//! How long the parts of an exchange may take. All are within the call's own time: a guest can shorten a wait,
//! never lengthen it.

use std::time::Duration;

use tokio::time::Instant;

/// Looking up, connecting and TLS together, where nothing shorter is said.
const CONNECT: Duration = Duration::from_secs(30);

/// The bounds of one exchange.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    connect: Duration,
    first_byte: Option<Duration>,
    between_bytes: Option<Duration>,
    deadline: Instant,
    /// What is said to have passed when the deadline ends a wait.
    whole: Duration,
}

impl Timeouts {
    /// Everything before `deadline`, which is the end of the call or earlier; connecting within 30 seconds.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        let whole = deadline.saturating_duration_since(Instant::now());
        Self { connect: CONNECT, first_byte: None, between_bytes: None, deadline, whole }
    }

    /// Shortens the whole exchange, reckoned from now.
    #[must_use]
    pub fn whole_within(mut self, bound: Option<Duration>) -> Self {
        let ends = bound.and_then(|bound| Some((Instant::now().checked_add(bound)?, bound)));
        if let Some((end, bound)) = ends.filter(|(end, _)| *end < self.deadline) {
            (self.deadline, self.whole) = (end, bound);
        }
        self
    }

    /// Shortens the wait for a connection.
    #[must_use]
    pub fn connect_within(mut self, bound: Option<Duration>) -> Self {
        self.connect = bound.map_or(self.connect, |bound| bound.min(self.connect));
        self
    }

    /// Shortens the wait from the connection to the head of the response.
    #[must_use]
    pub fn first_byte_within(mut self, bound: Option<Duration>) -> Self {
        self.first_byte = bound;
        self
    }

    /// Shortens the wait for each piece of the response's body.
    #[must_use]
    pub fn between_bytes_within(mut self, bound: Option<Duration>) -> Self {
        self.between_bytes = bound;
        self
    }

    /// When connecting is over, and how long it will have taken by then; reckoned from now.
    pub(super) fn connect_by(&self) -> (Instant, Duration) {
        self.bound(Some(self.connect))
    }

    /// When the head of the response must be there, reckoned from now.
    pub(super) fn first_byte_by(&self) -> (Instant, Duration) {
        self.bound(self.first_byte)
    }

    /// When the next piece of the body must be there, reckoned from now.
    pub(super) fn next_bytes_by(&self) -> (Instant, Duration) {
        self.bound(self.between_bytes)
    }

    /// The end of a wait that begins now, and the time that is said to have passed: the wait's own where that
    /// ends it, the whole exchange's where the deadline does.
    fn bound(&self, wait: Option<Duration>) -> (Instant, Duration) {
        match wait.and_then(|wait| Some((Instant::now().checked_add(wait)?, wait))) {
            Some((end, wait)) if end < self.deadline => (end, wait),
            _ => (self.deadline, self.whole),
        }
    }
}
