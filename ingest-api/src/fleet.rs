//! Endpoints about the fleet: health, workers, queues, dead jobs, upstreams, configuration, retention.

pub(crate) mod configuration;
pub(crate) mod dead_jobs;
pub(crate) mod health;
pub(crate) mod pools;
pub(crate) mod queues;
pub(crate) mod retention;
pub(crate) mod upstreams;
pub(crate) mod workers;
