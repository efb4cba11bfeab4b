//! Masking: secrets are replaced before a model, a row, a log line or a socket sees a text.
//!
//! [`Masker::mask`] takes any text (logs, YAML, JSON, code, command output) and replaces what it takes for a
//! secret by `[MASKED_<KIND>]`. JSON stays JSON and YAML stays YAML, masking twice gives what masking once
//! gives, and a text that cannot be masked is withheld as a whole.
//!
//! One pass of an Aho-Corasick automaton over all cues (token prefixes, key words, structural markers, vendor
//! names) finds the places worth a look; hand-written matchers look at a bounded window around each. The time
//! is linear in the text, whatever the text.

mod bytes;
mod call;
mod command;
mod config;
mod context;
mod cue;
mod custom;
mod directive;
mod encoded;
mod error;
mod formats;
mod header;
mod identifier;
mod infix;
mod json;
mod jwt;
mod keyed;
mod kind;
mod kubernetes;
mod masker;
mod network;
mod pattern;
mod pem;
mod percent;
mod pieces;
mod prefixed;
mod repeated;
mod scan;
mod shape;
mod span;
mod stream;
mod structure;
mod tokens;
mod url;
mod vendors;

pub use config::{CustomPattern, MaskingConfig, Problem};
pub use cue::prefilter_ceiling;
pub use custom::{MAX_CUSTOM_PATTERN_BYTES, MAX_CUSTOM_PATTERNS};
pub use error::Error;
pub use kind::{Kind, Kinds};
pub use masker::{MAX_TEXT_BYTES, Masked, Masker, WITHHELD};
pub use pattern::{DEFAULT_GROUP, group_names, pattern_names};
pub use stream::StreamMasker;
