//! The rules on small clusters, and what holds for any text.

mod cases;
mod forms;
mod properties;
mod scale;
