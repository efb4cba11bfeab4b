//! What chain workers of a version can run and read.
//!
//! A version may add kinds of jobs, statuses and kinds of stages while older workers run next to it: a worker that meets
//! what it does not know leaves the job to one that names it (docs/decisions/0031-versions-say-what-they-can-read.md).

use crate::{
    CHAIN_JOB, CHILDREN_JOB, START_NOTICE_JOB, StageStatus, WAIT_JOB, WAIT_NOTICE_JOB, WaitSort,
};

/// Kinds of stages in stored chains, besides that of an agent.
const STORED_WORK: [&str; 5] = ["ask", "tool", "function", "wait", "sub_agent"];

/// Names the kind of jobs `kind` among what a worker offers.
#[must_use]
pub fn job_requirement(kind: &str) -> String {
    format!("job:{kind}")
}

/// Names the status of stages `status` among what a chain worker offers.
#[must_use]
pub fn status_requirement(status: &str) -> String {
    format!("reads:{status}")
}

/// Names the stored kind of stages `work` among what a chain worker offers.
#[must_use]
pub fn work_requirement(work: &str) -> String {
    format!("plans:{work}")
}

/// Names the sort of waits `sort` among what a chain worker offers.
#[must_use]
pub fn wait_requirement(sort: WaitSort) -> String {
    format!("waits:{}", sort.as_str())
}

/// Names the delivery of an answer among what a chain worker offers: an older one would not wait for the answer.
pub const ANSWER_REQUIREMENT: &str = "delivers:answer";

/// What chain workers of this version offer.
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
