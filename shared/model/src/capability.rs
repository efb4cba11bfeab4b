//! What chain workers of this version can run and read.
//!
//! A version may add kinds of jobs, statuses and kinds of stages while older workers still run. A worker that does not
//! know the kind or status leaves the job to a worker that offers it
//! (docs/decisions/0031-versions-say-what-they-can-read.md).

use crate::{
    CHAIN_JOB, CHILDREN_JOB, START_NOTICE_JOB, StageStatus, WAIT_JOB, WAIT_NOTICE_JOB, WaitSort,
};

/// Kinds of stages in stored chains, other than agent stages.
const STORED_WORK: [&str; 5] = ["ask", "tool", "function", "wait", "sub_agent"];

/// Returns the requirement for jobs of kind `kind`.
#[must_use]
pub fn job_requirement(kind: &str) -> String {
    format!("job:{kind}")
}

/// Returns the requirement for a chain worker that can read stages with status `status`.
#[must_use]
pub fn status_requirement(status: &str) -> String {
    format!("reads:{status}")
}

/// Returns the requirement for a chain worker that can plan stages of the stored kind `work`.
#[must_use]
pub fn work_requirement(work: &str) -> String {
    format!("plans:{work}")
}

/// Returns the requirement for a chain worker that can handle waits of sort `sort`.
#[must_use]
pub fn wait_requirement(sort: WaitSort) -> String {
    format!("waits:{}", sort.as_str())
}

/// Requirement for the delivery of an answer. An older chain worker would not wait for the answer.
pub const ANSWER_REQUIREMENT: &str = "delivers:answer";

/// Returns everything that chain workers of this version offer.
#[must_use]
pub fn chain_worker_offers() -> Vec<String> {
    let jobs = [
        CHAIN_JOB,
        CHILDREN_JOB,
        START_NOTICE_JOB,
        WAIT_JOB,
        WAIT_NOTICE_JOB,
    ];
    let jobs = jobs.map(job_requirement);
    let statuses = StageStatus::ALL.iter();
    let statuses = statuses.map(|status| status_requirement(status.as_str()));
    let work = STORED_WORK.map(work_requirement);
    let waits = [wait_requirement(WaitSort::Spending)];
    let words = jobs.into_iter().chain(statuses).chain(work);
    let words = words.chain(waits);
    words.chain([ANSWER_REQUIREMENT.to_owned()]).collect()
}
