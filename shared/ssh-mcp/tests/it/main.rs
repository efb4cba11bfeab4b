//! Tests of commands on a real SSH server, and of commands that must not reach it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod configuration;
mod injection;
mod limits;
mod scene;
mod trust;
