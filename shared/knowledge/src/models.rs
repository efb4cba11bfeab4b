//! Models that search uses: one for vectors of texts, over HTTP or computed locally, and one that reranks candidates.
//! None is used by default.

mod embedder;
mod endpoint;
mod listwise;
mod local;
mod reranker;

pub use embedder::Embedder;
pub use endpoint::{EndpointConfig, EndpointError};
pub use reranker::Reranker;

pub(crate) use embedder::cosine;

/// The models of a searcher.
#[derive(Debug, Default)]
pub struct Models {
    /// Computes the vectors of questions and chunks.
    pub embedder: Option<Embedder>,
    /// Reranks candidates.
    pub reranker: Option<Reranker>,
}
