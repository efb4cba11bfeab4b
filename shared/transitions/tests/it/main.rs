//! Tests transitions against Postgres.

mod children;
mod waits;
