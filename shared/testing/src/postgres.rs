//! A private PostgreSQL for tests and the demo.
//!
//! [`Installation`] finds the binaries or installs them. [`Cluster`] runs a private server from them,
//! on a free loopback port, in a separate folder, under an unprivileged account. The system's own
//! clusters are never touched.

mod account;
mod apt;
mod cluster;
mod installation;
mod npm;
mod settings;
mod standby;

pub use account::reachable_folder;
pub use cluster::{Cluster, Stop};
pub use installation::{Installation, MINIMUM_VERSION, pgvector_folder};

/// Callback for progress messages: one short sentence at a time.
pub type Report<'a> = &'a dyn Fn(&str);
