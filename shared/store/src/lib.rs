//! Every SQL statement over sessions, stages, interactions and events.
//!
//! One module per subject. Functions take a connection and never begin or commit a transaction. The caller owns it, so
//! that rows and jobs change together. Statements take many rows at a time, because the number of commits is what
//! limits a database first.
//!
//! A failed statement is reported as [`Error::Database`]. A function that can also fail in other ways lists them under
//! *Errors*.

pub mod admin;
pub mod api_keys;
pub mod browser_sessions;
pub mod calls;
pub mod calls_before;
pub mod chains;
pub mod changes;
pub mod children;
mod clock_step;
mod column;
pub mod conversations;
pub mod dedup_lookup;
pub mod deliveries;
pub mod diagnosis;
pub mod duplicates;
mod error;
pub mod event_log;
pub mod events;
pub mod gauges;
pub mod history;
pub mod incidents;
pub mod interactions;
pub mod knowledge_memory;
pub mod knowledge_questions;
mod late_commits;
pub mod new_session;
pub mod overload;
pub mod partitions;
pub mod pools;
pub mod quality;
pub mod refusals;
pub mod rejected_alerts;
pub mod resolved;
pub mod retention;
pub mod runbooks;
pub mod schema;
pub mod sessions;
pub mod slack;
pub mod stage_configurations;
pub mod stages;
pub mod status;
pub mod suppression;
mod unknown_words;
pub mod unreachable;
pub mod usage;
pub mod wait_context;
pub mod waits;
pub mod webhook_requests;
pub mod ws_tickets;

pub use column::column;
pub use error::{Error, is_content};

/// Migrations of the whole project, run by `tarsy migrate`.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");
