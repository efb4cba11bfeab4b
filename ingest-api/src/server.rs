//! The server: routes, layers, state, and code that all subjects share.

pub(crate) mod app;
pub(crate) mod audit;
pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod catalog;
pub(crate) mod clock;
pub(crate) mod deadline;
pub(crate) mod docs;
pub(crate) mod metrics;
pub(crate) mod operator_request;
pub(crate) mod program;
pub(crate) mod router;
pub(crate) mod screens;
pub(crate) mod serve;
pub(crate) mod state;
pub(crate) mod tracing_layer;
