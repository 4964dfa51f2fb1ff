//! Bodies on their way: a response's, which holds its connection and keeps time, and a request's, which is
//! read to its end even when nobody wants it any more.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, timeout_at};

use super::error::{EgressError, Waiting};
use super::timeouts::Timeouts;

/// The body of a response. Dropping it ends the connection.
#[derive(Debug)]
pub struct ResponseBody {
    incoming: Incoming,
    /// Set while a piece is being waited for.
    clock: Option<(Pin<Box<Sleep>>, Duration)>,
    timeouts: Timeouts,
    origin: String,
    /// Keeps the connection going; aborted on drop.
    _driver: JoinSet<()>,
}

impl ResponseBody {
    pub(super) fn new(incoming: Incoming, driver: JoinSet<()>, timeouts: Timeouts, origin: String) -> Self {
        Self { incoming, clock: None, timeouts, origin, _driver: driver }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = EgressError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, EgressError>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.incoming).poll_frame(context) {
            this.clock = None;
            let origin = || this.origin.clone();
            return Poll::Ready(
                frame.map(|frame| frame.map_err(|source| EgressError::Exchange { origin: origin(), source })),
            );
        }
        // The wait begins when a guest first asks in vain, not when it last got something.
        let (clock, after) = this.clock.get_or_insert_with(|| {
            let (end, after) = this.timeouts.next_bytes_by();
            (Box::pin(tokio::time::sleep_until(end)), after)
        });
        match clock.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                let (doing, after, origin) = (Waiting::Body, *after, this.origin.clone());
                Poll::Ready(Some(Err(EgressError::Timeout { doing, after, origin })))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

/// The body of a guest's request, which is read to its end, into nothing, if it is dropped before that.
///
/// A guest that finds its body closed while it writes reports a reset connection and never asks what the
/// matter was: the host's words would be lost.
#[derive(Debug)]
pub(super) struct Drained<B: Body<Data = Bytes> + Send + Unpin + 'static> {
    /// `None` once it has ended.
    body: Option<B>,
    /// When nobody is left to be told.
    until: Instant,
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Drained<B> {
    pub(super) fn new(body: B, until: Instant) -> Self {
        Self { body: Some(body), until }
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Body for Drained<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        let Some(body) = this.body.as_mut() else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            this.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Drop for Drained<B> {
    fn drop(&mut self) {
        let (Some(body), Ok(runtime)) = (self.body.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        if body.is_end_stream() {
            return;
        }
        // Ends with the body, which ends with the instance that writes it; at the latest with the call.
        let until = self.until;
        runtime.spawn(timeout_at(until, drain(body)));
    }
}

async fn drain<B: Body<Data = Bytes> + Unpin>(mut body: B) {
    while let Some(Ok(_)) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {}
}
