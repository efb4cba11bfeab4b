//! Databases, servers and processes for tests, against the real ones.

mod cluster;
mod database;
mod process;
