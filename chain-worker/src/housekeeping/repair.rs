//! Enqueues missing jobs of live sessions, after rows were changed by hand.

use sqlx::PgPool;
use tarsy_failpoint::reached;
use tarsy_model::{Pool, WAIT_JOB, chain_queue, job_requirement, priority_of, stage_requires};
use tarsy_queue::NewJob;
use tarsy_store::chains::Stranded;

use crate::advance::STAGE_JOB;
use crate::housekeeping::{Turn, begin};
use crate::{CHAIN_JOB, Error};

/// Number of live sessions that are checked per run. The next run continues after them.
const BATCH: i64 = 2_000;

/// Enqueues the missing jobs of live sessions accepted after `after` (Unix microseconds). Returns how many, and the
/// value of `after` for the next run.
///
/// # Errors
///
/// [`Error`]; nothing was changed.
pub async fn repair(pool: &PgPool, after: i64) -> Result<(usize, Option<i64>), Error> {
    let Some(mut tx) = begin(pool, Turn::Repair).await? else {
        return Ok((0, None));
    };
    let (stranded, next) =
        tarsy_store::chains::sessions_without_work(&mut tx, after, BATCH).await?;
    let jobs: Vec<NewJob> = stranded.iter().map(missing_job).collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    reached("housekeeping.repair.before_commit");
    tx.commit().await?;
    reached("housekeeping.repair.after_commit");
    Ok((stranded.len(), next))
}

fn missing_job(stranded: &Stranded) -> NewJob {
    let job = match (&stranded.stage, stranded.wait) {
        // May be early: the handler checks the time.
        (_, Some(wait)) => NewJob::new(chain_queue(), WAIT_JOB, wait.as_uuid())
            .requires(vec![job_requirement(WAIT_JOB)]),
        (Some(stage), None) => {
            let queue = Pool::from(stage.pool.as_str()).queue();
            NewJob::new(queue, STAGE_JOB, stage.execution_id.as_uuid())
                .after_epoch(stage.epoch)
                .requires(stage_requires(&stage.agent, stage.llm_provider.as_deref()))
        }
        (None, None) => NewJob::new(chain_queue(), CHAIN_JOB, stranded.session_id.as_uuid()),
    };
    job.priority(priority_of(&stranded.severity))
}
