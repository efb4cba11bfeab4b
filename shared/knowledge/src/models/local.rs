//! Vectors from a model in a folder, computed on a few threads outside the asynchronous runtime.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use tarsy_text_embedding::TextEmbedder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::endpoint::EndpointError;
use crate::error::{Error, Result};

/// Number of texts that a thread computes before another caller gets its turn.
const GROUP: usize = 8;
/// Maximum number of threads. A question is a single text, so more threads would only speed up loads.
const MAX_THREADS: usize = 8;

/// A model in memory.
#[derive(Debug)]
pub(super) struct LocalModel {
    name: String,
    model: Arc<TextEmbedder>,
    /// Limits the number of threads that compute.
    threads: Arc<Semaphore>,
}

impl LocalModel {
    pub(super) fn load(folder: &Path, name: Option<&str>) -> Result<Self> {
        let name = match name {
            Some(name) => name.to_owned(),
            // Canonicalized, because `.` has a name too.
            None => folder
                .canonicalize()
                .map_err(Error::file("open", folder))?
                .file_name()
                .and_then(|name| name.to_str())
                .ok_or_else(|| {
                    Error::invalid(folder.display().to_string(), "give the model a name")
                })?
                .to_owned(),
        };
        let threads = available_parallelism().map_or(1, usize::from);
        Ok(Self {
            name,
            model: Arc::new(TextEmbedder::load(folder)?),
            threads: Arc::new(Semaphore::new(threads.min(MAX_THREADS))),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns vectors in the order of the texts. If the caller drops the future, only the groups in progress are still
    /// computed.
    pub(super) async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EndpointError> {
        let mut groups = JoinSet::new();
        for (number, group) in texts.chunks(GROUP).enumerate() {
            let group: Vec<String> = group.iter().map(|text| (*text).to_owned()).collect();
            let (model, threads) = (Arc::clone(&self.model), Arc::clone(&self.threads));
            groups.spawn(async move {
                // The semaphore is never closed.
                let permit = threads.acquire_owned().await.ok();
                let computing = tokio::task::spawn_blocking(move || {
                    let _permit = permit;
                    let group: Vec<&str> = group.iter().map(String::as_str).collect();
                    model.embed(&group)
                });
                computing.await.map(|vectors| (number, vectors))
            });
        }
        let mut computed = Vec::with_capacity(groups.len());
        while let Some(group) = groups.join_next().await {
            let group = group.and_then(|group| group);
            computed.push(group.map_err(|_| EndpointError::Interrupted)?);
        }
        computed.sort_unstable_by_key(|(number, _)| *number);
        Ok(computed
            .into_iter()
            .flat_map(|(_, vectors)| vectors)
            .collect())
    }
}
