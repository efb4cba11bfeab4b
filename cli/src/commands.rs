//! Commands, one file each.

pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod chains;
pub(crate) mod check_config;
pub(crate) mod completion;
pub(crate) mod config_schema;
pub(crate) mod dead;
pub(crate) mod deliveries;
pub(crate) mod dry_run;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod mask;
pub(crate) mod migrate;
pub(crate) mod prune;
pub(crate) mod queues;
pub(crate) mod rejected;
pub(crate) mod replay;
pub(crate) mod session_action;
pub(crate) mod sessions;
pub(crate) mod submit;
pub(crate) mod tools;
pub(crate) mod triage;
pub(crate) mod up;
pub(crate) mod upstreams;
pub(crate) mod workers;
