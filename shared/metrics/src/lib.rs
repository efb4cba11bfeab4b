//! Metrics of this process in Prometheus's model. They are counted where events happen, and rendered when they are
//! scraped.
//!
//! There is one function for each event, in [`config`], [`deliveries`], [`housekeeping`], [`jobs`], [`live`], [`llm`],
//! [`mcp`], [`masking`] and [`repairs`]. So all names and labels are defined in this crate. Values of labels come from
//! the configuration or from fixed lists, so callers can't add others. `docs/MONITORING.md` lists the metrics.

pub mod config;
pub mod deliveries;
mod exemplar;
mod exposition;
mod factory;
pub mod housekeeping;
pub mod jobs;
pub mod live;
pub mod llm;
pub mod masking;
pub mod mcp;
mod process;
pub mod repairs;
mod scrape;

pub use exemplar::{DurationHistogram, trace_id_by};
pub use exposition::Exposition;
pub use scrape::{ProcessState, families, scrape, start};
