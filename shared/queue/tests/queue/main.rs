//! What the queue promises, against a real Postgres.

mod claims;
mod dead;
mod drain;
mod enqueueing;
mod fencing;
mod outcomes;
mod recovery;
mod rig;
mod trouble;
mod waking;
