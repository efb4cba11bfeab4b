//! Transitions against Postgres.

mod children;
mod waits;
