//! Operator endpoints. Each action has a reason and is written to the audit log in its
//! transaction.

pub(crate) mod audit_log;
pub(crate) mod bulk;
pub(crate) mod config;
pub(crate) mod dead_jobs;
pub(crate) mod queues;
pub(crate) mod retention;
pub(crate) mod sessions;
pub(crate) mod triage;
pub(crate) mod upstreams;
pub(crate) mod workers;
