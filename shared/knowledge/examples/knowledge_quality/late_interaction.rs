//! A server that orders texts by late interaction.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_text_embedding::{TextEmbedder, TokenVectors};

/// Number of texts that are computed at once.
const BATCH: usize = 8;

pub(crate) struct LateInteraction {
    model: TextEmbedder,
    /// Vectors of all texts known in advance, so that a question costs only the computation of its own tokens.
    known: HashMap<String, TokenVectors>,
}

impl LateInteraction {
    /// Computes the vectors of texts, on all cores.
    pub(crate) fn new(model: TextEmbedder, texts: Vec<String>) -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = texts.len().div_ceil(threads).max(1);
        let compute = |texts: &[String]| -> Vec<TokenVectors> {
            let batches = texts.chunks(BATCH);
            let computed = batches.flat_map(|batch| {
                let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
                model.embed_tokens(&batch)
            });
            computed.collect()
        };
        let computed: Vec<TokenVectors> = thread::scope(|scope| {
            let parts = texts
                .chunks(share)
                .map(|part| scope.spawn(move || compute(part)));
            let parts: Vec<_> = parts.collect();
            let joined = parts.into_iter().flat_map(|part| part.join().unwrap());
            joined.collect()
        });
        let known = texts.into_iter().zip(computed).collect();
        Self { model, known }
    }

    fn vectors(&self, text: &str) -> TokenVectors {
        let computed = || self.model.embed_tokens(&[text]).pop().unwrap();
        self.known.get(text).cloned().unwrap_or_else(computed)
    }

    /// Returns the positions of texts with their scores, best first.
    fn order(&self, question: &str, texts: &[&str]) -> Vec<(usize, f32)> {
        let question = self.vectors(question);
        let scored = texts.iter().enumerate();
        let mut scored: Vec<(usize, f32)> = scored
            .map(|(place, text)| (place, question.late_interaction(&self.vectors(text))))
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        scored
    }
}

/// Serves `/v1/rerank`, and the same order in the form of a chat model.
pub(crate) async fn serve(late: Arc<LateInteraction>) -> SocketAddr {
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let router = Router::new()
        .route("/v1/rerank", post(rerank))
        .route("/v1/chat/completions", post(chat))
        .with_state(late);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn rerank(State(late): State<Arc<LateInteraction>>, Json(body): Json<Value>) -> Json<Value> {
    let documents = body["documents"].as_array().unwrap().iter();
    let documents: Vec<&str> = documents.map(|text| text.as_str().unwrap()).collect();
    let order = late.order(body["query"].as_str().unwrap(), &documents);
    let result = |(index, score)| json!({"index": index, "relevance_score": score});
    Json(json!({"results": order.into_iter().map(result).collect::<Vec<Value>>()}))
}

async fn chat(State(late): State<Arc<LateInteraction>>, Json(body): Json<Value>) -> Json<Value> {
    let prompt = body["messages"][1]["content"].as_str().unwrap();
    let (question, mut rest) = prompt.split_once("\n\n").unwrap();
    let question = question.trim_start_matches("Question: ");
    let mut passages = Vec::new();
    // Passages are numbered from 1. A text may contain the same kind of mark with another number.
    while let Some(text) = rest.strip_prefix(&format!("[{}]\n", passages.len() + 1)) {
        let next = format!("\n\n[{}]\n", passages.len() + 2);
        let end = text.find(&next).unwrap_or(text.trim_end().len());
        passages.push(&text[..end]);
        rest = text.get(end + 2..).unwrap_or_default();
    }
    let order = late.order(question, &passages).into_iter();
    let order: Vec<usize> = order.map(|(place, _)| place + 1).collect();
    let content = json!({"order": order}).to_string();
    Json(json!({"choices": [{"message": {"role": "assistant", "content": content}}]}))
}
