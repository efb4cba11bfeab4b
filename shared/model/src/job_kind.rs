//! Kinds of jobs.

/// Kind of the jobs that chain workers run. The subject is the session.
pub const CHAIN_JOB: &str = "chain";

/// Kind of the jobs that create notifications of started sessions. The subject is the session.
pub const START_NOTICE_JOB: &str = "start_notice";

/// Kind of the jobs that stage workers run. The subject is the stage execution.
pub const STAGE_JOB: &str = "stage";
