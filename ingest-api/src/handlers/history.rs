//! `/api/v1/history/`: sessions and their history.

pub(crate) mod activity;
pub(crate) mod facets;
pub(crate) mod lists;
pub(crate) mod metrics;
pub(crate) mod origin;
mod query_parameters;
pub(crate) mod sessions;

use axum::extract::Query;

/// Parameters in the order they were given, one of them perhaps more than once.
pub(super) type Pairs = Query<Vec<(String, String)>>;
