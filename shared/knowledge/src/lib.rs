//! Knowledge store: records from files, loaded into Postgres and searched.
//!
//! The pure part consists of [`Mapping`], reading rows, chunks, terms, postings and BM25. The part over Postgres, in
//! schema `knowledge`, consists of [`store`], [`load()`] and [`Searcher`]. It does not use or need any other part of
//! the fleet.

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
