//! Serves one WebSocket from its first message to its last.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures::SinkExt as _;
use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::access::CredentialLifetime;
use crate::live::catch_up::catch_up;
use crate::live::channel::Channel;
use crate::live::hub::{Hub, Seat};
use crate::live::protocol;
use crate::live::protocol::{ClientMessage, Complaint};

/// Maximum number of channels that one socket can subscribe to.
const MOST_CHANNELS: usize = 200;
/// Time between two pings.
const PING: Duration = Duration::from_secs(20);
/// Interval of the checks that the credential which opened the socket is still valid.
const STANDING: Duration = Duration::from_secs(2);
/// A client that has sent nothing for this long is considered gone.
const SILENCE: Duration = Duration::from_secs(70);
/// Longest wait for a client to accept a message. Meanwhile only its own buffer fills.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest wait for the hub to begin, so that it knows the newest event.
const BEGINNING: Duration = Duration::from_secs(5);

/// Reason why a socket ended.
#[derive(Debug)]
enum End {
    /// The client closed it, or is gone.
    Disconnected,
    /// The service closes it. The client gets the code and the reason.
    Closed(u16, &'static str),
}

impl From<axum::Error> for End {
    fn from(_: axum::Error) -> Self {
        Self::Disconnected
    }
}

struct Attendance {
    socket: WebSocket,
    seat: Seat,
    hub: Hub,
    pool: PgPool,
    standing: CredentialLifetime,
}

/// Serves a socket until it ends, its credential becomes invalid, or `stop`.
pub(crate) async fn attend(
    socket: WebSocket,
    seat: Seat,
    hub: Hub,
    pool: PgPool,
    user_id: String,
    standing: CredentialLifetime,
    stop: CancellationToken,
) {
    let mut attendance = Attendance {
        socket,
        seat,
        hub,
        pool,
        standing,
    };
    let end = attendance.run(&user_id, &stop).await;
    if let Err(End::Closed(code, reason)) = end {
        let close = Message::Close(Some(CloseFrame {
            code,
            reason: reason.into(),
        }));
        let _ = tokio::time::timeout(Duration::from_secs(1), attendance.socket.send(close)).await;
    }
}

impl Attendance {
    async fn run(&mut self, user_id: &str, stop: &CancellationToken) -> Result<(), End> {
        self.send([protocol::connection_established(user_id)])
            .await?;
        let mut ping = tokio::time::interval(PING);
        ping.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut validity_checks = tokio::time::interval(STANDING);
        validity_checks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut received_at = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return Err(End::Closed(close_code::AWAY, "the service is restarting")),
                message = self.socket.recv() => {
                    received_at = Instant::now();
                    match message.ok_or(End::Disconnected)?? {
                        Message::Text(text) => self.answer(&text).await?,
                        Message::Binary(_) => {
                            let complaint = Complaint::new("unknown_message", "messages are JSON text");
                            self.send([protocol::error(&complaint)]).await?;
                        }
                        Message::Close(_) => return Ok(()),
                        Message::Ping(_) | Message::Pong(_) => {}
                    }
                }
                _ = validity_checks.tick() => {
                    if !self.standing.is_valid() {
                        return Err(End::Closed(close_code::POLICY, "the key was revoked or has ended"));
                    }
                }
                _ = ping.tick() => {
                    if received_at.elapsed() > SILENCE {
                        return Err(End::Closed(close_code::POLICY, "no answer to pings"));
                    }
                    self.take(Message::Ping(bytes::Bytes::new())).await?;
                    self.flush().await?;
                }
                sending = self.seat.outbox.next() => {
                    let missed = sending.missed.into_iter().map(|(channel, ids)| protocol::missed(channel, ids));
                    self.send(sending.messages.into_iter().chain(missed)).await?;
                }
            }
        }
    }

    async fn answer(&mut self, text: &str) -> Result<(), End> {
        let answered = match protocol::parse_message(text) {
            Ok(ClientMessage::Subscribe {
                channel,
                last_event_id,
            }) => self.subscribe(&channel, last_event_id).await,
            Ok(ClientMessage::Unsubscribe { channel }) => Ok(vec![self.unsubscribe(&channel)]),
            Ok(ClientMessage::Catchup {
                channel,
                last_event_id,
            }) => self.catch_up(&channel, last_event_id).await,
            Ok(ClientMessage::Ping {}) => Ok(vec![protocol::pong()]),
            Ok(ClientMessage::Pong {}) => Ok(Vec::new()),
            Err(complaint) => Err(complaint),
        };
        match answered {
            Ok(messages) => self.send(messages).await,
            Err(complaint) => self.send([protocol::error(&complaint)]).await,
        }
    }

    async fn subscribe(
        &mut self,
        name: &str,
        seen: Option<i64>,
    ) -> Result<Vec<Utf8Bytes>, Complaint> {
        let refused = |reason: &str| {
            Ok(vec![protocol::subscription_response(
                "subscribe",
                name,
                Err(reason),
                None,
            )])
        };
        let channel = match Channel::parse(name) {
            Ok(channel) => channel,
            Err(reason) => return refused(reason),
        };
        let is_new = self.seat.outbox.live_after(channel).is_none();
        if is_new && self.seat.outbox.channels().len() >= MOST_CHANNELS {
            return refused("this socket listens to as many channels as it can");
        }
        if channel.is_recorded()
            && tokio::time::timeout(BEGINNING, self.hub.has_begun())
                .await
                .is_err()
        {
            return refused("events can't be read at the moment; try again");
        }
        let after = match self.seat.outbox.live_after(channel) {
            Some(after) => after,
            None => self.seat.listen(channel, seen),
        };
        let last = channel.is_recorded().then_some(after);
        let mut messages = vec![protocol::subscription_response(
            "subscribe",
            name,
            Ok(()),
            last,
        )];
        if let Some(seen) = seen {
            messages.extend(read_again(&self.pool, channel, seen, after).await?);
        }
        Ok(messages)
    }

    fn unsubscribe(&mut self, name: &str) -> Utf8Bytes {
        let left = match Channel::parse(name) {
            Ok(channel) if self.seat.leave(channel) => Ok(()),
            Ok(_) => Err("this socket does not listen to the channel"),
            Err(reason) => Err(reason),
        };
        protocol::subscription_response("unsubscribe", name, left, None)
    }

    async fn catch_up(&mut self, name: &str, seen: i64) -> Result<Vec<Utf8Bytes>, Complaint> {
        let channel =
            Channel::parse(name).map_err(|reason| Complaint::new("invalid_channel", reason))?;
        let Some(after) = self.seat.outbox.live_after(channel) else {
            return Err(Complaint::new(
                "not_subscribed",
                "subscribe to the channel first, so that nothing falls between",
            ));
        };
        read_again(&self.pool, channel, seen, after).await
    }

    async fn send(&mut self, messages: impl IntoIterator<Item = Utf8Bytes>) -> Result<(), End> {
        for message in messages {
            self.take(Message::Text(message)).await?;
        }
        self.flush().await
    }

    async fn take(&mut self, message: Message) -> Result<(), End> {
        timed(self.socket.feed(message)).await
    }

    async fn flush(&mut self) -> Result<(), End> {
        timed(self.socket.flush()).await
    }
}

async fn read_again(
    pool: &PgPool,
    channel: Channel,
    seen: i64,
    through: i64,
) -> Result<Vec<Utf8Bytes>, Complaint> {
    tarsy_queue::within_deadline(catch_up(pool, channel, seen.max(0), through))
        .await
        .map_err(|error| {
            tracing::warn!(?error, "a catch-up could not be read");
            Complaint::new(
                "catchup_unavailable",
                "events can't be read at the moment; ask again",
            )
        })
}

async fn timed(work: impl Future<Output = Result<(), axum::Error>>) -> Result<(), End> {
    Ok(tokio::time::timeout(PATIENCE, work)
        .await
        .map_err(|_| End::Disconnected)??)
}
