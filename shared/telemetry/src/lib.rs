//! Logs and traces, the same in every process.
//!
//! A binary calls [`Telemetry::init`] once in `main`. Logs go to standard error, one line per event, as JSON or text.
//! Control, ANSI and bidirectional characters of untrusted text are escaped. Traces are sent over OTLP (HTTP, protobuf)
//! only if an endpoint is set. The `traceparent` helpers pass a trace from process to process through rows and jobs.

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
