//! Logs and traces, the same in every process.
//!
//! A binary calls [`Telemetry::init`] once in `main`. Logs go to standard error, one line an
//! event, as JSON or text, with control, ANSI and bidirectional characters of untrusted text
//! escaped. Traces leave over OTLP (HTTP, protobuf) only when an endpoint is set; the
//! `traceparent` helpers carry one trace through rows and jobs from process to process.

mod chain_span;
mod crypto;
mod escape;
mod init;
mod json;
mod log_queue;
mod propagation;
mod settings;

pub use chain_span::advance_chain_span;
pub use crypto::install_crypto;
pub use escape::{EscapingWriter, escape_untrusted};
pub use init::{Error, LogFilter, Telemetry};
pub use log_queue::dropped_log_lines;
pub use propagation::{current_trace_id, current_traceparent, set_parent};
pub use settings::{LogFormat, LogSettings, filter_of};
