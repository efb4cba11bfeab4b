//! The history API: what is asked for, and how it is shown.

pub(crate) mod detail;
pub(crate) mod export;
pub(crate) mod lists;
pub(crate) mod metrics;
pub(crate) mod query;
pub(crate) mod summary;
