//! SIGSTOP: freezes workers past their lease.

use std::time::Duration;

use anyhow::Result;
use tarsy_testing::wait;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::Nemesis;
use crate::fleet::Member;
use crate::logs;

/// Timeout until a worker has jobs.
const BUSY: Duration = Duration::from_secs(10);
/// Timeout until a resumed worker notices that its lease is lost.
const WAKING: Duration = Duration::from_secs(10);

impl Nemesis {
    /// Freezes a stage worker with jobs; returns how many were taken from it. A worker without jobs would have nothing
    /// to write too late.
    pub(super) async fn freeze_one(&self, dice: u64, time: Duration) -> Result<usize> {
        let mut workers = self.stage_workers();
        workers.rotate_left(usize::try_from(dice % 3)?);
        let longest = Instant::now() + BUSY;
        while Instant::now() < longest {
            for worker in &workers {
                let held = self.asleep(worker, time).await?;
                if !held.is_empty() {
                    let taken = logs::taken(&self.pool).await?;
                    let lost = |job, epoch| taken.get(&job).is_some_and(|last| *last > epoch);
                    return Ok(held
                        .into_iter()
                        .filter(|(job, epoch)| lost(*job, *epoch))
                        .count());
                }
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(0)
    }

    /// Freezes a worker with its jobs; does nothing if it has none.
    async fn asleep(&self, worker: &Member, time: Duration) -> Result<Vec<(Uuid, i64)>> {
        let busy = self.in_hand(worker).await?;
        if busy.is_empty() {
            return Ok(busy);
        }
        worker.freeze();
        // Jobs that it ended in between are committed. It gets no new ones.
        let held = self.in_hand(worker).await;
        if held.as_ref().is_ok_and(|held| !held.is_empty()) {
            sleep(time).await;
        }
        worker.resume();
        held
    }

    /// Freezes all stage workers but one; returns how many.
    pub(super) async fn freeze_most(&self, time: Duration) -> usize {
        let workers = self.stage_workers();
        let hit = workers[1..].iter().map(|worker| worker.freeze()).sum();
        sleep(time).await;
        workers[1..].iter().for_each(|worker| worker.resume());
        hit
    }

    pub(super) fn stage_workers(&self) -> Vec<&Member> {
        let members = self.members.iter();
        members
            .filter(|member| member.name.starts_with("stage-worker"))
            .collect()
    }

    /// Jobs of a process, with the epochs of its claims.
    async fn in_hand(&self, member: &Member) -> Result<Vec<(Uuid, i64)>> {
        let Some(process) = member.id() else {
            return Ok(Vec::new());
        };
        let jobs = "select j.id, j.epoch from jobs j join workers w on w.id = j.owner
                    where j.state = 'running' and w.pid = $1";
        let jobs = sqlx::query_as(jobs).bind(i32::try_from(process)?);
        Ok(jobs.fetch_all(&self.pool).await?)
    }

    /// Waits for a write that is refused because its job had been taken away.
    pub(super) async fn is_refused(&self) -> bool {
        let logs = self.folder.join("logs");
        let refused = wait::up_to(WAKING, async || {
            // Postgres is not a target of this fault.
            let taken = logs::taken(&self.pool).await.ok()?;
            let counts = logs::read(&logs, &taken, &[]).ok()?;
            (counts.refused > 0).then_some(())
        });
        refused.await.is_some()
    }
}
