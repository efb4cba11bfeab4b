//! Reading events in order, as soon as they are there.

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

/// Events read at once.
const PAGE: usize = 1_000;
/// How far before the newest event one may still be missing when reading begins.
const SPAN: i64 = 1_000;
/// Time between two looks while calls are heard, at most; one may be lost.
const QUIET: Duration = Duration::from_millis(500);
/// The same while they are not.
const DEAF: Duration = Duration::from_millis(100);
/// While an event waits for one with a lower id: the commit is on its way.
const HELD_UP: Duration = Duration::from_millis(2);
const TROUBLE: Duration = Duration::from_millis(250);
/// Rest after a look, in its own time but at most [`WATCHED`]: under load events are read in
/// groups. After trouble there is none, [`TROUBLE`] is the pause then.
const REST: u32 = 3;
/// Longest rest after a look while somebody watches: one look that took long, as during five hundred subscriptions, must not make the
/// next events late.
const WATCHED: Duration = Duration::from_millis(25);
/// Rest after a look while nobody watches.
const UNWATCHED: Duration = Duration::from_millis(250);
/// Longest wait for one look.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
struct Progress {
    sequence: Sequence<EventRecord>,
    /// Events that came too late for their place, to be given new ids.
    late: Vec<i64>,
}

/// Reads events for a hub.
#[derive(Debug)]
pub(crate) struct Feed {
    hub: Hub,
    /// One connection of its own: people who watch don't wait for those who ask.
    pool: PgPool,
    direct: Primary,
}

impl Feed {
    /// A feed that listens over `direct`, which must reach Postgres itself to hear of events at
    /// once, and reads over a connection like those of `pool`.
    pub(crate) fn new(hub: Hub, primary: &Primary, pool: &PgPool, direct: Primary) -> Self {
        let options = pool.connect_options().as_ref().clone();
        let options = tarsy_queue::renamed(options, "ingest-api", "feed");
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PATIENCE);
        let pool = tarsy_queue::wary_pool(primary, pool, options);
        Self { hub, pool, direct }
    }

    /// Hand events to the hub until `stop`.
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
                QUIET
            } else {
                DEAF
            };
            let pause = pause
                .unwrap_or(usual)
                .mul_f64(rand::rng().random_range(0.5..1.0));
            tokio::select! {
                () = stop.cancelled() => {}
                () = calls.heard.notified(), if !trouble => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One look; how long until the next if nobody calls, `None` for as usual.
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
            // Before reading: who is not among them has committed what it will ever bring.
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

    /// Hand events to those who listen, with the ids of their alerts if anybody does.
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
