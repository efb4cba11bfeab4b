//! Knowledge: records of files, loaded into Postgres and searched.
//!
//! Pure: [`Mapping`], reading rows, chunks, terms, postings, BM25. Over Postgres, in schema `knowledge`:
//! [`store`], [`load()`], [`Searcher`]. Nothing of the fleet is needed or used.

mod chunk;
pub mod demo;
mod error;
pub mod evaluation;
mod index;
mod input;
mod load;
mod mapping;
mod search;
pub mod sql;
pub mod store;

pub use error::{Error, Result};
pub use load::{LoadOptions, Progress, load};
pub use mapping::{Field, Format, Kind, Mapping, is_name};
pub use search::{Hit, Query, Record, SearchChunk, Searcher};
