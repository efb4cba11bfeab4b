//! Begins stages, with one statement for all claims that arrive together.

use std::collections::HashMap;

use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_failpoint::reached;
use tarsy_model::ExecutionId;
use tarsy_queue::{Connections, Waker, is_refusal};
use tarsy_store::stages::{BeginStage, BegunStage};

use crate::Error;

/// Begins stages in groups. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Beginner(Coalescer<BeginStage, Option<BegunStage>, Error>);

impl Beginner {
    /// Creates a beginner that writes over `connections`. `waker` wakes event readers.
    #[must_use]
    pub(crate) fn new(connections: Connections, waker: Waker) -> Self {
        Self(Coalescer::isolating(
            GroupLimits::overlapping(128),
            |error| is_refusal(error),
            move |batch| flush(connections.clone(), waker.clone(), batch),
        ))
    }

    /// Begins one stage. Returns `None` if it has ended or a later claim holds it.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] if the database refused it.
    pub(crate) async fn begin(
        &self,
        begin: BeginStage,
    ) -> Result<Option<BegunStage>, tarsy_coalesce::Error<Error>> {
        self.0.submit(begin).await
    }
}

async fn flush(
    connections: Connections,
    waker: Waker,
    batch: Batch<BeginStage>,
) -> Result<Vec<Option<BegunStage>>, Error> {
    reached("stage.begin.before_commit");
    let mut conn = connections.acquire().await?;
    let begun = tarsy_store::stages::begin_stages(&mut conn, &batch).await;
    connections.give_back(conn, &begun);
    let begun = begun?;
    reached("stage.begin.after_commit");
    waker.wake_watchers();

    let mut begun: HashMap<ExecutionId, BegunStage> = begun
        .into_iter()
        .map(|stage| (stage.execution_id, stage))
        .collect();
    Ok(batch
        .iter()
        .map(|b| begun.remove(&b.execution_id))
        .collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use sqlx::PgPool;
    use tarsy_store::interactions::StageFence;
    use tarsy_testing::TestDb;

    use super::*;
    use crate::records::tests::held;

    /// Gives the stages jobs that are held, and lets Postgres refuse every third of them.
    pub(crate) async fn spoil(pool: &PgPool, fences: &[StageFence]) {
        for statement in [
            "update alert_sessions set chain_definition = '{\"stages\": []}'",
            "create function refuse() returns trigger language plpgsql as
                 $$ begin raise exception 'refused' using errcode = '22000'; end $$",
            "create trigger refuse before update on stage_executions
                 for each row when (old.stage_index % 3 = 0) execute function refuse()",
        ] {
            sqlx::query(statement).execute(pool).await.expect("it");
        }
        for fence in fences {
            sqlx::query(
                "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts,
                     owner, epoch, expires_at)
                 values ($1, 'q', 'stage', $2, 'null', 1, 'running', now(), now(), 5, $3, 1, now() + interval '1 hour')",
            )
            .bind(fence.claim.job_id)
            .bind(fence.execution_id.as_uuid())
            .bind(fence.claim.owner)
            .execute(pool)
            .await
            .expect("a job");
        }
    }

    #[tokio::test]
    async fn a_stage_that_is_refused_lets_others_of_its_group_begin() {
        let db = TestDb::new().await;
        let fences = held(&db, 30).await;
        spoil(db.pool(), &fences).await;
        let connections = Connections::shared(db.pool().clone());
        let beginner = Beginner::new(connections.clone(), Waker::new(connections));
        let tasks: Vec<_> = fences
            .into_iter()
            .map(|fence| {
                let beginner = beginner.clone();
                let begin = BeginStage {
                    execution_id: fence.execution_id,
                    claim: fence.claim,
                    crashes: 0,
                };
                tokio::spawn(async move { beginner.begin(begin).await })
            })
            .collect();
        for (place, task) in tasks.into_iter().enumerate() {
            let begun = tokio::time::timeout(Duration::from_secs(60), task).await;
            let begun = begun.expect("in time").expect("no panic");
            match place % 3 {
                0 => assert!(begun.is_err(), "{place} was refused"),
                _ => assert!(begun.expect("it was not").is_some(), "{place} begins"),
            }
        }
    }
}
