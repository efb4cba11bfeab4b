//! Tests of the test support: real databases, servers and processes.

mod cluster;
mod database;
mod process;
