//! Operator actions: validation, and execution with the audit entry in one transaction.

pub(crate) mod audit;
pub(crate) mod cancel;
pub(crate) mod config;
pub(crate) mod filter;
pub(crate) mod pools;
pub(crate) mod replay;
pub(crate) mod request;
pub(crate) mod triage;
pub(crate) mod upstreams;
pub(crate) mod waits;
