//! The history API: lists, details, exports and actions of sessions.

pub(crate) mod actions;
pub(crate) mod activity;
pub(crate) mod bulk;
pub(crate) mod cancel;
pub(crate) mod child;
mod connections;
mod cursor;
pub(crate) mod detail;
pub(crate) mod export;
pub(crate) mod facets;
pub(crate) mod filter;
mod gap;
pub(crate) mod handlers;
pub(crate) mod headline;
pub(crate) mod lists;
pub(crate) mod masking;
pub(crate) mod metrics;
pub(crate) mod origin;
pub(crate) mod query;
pub(crate) mod query_parameters;
pub(crate) mod record;
pub(crate) mod replay;
mod replica;
mod search_query;
pub(crate) mod spending;
mod stage_state;
pub(crate) mod summary;
pub(crate) mod totals;
pub(crate) mod triage;

pub(crate) use connections::connections;
pub(crate) use replica::{HistoryReplica, ReplicaHealth, read};
