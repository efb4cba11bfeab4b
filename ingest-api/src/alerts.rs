//! Submission and status of alerts, and the journal of rejected ones. `tarsy-intake` turns alerts
//! into sessions.

pub(crate) mod dry_run;
pub(crate) mod handlers;
pub(crate) mod progress;
pub(crate) mod rejected;
pub(crate) mod runbook_check;
pub(crate) mod upstreams;
