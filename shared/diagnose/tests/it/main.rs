//! Tests of the rules on small clusters, and properties that hold for any text.

mod cases;
mod forms;
mod properties;
mod scale;
