//! Tests the guarantees of the queue against a real Postgres.
#![expect(clippy::unwrap_used, reason = "in a test, a failure is a panic")]

mod claims;
mod connections;
mod dead;
mod drain;
mod dropped;
mod enqueueing;
mod fencing;
mod half_open;
mod hand_over;
mod isolation;
mod mistaken;
mod outage;
mod outcomes;
mod preclaim;
mod recovery;
mod requirements;
mod rig;
mod silent;
mod stand_in;
mod trouble;
mod waking;
