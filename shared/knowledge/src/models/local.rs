//! Vectors from a model in a folder, computed by a few threads next to the asynchronous runtime.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use tarsy_text_embedding::TextEmbedder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::endpoint::EndpointError;
use crate::error::{Error, Result};

/// Texts that a thread computes before the next caller has its turn.
const GROUP: usize = 8;
/// Most threads: a question is one text, so that more only serve loads.
const MAX_THREADS: usize = 8;

/// A model in memory.
#[derive(Debug)]
pub(super) struct LocalModel {
    name: String,
    model: Arc<TextEmbedder>,
    /// Threads that may compute.
    threads: Arc<Semaphore>,
}

impl LocalModel {
    pub(super) fn load(folder: &Path, name: Option<&str>) -> Result<Self> {
        let name = match name {
            Some(name) => name.to_owned(),
            // `.` has one, too.
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

    /// Vectors in the order of the texts. A caller who gives up leaves at most the groups that are being computed.
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
