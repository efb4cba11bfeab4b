//! Reranking of candidates: by a `/v1/rerank` endpoint, in the form of Cohere and Jina, or by a chat model.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::endpoint::{Endpoint, EndpointConfig, EndpointError, shortened};
use super::listwise;
use crate::error::Result;

/// Longest request. A chat model takes longer, because it writes its response word by word.
const PATIENCE: Duration = Duration::from_secs(5);
const CHAT_PATIENCE: Duration = Duration::from_secs(30);
/// Number of texts per request.
const MOST: usize = 50;
/// How long an endpoint is not called after a failure.
const PAUSE: Duration = Duration::from_secs(10);
/// Longest question and text, in bytes. The rest is left out.
const MAX_QUESTION: usize = 2_000;
const MAX_TEXT: usize = 4_000;
/// Number of cached orders, and how long they are kept. The text of a chunk never changes: a new text gets a new id.
const KEPT: usize = 256;
const LIFETIME: Duration = Duration::from_secs(600);

type Scores = HashMap<i32, f32>;

/// Asks a model how well texts answer a question.
#[derive(Debug)]
pub struct Reranker {
    endpoint: Endpoint,
    form: Form,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Cached scores by the hash of question and chunk ids.
    kept: HashMap<[u8; 32], (Instant, Scores)>,
    paused_until: Option<Instant>,
}

/// API of the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `/v1/rerank`: returns a score for each text.
    Scores,
    /// `/v1/chat/completions`: a chat model orders all texts at once.
    Listwise,
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
    /// Creates a reranker. `what` names the setting in errors. If the URL ends in `/chat/completions`, it is that of a
    /// chat model.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Invalid`] for a URL or a key that can't be used.
    pub fn new(what: &str, config: &EndpointConfig) -> Result<Self> {
        let is_chat = |url: &str| {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            path.trim_end_matches('/').ends_with("/chat/completions")
        };
        let (form, patience) = match is_chat(&config.url) {
            true => (Form::Listwise, CHAT_PATIENCE),
            false => (Form::Scores, PATIENCE),
        };
        let endpoint = Endpoint::new(what, config, patience)?;
        Ok(Self {
            endpoint,
            form,
            state: Mutex::default(),
        })
    }

    /// Returns the maximum number of candidates that it reranks.
    pub(crate) const fn most(&self) -> usize {
        match self.form {
            Form::Scores => MOST,
            Form::Listwise => listwise::MOST,
        }
    }

    /// Returns the scores of candidates, and whether they came from the cache.
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
        let outcome = self.ask(question, candidates).await;
        let mut state = self.state();
        match outcome {
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
        // Records with the same text share its score.
        let mut documents: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (_, text) in candidates {
            let text = shortened(text, MAX_TEXT);
            places.entry(text).or_insert_with(|| {
                documents.push(text);
                documents.len() - 1
            });
        }
        let question = shortened(question, MAX_QUESTION);
        let by_document = match self.form {
            Form::Scores => self.request_scores(question, &documents).await?,
            Form::Listwise => self.request_order(question, &documents).await?,
        };
        let score = |text: &str| {
            let place = places.get(shortened(text, MAX_TEXT))?;
            by_document.get(*place).copied().flatten()
        };
        let scores: Scores = candidates
            .iter()
            .filter_map(|(id, text)| Some((*id, score(text)?)))
            .collect();
        // An empty order means that no text is about the question. But if a `/v1/rerank` endpoint returns no scores,
        // something is wrong.
        let needs_one = self.form == Form::Scores && !candidates.is_empty();
        match scores.is_empty() && needs_one {
            true => Err(EndpointError::Answer("no scores")),
            false => Ok(scores),
        }
    }

    async fn request_scores(
        &self,
        question: &str,
        documents: &[&str],
    ) -> Result<Vec<Option<f32>>, EndpointError> {
        let body = json!({
            "model": self.endpoint.model,
            "query": question,
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
        Ok(by_document)
    }

    async fn request_order(
        &self,
        question: &str,
        documents: &[&str],
    ) -> Result<Vec<Option<f32>>, EndpointError> {
        let body = listwise::request(&self.endpoint.model, question, documents);
        listwise::scores(self.endpoint.post(&body).await?, documents.len())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hashes the question and the chunks, independent of the order of the chunks.
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
