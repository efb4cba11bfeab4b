//! The harness of the tests over real processes: a fleet on a database of its own, a model and
//! an MCP server of the test's, and the invariants that hold whatever happens to the processes.
//!
//! The tests are in `tests/tests`. They kill, freeze and restart; they wait for conditions and
//! measure nothing: where "at once" matters, leases last a minute, so that only what is meant to
//! be quick can end the wait.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod collector;
pub mod command;
mod crash_points;
pub mod fake_pagerduty;
pub mod fake_slack;
mod fleet;
mod invariants;
mod ledger;
pub mod ops;
pub mod promtool;
mod rows;
pub mod scene;
mod stdio_client;

pub use crash_points::{CrashPoint, Role, crash_points};
pub use fleet::{Alert, Fleet, Ingest, SOON};
pub use invariants::violations;
pub use ledger::Ledger;
pub use rows::{Counted, Rows, Session, Stage};
pub use stdio_client::StdioClient;
