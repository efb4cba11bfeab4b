//! The order of candidates from a `/v1/rerank` endpoint, in the form of Cohere and Jina.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::endpoint::{Endpoint, EndpointConfig, EndpointError, shortened};
use crate::error::Result;

/// Longest request.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an endpoint that failed is not asked.
const PAUSE: Duration = Duration::from_secs(10);
/// Longest question and text, in bytes; the rest is left out.
const MAX_QUESTION: usize = 2_000;
const MAX_TEXT: usize = 4_000;
/// Orders that are kept, and for how long. Chunks never change: a new text has a new id.
const KEPT: usize = 256;
const LIFETIME: Duration = Duration::from_secs(600);

/// Scores by chunk.
type Scores = HashMap<i32, f32>;

/// Asks a model how well texts answer a question.
#[derive(Debug)]
pub struct Reranker {
    endpoint: Endpoint,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By hash of question and chunk ids.
    kept: HashMap<[u8; 32], (Instant, Scores)>,
    paused_until: Option<Instant>,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Ranked>,
}

#[derive(Deserialize)]
struct Ranked {
    index: usize,
    relevance_score: f32,
}

impl Reranker {
    /// A reranker; `what` names the setting in errors.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Invalid`] for a URL or a key that can't be used.
    pub fn new(what: &str, config: &EndpointConfig) -> Result<Self> {
        let endpoint = Endpoint::new(what, config, PATIENCE)?;
        Ok(Self {
            endpoint,
            state: Mutex::default(),
        })
    }

    /// Scores of candidates, and whether they were known.
    pub(crate) async fn scores(
        &self,
        question: &str,
        candidates: &[(i32, &str)],
    ) -> Result<(Scores, bool), EndpointError> {
        let call = call_hash(question, candidates);
        {
            let state = self.state();
            if let Some((at, scores)) = state.kept.get(&call)
                && at.elapsed() < LIFETIME
            {
                return Ok((scores.clone(), true));
            }
            if state
                .paused_until
                .is_some_and(|until| Instant::now() < until)
            {
                return Err(EndpointError::Paused);
            }
        }
        let asked = self.ask(question, candidates).await;
        let mut state = self.state();
        match asked {
            Ok(scores) => {
                state.kept.retain(|_, (at, _)| at.elapsed() < LIFETIME);
                if state.kept.len() >= KEPT {
                    state.kept.clear();
                }
                state.kept.insert(call, (Instant::now(), scores.clone()));
                Ok((scores, false))
            }
            Err(error) => {
                state.paused_until = Some(Instant::now() + PAUSE);
                Err(error)
            }
        }
    }

    async fn ask(
        &self,
        question: &str,
        candidates: &[(i32, &str)],
    ) -> Result<Scores, EndpointError> {
        // Records that repeat a text share its score.
        let mut documents: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (_, text) in candidates {
            let text = shortened(text, MAX_TEXT);
            places.entry(text).or_insert_with(|| {
                documents.push(text);
                documents.len() - 1
            });
        }
        let body = json!({
            "model": self.endpoint.model,
            "query": shortened(question, MAX_QUESTION),
            "documents": documents,
            "top_n": documents.len(),
            "return_documents": false,
        });
        let answer: Answer = self.endpoint.post(&body).await?;
        let mut by_document: Vec<Option<f32>> = vec![None; documents.len()];
        for ranked in answer.results {
            let place = by_document.get_mut(ranked.index);
            let place = place.ok_or(EndpointError::Answer("a text that was not sent"))?;
            if !ranked.relevance_score.is_finite()
                || place.replace(ranked.relevance_score).is_some()
            {
                return Err(EndpointError::Answer(
                    "a score that is none, or two for one text",
                ));
            }
        }
        let score = |text: &str| {
            let place = places.get(shortened(text, MAX_TEXT))?;
            by_document.get(*place).copied().flatten()
        };
        let scores: Scores = candidates
            .iter()
            .filter_map(|(id, text)| Some((*id, score(text)?)))
            .collect();
        match scores.is_empty() && !candidates.is_empty() {
            true => Err(EndpointError::Answer("no scores")),
            false => Ok(scores),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Question and chunks, in whatever order these come.
fn call_hash(question: &str, candidates: &[(i32, &str)]) -> [u8; 32] {
    let mut ids: Vec<i32> = candidates.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    let mut hash = Sha256::new();
    for id in ids {
        hash.update(id.to_le_bytes());
    }
    hash.update(question.as_bytes());
    hash.finalize().into()
}
