//! Rolls out configurations, process by process.

use std::time::Duration;

use anyhow::Result;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::configuration::{self, Rollout};
use crate::fleet::Member;

/// Number of alerts for each new chain.
const ALERTS: usize = 12;
/// Timeout until the API knows the new chain. The API may be down, or not be reached by the rollout yet.
const KNOWING: Duration = Duration::from_secs(30);
/// Timeout until running processes have accepted or refused a file.
const LOADING: Duration = Duration::from_secs(10);
/// Poll interval.
const POLL_PAUSE: Duration = Duration::from_millis(50);
/// One in this many rollouts starts with an invalid file.
const BROKEN: u32 = 3;
/// The process that accepts alerts.
const API: &str = "ingest-api-1";
/// Log message of a process that refuses a file.
const REFUSED: &str = "the process goes on with the one it has";

/// How a process learns of its new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReloadedBy {
    Sighup,
    FileChange,
}

impl Nemesis {
    /// Gives all processes the next configuration, one after another, and sends alerts of its chain as soon as the API
    /// accepts them. Returns how many workers run it at the end.
    pub(super) async fn roll_out(&self, dice: u64) -> Result<usize> {
        // One at a time, because alerts must be accepted before their chain is removed.
        let Ok(mut rollout) = self.rollout.try_lock() else {
            return Ok(0);
        };
        let mut random = SmallRng::seed_from_u64(dice);
        let mut reloaded_by = [ReloadedBy::Sighup, ReloadedBy::FileChange];
        reloaded_by.shuffle(&mut random);
        let mut order: Vec<&Member> = self.members.iter().collect();
        order.shuffle(&mut random);
        if random.random_ratio(1, BROKEN) {
            let few = &order[..random.random_range(1..=3)];
            self.break_files(&mut rollout, few, reloaded_by, random.random())
                .await?;
        }
        if random.random() {
            // In half of the rollouts the API is first and gets the file at once, so that its alerts reach workers that
            // do not know them.
            order.sort_by_key(|member| member.name != API);
            reloaded_by = [ReloadedBy::Sighup, ReloadedBy::FileChange];
        }
        rollout.version += 1;
        let (version, text) = (rollout.version, rollout.text()?);
        let turns = async {
            for (place, member) in order.into_iter().enumerate() {
                configure(member, &text, reloaded_by[place % 2])?;
                sleep(Duration::from_millis(random.random_range(100..1_500))).await;
            }
            anyhow::Ok(self.loaded(&text).await)
        };
        let (loaded, (accepted, ahead)) = tokio::join!(turns, self.send_of(version));
        rollout.accepted += accepted;
        rollout.ahead += ahead;
        loaded
    }

    /// Gives all processes the newest configuration, including the agents that sessions of older configurations may
    /// wait for.
    pub(super) async fn roll_out_last(&self) -> Result<()> {
        let rollout = self.rollout.lock().await;
        if rollout.version > 0 {
            let text = rollout.last_text()?;
            for member in self.members.iter() {
                configure(member, &text, ReloadedBy::Sighup)?;
            }
        }
        Ok(())
    }

    /// Gives some processes a file with a mistake, which they must refuse.
    async fn break_files(
        &self,
        rollout: &mut Rollout,
        members: &[&Member],
        reloaded_by: [ReloadedBy; 2],
        of_syntax: bool,
    ) -> Result<()> {
        let text = rollout.broken_text(of_syntax)?;
        let mut waiting = Vec::new();
        for (place, member) in members.iter().enumerate() {
            let (id, refusals_before) = (member.id(), refusals(&self.log_of(member)));
            configure(member, &text, reloaded_by[place % 2])?;
            waiting.push((member, id, refusals_before));
        }
        let (end, mut all_reacted) = (Instant::now() + LOADING, false);
        while !all_reacted && Instant::now() < end {
            sleep(POLL_PAUSE).await;
            all_reacted = waiting.iter().all(|(member, id, refusals_before)| {
                member.id() != *id || refusals(&self.log_of(member)) > *refusals_before
            });
        }
        for (member, id, refusals_before) in waiting {
            if id.is_some() && member.id() == id {
                rollout.broken += 1;
                rollout.refused += usize::from(refusals(&self.log_of(member)) > refusals_before);
            }
            if self.log_of(member).contains(&configuration::hash(&text)) {
                let name = member.name.clone();
                self.saw(("I12", "a configuration with mistakes was taken"), name);
            }
        }
        Ok(())
    }

    /// Sends alerts of a version's chain once the API knows it; returns how many it accepted, and of those how many while
    /// a stage worker did not know the agent.
    async fn send_of(&self, version: u32) -> (usize, usize) {
        let alert_type = configuration::alert_type(version);
        let end = Instant::now() + KNOWING;
        while !self.client.knows(&alert_type).await {
            if Instant::now() > end {
                return (0, 0);
            }
            sleep(POLL_PAUSE).await;
        }
        let (mut senders, mut ahead) = (JoinSet::new(), 0);
        for _ in 0..ALERTS {
            ahead += usize::from(self.is_ahead(version).await);
            let (client, alert_type) = (self.client.clone(), alert_type.clone());
            senders.spawn(async move { client.send(&alert_type, 1).await });
            sleep(Duration::from_millis(100)).await;
        }
        let sent = senders.join_all().await;
        let accepted = sent.iter().filter(|sent| !sent.accepted.is_empty()).count();
        (accepted, ahead.min(accepted))
    }

    /// Whether a worker of the first stage's pool does not offer its agent.
    async fn is_ahead(&self, version: u32) -> bool {
        let lacks = "select exists (select from workers where 'stage:default' = any(queues)
            and not ('agent:' || $1 = any(offers)))";
        let lacks = sqlx::query_scalar(lacks).bind(configuration::agent(version));
        // Postgres may be down.
        lacks.fetch_one(&self.pool).await.unwrap_or(false)
    }

    /// Returns how many workers run the configuration, once all do or the time is up.
    async fn loaded(&self, text: &str) -> usize {
        let (mut loaded, hash) = (0, configuration::hash(text));
        let (end, mut are_all) = (Instant::now() + LOADING, false);
        while !are_all && Instant::now() < end {
            sleep(POLL_PAUSE).await;
            let rows: Vec<bool> = sqlx::query_scalar(
                "select coalesce(config_hash = $1, false) from workers
                 where heartbeat_at > clock_timestamp() - interval '10 s'",
            )
            .bind(&hash)
            .fetch_all(&self.pool)
            .await
            .unwrap_or_default();
            loaded = rows.iter().filter(|same| **same).count().max(loaded);
            are_all = !rows.is_empty() && rows.iter().all(|same| *same);
        }
        loaded
    }

    fn log_of(&self, member: &Member) -> String {
        let path = self.folder.join(format!("logs/{}.log", member.name));
        let log = std::fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

/// Gives a process its file.
fn configure(member: &Member, text: &str, how: ReloadedBy) -> Result<()> {
    configuration::put(&member.configuration, text)?;
    if how == ReloadedBy::Sighup {
        member.hang_up();
    }
    Ok(())
}

fn refusals(log: &str) -> usize {
    log.matches(REFUSED).count()
}
