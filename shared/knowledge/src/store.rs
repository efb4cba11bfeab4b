//! Tables of the store: creation, description, removal.

mod collections;
mod embeddings;
mod nearest;
mod reader_login;
mod schema;
mod vector_bytes;
mod views;

pub use collections::{
    Collection, CollectionSummary, LoadSummary, collections, drop_collection, summaries,
};
pub use embeddings::drop_other_embeddings;
pub use reader_login::{ReaderLogin, grant_reader};
pub use schema::{SCHEMA_VERSION, check, enable};

pub(crate) use collections::{collection, declare};
pub(crate) use embeddings::{count_pending, dimension, pending, put, vectors};
pub(crate) use nearest::{NearestIndex, Walk, index};
