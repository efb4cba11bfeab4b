//! Kinds of jobs.

/// Kind of the jobs that chain workers run; the subject is the session.
pub const CHAIN_JOB: &str = "chain";

/// Kind of the jobs that stage workers run; the subject is the stage execution.
pub const STAGE_JOB: &str = "stage";
