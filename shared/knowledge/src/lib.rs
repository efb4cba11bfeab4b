//! Knowledge: records of files, loaded into Postgres and searched.
//!
//! Pure: [`Mapping`], reading rows, chunks, terms, postings, BM25. Over Postgres, in schema `knowledge`:
//! [`store`], [`load()`], [`Searcher`]. Nothing of the fleet is needed or used.

mod chunk;
pub mod demo;
mod embed;
mod error;
pub mod evaluation;
mod index;
mod input;
mod load;
mod mapping;
mod models;
mod search;
pub mod sql;
pub mod store;

pub use embed::{EmbedProgress, embed};
pub use error::{Error, Result};
pub use load::{LoadOptions, Progress, load};
pub use mapping::{Field, Format, Mapping, ValueKind, is_name};
pub use models::{Embedder, EndpointConfig, EndpointError, Models, Reranker};
pub use search::{Arm, Compared, Found, Help, Hit, Query, Record, SearchChunk, Searcher, Trace};
