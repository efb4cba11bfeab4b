//! Fence of writes under a claim.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The fence of one claim: job, owner and epoch.
///
/// The owner is new with every process start, and the epoch only rises. So a claim that was lost never matches again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClaimRef {
    /// The job that is held.
    pub job_id: Uuid,
    /// The process incarnation that holds it.
    pub owner: Uuid,
    /// Number of the claim on this job; rises with every claim and takeover.
    pub epoch: i64,
}
