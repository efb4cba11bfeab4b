//! The history API: queries and responses.

pub(crate) mod child;
mod connections;
mod cursor;
pub(crate) mod detail;
pub(crate) mod export;
pub(crate) mod facets;
mod foresee;
mod gap;
mod headline;
pub(crate) mod lists;
pub(crate) mod masking;
pub(crate) mod metrics;
pub(crate) mod query;
pub(crate) mod record;
mod replica;
mod search_query;
pub(crate) mod spending;
mod stage_state;
pub(crate) mod summary;
pub(crate) mod totals;
pub(crate) mod triage;
pub(crate) mod turns;
pub(crate) mod wait;
pub(crate) mod wait_contexts;
pub(crate) mod waits;

pub(crate) use connections::connections;
pub(crate) use replica::{HistoryReplica, ReplicaHealth, read};
