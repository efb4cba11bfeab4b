//! Tests of the boundaries between crates, by `cargo metadata` (docs/ARCHITECTURE.md gives the reasons), and of other
//! rules for sources and documents.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod crates;
mod documents;
mod features;
mod file_names;
mod migrations;
mod module_cycles;
mod pools;
mod prose;
mod statements;
mod targets;
mod workspace;
