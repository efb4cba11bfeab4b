//! Harness of the tests over real processes: a fleet with its own database, a fake model, a test MCP
//! server, and the invariants that hold no matter what happens to the processes.
//!
//! The tests are in `tests/tests`. They kill, freeze and restart processes. They wait for conditions and
//! measure no times. To prove that something happens at once, they use leases of a minute. Then only the
//! fast path can end the wait.

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
