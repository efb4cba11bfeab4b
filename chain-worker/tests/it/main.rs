//! Tests chain workers against a real Postgres.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod clock_step;
mod give_up;
mod housekeeping;
mod newer;
mod notify;
mod partitions;
mod repair;
mod schedule;
mod search;
mod silent;
