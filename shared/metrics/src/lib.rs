//! Metrics of this process, in Prometheus's model: counted where things happen, rendered when they are scraped.
//!
//! One function for each thing that happens ([`config`], [`deliveries`], [`housekeeping`], [`jobs`], [`live`], [`llm`], [`mcp`], [`masking`], [`repairs`]), so that all names and labels stand here. Labels
//! come from the configuration or from fixed lists, so callers can't add values. `docs/MONITORING.md` lists them.

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
