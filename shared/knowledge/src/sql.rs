//! SQL queries over collections: one SELECT, checked and rewritten before it is sent.

mod guard;
mod run;

pub use guard::{Checked, Refusal, Tables, check};
pub use run::{Answer, SqlError, SqlReader};
