//! Reads events in order, as soon as they are visible.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rand::Rng as _;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_failpoint::reached;
use tarsy_postgres::Primary;
use tarsy_queue::supervise;
use tarsy_store::event_log::EventRecord;
use tokio_util::sync::CancellationToken;

use crate::live::answers::announce;
use crate::live::hub::Hub;
use crate::live::listener::{Calls, listen};
use crate::live::sequence::Sequence;

/// Maximum number of events that one query reads.
const PAGE: usize = 1_000;
/// Number of ids before the newest event in which events may still be missing when reading begins.
const SPAN: i64 = 1_000;
/// Longest time between two polls while notifications arrive, because one may be lost.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Longest time between two polls while there is no listener for notifications.
const POLL_INTERVAL_WITHOUT_LISTENER: Duration = Duration::from_millis(100);
/// Time until the next poll while an event waits for one with a lower id, whose commit is expected at once.
const HELD_UP: Duration = Duration::from_millis(2);
const TROUBLE: Duration = Duration::from_millis(250);
/// Rest after a poll, as a multiple of the poll's duration and at most [`WATCHED`]. Under load,
/// events are thus read in groups. After an error there is no rest, because [`TROUBLE`] is the
/// pause then.
const REST: u32 = 3;
/// Longest rest after a poll while there are sockets. A slow poll, e.g. during 500 subscriptions,
/// must not delay the next events.
const WATCHED: Duration = Duration::from_millis(25);
/// Rest after a poll while there are no sockets.
const UNWATCHED: Duration = Duration::from_millis(250);
/// Timeout of one poll.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
struct Progress {
    sequence: Sequence<EventRecord>,
    /// Events that became visible too late for their place, and that get new ids.
    late: Vec<i64>,
}

/// Reader of events that passes them to a hub.
#[derive(Debug)]
pub(crate) struct Feed {
    hub: Hub,
    /// A separate pool with one connection, so that subscribers don't wait for API requests.
    pool: PgPool,
    direct: Primary,
}

impl Feed {
    /// Creates a feed. It listens over `direct`, which must reach Postgres without a pooler to be
    /// notified at once. It reads over a connection with the options of `pool`.
    pub(crate) fn new(hub: Hub, primary: &Primary, pool: &PgPool, direct: Primary) -> Self {
        let options = pool.connect_options().as_ref().clone();
        let options = tarsy_queue::renamed(options, "ingest-api", "feed");
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PATIENCE);
        let pool = tarsy_queue::wary_pool(primary, pool, options);
        Self { hub, pool, direct }
    }

    /// Passes events to the hub until `stop`.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let (calls, mut progress) = (Calls::default(), None);
        let listening = tokio::spawn({
            let (direct, hub) = (self.direct.clone(), self.hub.clone());
            let (calls, stop) = (calls.clone(), stop.clone());
            supervise("listening for events", async move || {
                listen(direct.clone(), hub.clone(), calls.clone(), stop.clone()).await;
            })
        });
        let announcing = tokio::spawn({
            let (hub, pool, stop) = (self.hub.clone(), self.pool.clone(), stop.clone());
            supervise("saying what is watched", async move || {
                announce(&hub, &pool, &stop).await;
            })
        });
        supervise("reading events", async move || {
            self.read(&mut progress, &calls, &stop).await;
        })
        .await;
        let _ = listening.await;
        let _ = announcing.await;
    }

    async fn read(&self, progress: &mut Option<Progress>, calls: &Calls, stop: &CancellationToken) {
        let mut trouble = false;
        while !stop.is_cancelled() {
            let started = Instant::now();
            let pause = match tokio::time::timeout(PATIENCE, self.poll(progress)).await {
                Ok(Ok(pause)) => {
                    trouble = false;
                    pause
                }
                failed => {
                    if !std::mem::replace(&mut trouble, true) {
                        tracing::warn!(?failed, "events can't be read at the moment");
                    }
                    Some(TROUBLE)
                }
            };
            let rest = match self.hub.seats() {
                _ if trouble => Duration::ZERO,
                0 => UNWATCHED,
                _ => WATCHED.min(started.elapsed() * REST),
            };
            let _ = stop.run_until_cancelled(tokio::time::sleep(rest)).await;
            let usual = if calls.listening.load(Ordering::Relaxed) {
                POLL_INTERVAL
            } else {
                POLL_INTERVAL_WITHOUT_LISTENER
            };
            let pause = pause
                .unwrap_or(usual)
                .mul_f64(rand::rng().random_range(0.5..1.0));
            tokio::select! {
                () = stop.cancelled() => {}
                () = calls.new_events.notified(), if !trouble => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Reads and publishes new events. Returns the time until the next poll if no notification
    /// arrives, or `None` for the usual time.
    async fn poll(
        &self,
        known: &mut Option<Progress>,
    ) -> Result<Option<Duration>, tarsy_store::Error> {
        let Progress { sequence, late } = match known {
            Some(progress) => progress,
            None => {
                let recent = tarsy_store::event_log::newest_events(&self.pool, SPAN).await?;
                let sequence = Sequence::beginning(&recent, Instant::now());
                self.hub.begin(sequence.position());
                known.insert(Progress {
                    sequence,
                    late: Vec::new(),
                })
            }
        };
        loop {
            if !late.is_empty() {
                tracing::info!(
                    events = late.len(),
                    "events were committed late; they get new ids"
                );
                reached("lone.renumber_events.before_commit");
                tarsy_store::event_log::renumber_events(&self.pool, late).await?;
                reached("lone.renumber_events.after_commit");
                late.clear();
            }
            // Read before the events. A transaction that is not among these writers has ended, so
            // all events that it wrote are visible to the next query.
            let writers: BTreeSet<String> = match sequence.has_gaps() {
                true => tarsy_store::event_log::event_writers(&self.pool)
                    .await?
                    .into_iter()
                    .collect(),
                false => BTreeSet::new(),
            };
            let limit = i64::try_from(PAGE).unwrap_or(i64::MAX);
            let found =
                tarsy_store::event_log::read_events(&self.pool, &sequence.wanted(), limit).await?;
            let complete = found.len() < PAGE;
            let found = found.into_iter().map(|event| (event.id, event)).collect();
            let taken = sequence.take(&writers, found, complete, Instant::now());
            late.extend(taken.late);
            self.publish(taken.ready.into_iter().map(|(_, event)| event).collect())
                .await;
            if complete && late.is_empty() {
                return Ok(sequence.is_held_up().then_some(HELD_UP));
            }
        }
    }

    /// Publishes events to subscribers. Adds the ids of their alerts first, unless there are no subscribers.
    async fn publish(&self, mut events: Vec<EventRecord>) {
        if self.hub.skip_without_subscribers(&events) {
            return;
        }
        if let Err(error) = tarsy_store::event_log::add_alert_ids(&self.pool, &mut events).await {
            tracing::warn!(?error, "events are sent without the ids of their alerts");
        }
        for event in &events {
            self.hub.publish(event);
        }
    }
}
