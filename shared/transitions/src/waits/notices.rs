//! Jobs that tell who was asked that a wait is decided.

use tarsy_model::{
    WAIT_NOTICE_JOB, WaitId, WaitSort, chain_queue, job_requirement, wait_requirement,
};
use tarsy_queue::NewJob;

/// The jobs that tell of decisions about these waits; [`decide_wait`](crate::decide_wait) enqueues its own.
#[must_use]
pub fn decision_notices(waits: &[WaitId]) -> Vec<NewJob> {
    // Any of them may be about spending, which older chain workers can't read; and they tell of no decision.
    let requires = vec![
        job_requirement(WAIT_NOTICE_JOB),
        wait_requirement(WaitSort::Spending),
    ];
    let job = |wait: &WaitId| {
        NewJob::new(chain_queue(), WAIT_NOTICE_JOB, wait.as_uuid()).requires(requires.clone())
    };
    waits.iter().map(job).collect()
}
