//! Request handlers.

pub(crate) mod admin;
pub(crate) mod alerts;
pub(crate) mod approvals;
pub(crate) mod deliveries;
pub(crate) mod dry_run;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod knowledge;
pub(crate) mod live;
pub(crate) mod messages;
pub(crate) mod record;
pub(crate) mod rejections;
pub(crate) mod slack;
pub(crate) mod usage;
pub(crate) mod webhooks;
