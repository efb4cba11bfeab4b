//! `/api/v1/admin/`: actions of operators, and the audit log.

mod audit_log;
mod cancel;
mod care;
mod config;
mod dead_jobs;
mod deliveries;
mod fleet;
mod many;
mod pools;
mod races;
mod replay;
mod retention;
pub(crate) mod scenes;
mod upstreams;
