//! The session that holds a worker's lock, renews its leases and listens for notifications.

use std::pin::pin;

use sqlx::postgres::PgNotification;
use tarsy_postgres::{Moves, Primary};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::connect::{Session, connect};
use super::renewal::{drain, register, renew};
use super::timed;
use crate::worker::advertised::changed;
use crate::worker::shared::Shared;
use crate::worker::stop::StopCause;
use crate::{cancel, registry, wake, worker_list};

/// Reason why a session ended.
pub(super) enum End {
    /// The worker has ended and its row is deleted.
    Left,
    /// The session did not answer in time, and this new session replaces it.
    Replaced(Box<Session>),
    /// The session's connection is lost.
    Lost(sqlx::Error),
}

impl Session {
    /// Renews and listens until the worker has ended or the session is lost.
    pub(super) async fn serve(
        &mut self,
        shared: &Shared,
        direct: &Primary,
        moves: &mut Moves,
    ) -> End {
        match self.serve_until_lost(shared, direct, moves).await {
            Ok(None) => End::Left,
            Ok(Some(fresh)) => End::Replaced(Box::new(fresh)),
            Err(error) => End::Lost(error),
        }
    }

    async fn serve_until_lost(
        &mut self,
        shared: &Shared,
        direct: &Primary,
        moves: &mut Moves,
    ) -> Result<Option<Self>, sqlx::Error> {
        let (period, limit) = (
            shared.settings.lease.renewal(),
            shared.settings.lease.outage() / 3,
        );
        let mut tick = interval_at(Instant::now() + period, period);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {
                    let began = Instant::now();
                    if let Some(fresh) = self.renew(shared, direct).await? {
                        return Ok(Some(fresh));
                    }
                    if began.elapsed() > period {
                        // The answer came late. The lease counts from when the renewal was sent, so the next one is
                        // due.
                        tick.reset_immediately();
                    }
                }
                received = self.listener.try_recv() => match received? {
                    Some(notification) => {
                        if handle_notification(shared, &notification) == AfterNotification::Drain {
                            // Publish at once that this worker claims nothing more.
                            tick.reset_immediately();
                        }
                    }
                    None => return Err(sqlx::Error::PoolClosed),
                },
                () = changed(&mut self.advertised) => {
                    timed(limit, register(shared, &mut self.listener)).await?;
                    // There may be jobs that this worker could not run before.
                    shared.bell.ring_for_returned();
                }
                () = moves.moved() => return Err(sqlx::Error::PoolClosed),
                () = shared.done.cancelled() => {
                    timed(limit, registry::deregister(&mut self.listener, shared.owner)).await?;
                    return Ok(None);
                }
            }
        }
    }

    /// Renews the leases. If the renewal gets no answer in time, this function also opens another session. The old
    /// session stays open until then: it holds the lock that shows that the process is alive, and it may be the one
    /// that answers. Returns the new session if it replaces the old one.
    async fn renew(
        &mut self,
        shared: &Shared,
        direct: &Primary,
    ) -> Result<Option<Self>, sqlx::Error> {
        let mut renewal = pin!(renew(shared, &mut self.listener));
        let patience = shared.settings.lease.patience();
        if let Ok(answered) = timeout(patience, &mut renewal).await {
            tarsy_metrics::jobs::renewed(answered.is_ok());
            return answered.map(|()| None);
        }
        tracing::warn!(
            ?patience,
            "a renewal of leases got no answer; trying another connection"
        );
        tarsy_metrics::jobs::renewed(false);
        let mut connecting = pin!(connect(shared, direct));
        tokio::select! {
            biased;
            answered = &mut renewal => match answered {
                Ok(()) => return Ok(None),
                Err(error) => tracing::debug!(?error, "the renewal failed"),
            },
            fresh = &mut connecting => return Ok(Some(fresh)),
        }
        Ok(Some(connecting.await))
    }
}

/// Reaction of the lease thread to a notification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterNotification {
    Continue,
    Drain,
}

fn handle_notification(shared: &Shared, notification: &PgNotification) -> AfterNotification {
    let payload = notification.payload();
    match notification.channel() {
        cancel::CHANNEL => {
            if let Ok(subject) = payload.parse() {
                shared.in_flight.stop_subject(subject, StopCause::Requested);
            }
        }
        worker_list::DRAIN_CHANNEL
            if payload.parse() == Ok(shared.owner) && !shared.drain.is_cancelled() =>
        {
            drain(shared);
            return AfterNotification::Drain;
        }
        worker_list::DRAIN_CHANNEL => {}
        channel if shared.waker.take_broadcast(channel, payload) => {}
        channel if shared.settings.queues.iter().any(|queue| queue == payload) => {
            match channel == wake::RETURNED_CHANNEL {
                true => shared.bell.ring_for_returned(),
                false => shared.bell.ring(),
            }
        }
        _ => {}
    }
    AfterNotification::Continue
}
