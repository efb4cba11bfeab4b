//! SQL questions: one SELECT over collections, checked and written anew before it is sent.

mod guard;
mod run;

pub use guard::{Checked, Refusal, Tables, check};
pub use run::{Answer, SqlError, SqlReader};
