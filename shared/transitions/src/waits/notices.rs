//! Jobs that notify the people who were asked once a wait is decided.

use tarsy_model::{
    WAIT_NOTICE_JOB, WaitId, WaitSort, chain_queue, job_requirement, wait_requirement,
};
use tarsy_queue::NewJob;

/// Builds the jobs that notify people of decisions about these waits. [`decide_wait`](crate::decide_wait) enqueues its
/// notices itself.
#[must_use]
pub fn decision_notices(waits: &[WaitId]) -> Vec<NewJob> {
    // Any of these waits may be about spending. Older chain workers can't read those, and send no notices of
    // decisions.
    let requires = vec![
        job_requirement(WAIT_NOTICE_JOB),
        wait_requirement(WaitSort::Spending),
    ];
    let job = |wait: &WaitId| {
        NewJob::new(chain_queue(), WAIT_NOTICE_JOB, wait.as_uuid()).requires(requires.clone())
    };
    waits.iter().map(job).collect()
}
