//! Stream of a connection with timeouts for its client.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tarsy_config::settings::ConnectionSettings;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::server::serve::places::{ConnectionPermit, Slot};

/// Longest time in which a client may read nothing of a response.
const MAX_STALL: Duration = Duration::from_secs(60);

/// Stream of a connection with timeouts. A timer is set only when the stream must wait, and it is
/// checked only when it fires. So a request that arrives in time needs no timer.
pub(super) struct PatientStream {
    stream: TcpStream,
    slot: Arc<Slot>,
    /// Held as long as the stream, which outlives the HTTP connection if it becomes a WebSocket.
    _place: ConnectionPermit,
    settings: Arc<ConnectionSettings>,
    reading: Timer,
    writing: Timer,
    /// Number of the request whose head began to arrive, and when it began.
    head: Option<(u64, Instant)>,
    /// Time since which the client has read nothing.
    stuck: Option<Instant>,
}

impl PatientStream {
    pub(super) fn new(
        stream: TcpStream,
        place: ConnectionPermit,
        settings: Arc<ConnectionSettings>,
    ) -> Self {
        Self {
            stream,
            slot: Arc::clone(place.slot()),
            _place: place,
            settings,
            reading: Timer(None),
            writing: Timer(None),
            head: Some((0, Instant::now())),
            stuck: None,
        }
    }

    /// Returns the deadline of the next request. While a request is being answered, the deadline
    /// moves on but the timer runs. The timer must be set already, because hyper need not poll for
    /// bytes again after the response is sent.
    fn due(&self) -> Instant {
        let idle = self.settings.idle_timeout;
        if self.slot.is_busy() {
            return Instant::now() + idle;
        }
        match self.head {
            Some((number, begun)) if number == self.slot.requests() => {
                begun + self.settings.header_timeout
            }
            _ => Instant::from_std(self.slot.waits_since()) + idle,
        }
    }

    /// Records the start of a request's head, when bytes arrive while no request is being answered.
    fn note_head(&mut self) {
        let number = self.slot.requests();
        let is_new = self.head.is_none_or(|(begun, _)| begun != number);
        if is_new && !self.slot.is_busy() {
            self.head = Some((number, Instant::now()));
        }
    }

    fn wrote<T>(&mut self, wrote: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if wrote.is_ready() {
            self.stuck = None;
            return wrote;
        }
        let since = *self.stuck.get_or_insert_with(Instant::now);
        let due = since + MAX_STALL;
        match self.writing.poll(due, context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for PatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = &mut *self;
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            this.note_head();
            return read;
        }
        let due = this.due();
        match this.reading.poll(due, context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(
                ErrorKind::TimedOut,
                "the client sends no request",
            ))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for PatientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(wrote, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(wrote, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Timer that is set once, and moved on if it fires too early.
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    fn poll(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()> {
        let timer = self
            .0
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        if timer.deadline() > due {
            timer.as_mut().reset(due);
        }
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
        Poll::Pending
    }
}
