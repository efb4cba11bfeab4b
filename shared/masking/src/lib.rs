//! Masking: replaces secrets before a text reaches a model, a row, a log line or a socket.
//!
//! [`Masker::mask`] takes any text (logs, YAML, JSON, code, command output). It replaces everything that looks like a
//! secret by `[MASKED_<KIND>]`. JSON stays JSON and YAML stays YAML. Masking a text twice gives the same result as
//! masking it once. A text that can't be masked is withheld as a whole.
//!
//! One pass of an Aho-Corasick automaton finds the anchors: prefixes of tokens, words of names, structural marks, and
//! names of services. A finder scans a bounded window around each anchor, and a judge decides. The time is linear in
//! the length of any text.
//!
//! # Map
//!
//! A module uses only modules above it (`tests/layers.rs` checks that there are no cycles):
//!
//! | module | what it does |
//! | --- | --- |
//! | `bytes`, `shape`, `decode`, `word_set` | byte classes, shapes of tokens, base64, sets of words |
//! | `data` | word lists and tables: anchors, token formats, names, services, values |
//! | `pattern`, `kind`, `span`, `config`, `custom`, `error` | what can be switched on, what is reported, what is replaced |
//! | `structure` | where keys and values are in JSON, YAML, TOML, INI, env files |
//! | `view` | the text as its last reader sees it: needless escapes undone, invisible characters left out |
//! | `candidate` | a name, what joins a value to it, the value |
//! | `context` | the state of one round: the text, what is claimed |
//! | `judge` | is it a secret: `secret_value` for a value under a name, and the judges it asks (`sentence`, `strength`, `name`, `placeholder`, `reference`, `phrase`, `code`, `program`, `resource_name`, `identifier`, `prefixed`, `benign_name`, `benign_context`) |
//! | `find` | finders: `anchor` and `format`; `keyed` with `separator`, `joined`, `distant_value`, `extent`, `items`, `replied`; `comma_rows`, `aligned_columns`, `bars` and `inserted` for tables; `whole_value` for structures; `tokens`, `directive` and `printed` (with `line`, `typed`, `drawn`), `command`, `arguments`, `url`, `header`, `jwt`, `pem`, `kubernetes`, … |
//! | `scan` | one round: every anchor's finder |
//! | `masker`, `json`, `stream`, `growing` | rounds until a text is settled, and the public functions |
//!
//! To add a token format, add a line to `data/formats.txt`; for a service, add a word to `data/services.txt`.
//! `data/names.txt` lists the words that make a name secret or harmless.

mod bytes;
mod candidate;
mod config;
mod context;
mod custom;
mod data;
mod decode;
mod error;
mod find;
mod growing;
mod json;
mod judge;
mod kind;
mod masker;
mod pattern;
mod scan;
mod shape;
mod span;
mod stream;
mod structure;
mod view;
mod word_set;

pub use config::{CustomPattern, MaskingConfig, Problem};
pub use custom::{MAX_CUSTOM_PATTERN_BYTES, MAX_CUSTOM_PATTERNS};
pub use error::Error;
pub use find::anchor::prefilter_ceiling;
pub use kind::{Kind, Kinds, WITHHELD};
pub use masker::{MAX_TEXT_BYTES, Masked, Masker};
pub use pattern::{DEFAULT_GROUP, group_names, pattern_names};
pub use stream::StreamMasker;
