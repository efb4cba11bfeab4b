//! What the queue promises, against a real Postgres.
#![expect(clippy::unwrap_used, reason = "in a test, a failure is a panic")]

mod claims;
mod connections;
mod dead;
mod drain;
mod enqueueing;
mod fencing;
mod going_on;
mod outcomes;
mod recovery;
mod requirements;
mod rig;
mod trouble;
mod waking;
