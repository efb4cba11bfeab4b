//! Test support: a private PostgreSQL, a database per test, our programs as real processes that
//! can be killed, and waiting for a condition instead of sleeping.
//!
//! Development support only: no service depends on this crate.
//!
//! ```no_run
//! # async fn example() {
//! use std::time::Duration;
//! use tarsy_testing::{TestDb, wait};
//!
//! let db = TestDb::new().await;
//! wait::until("the first session", Duration::from_secs(5), async || {
//!     sqlx::query("select 1 from alert_sessions").fetch_optional(db.pool()).await.unwrap()
//! })
//! .await;
//! # }
//! ```

mod command;
mod database;
mod error;
pub mod fake_llm;
pub mod fake_tasks;
mod json_lines;
mod pair;
pub mod postgres;
pub mod process;
mod proxy;
mod sshd;
pub mod tools;
pub mod wait;

pub use database::{ADMIN_URL_VARIABLES, DEFAULT_ADMIN_URL, KEEP, TestDb, admin_url};
pub use error::{Error, Result};
pub use json_lines::json_lines;
pub use pair::Pair;
pub use proxy::SilentProxy;
pub use sshd::Sshd;

/// Id of the user and group `nobody` on Linux.
const UNPRIVILEGED_ID: u32 = 65534;
