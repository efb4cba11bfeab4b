//! Fake models. They implement the wire formats, and compute their responses by counting words.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_knowledge::{Embedder, EndpointConfig, Models, Reranker};

/// Synonyms for `fake-embedder`. Each group is a dimension.
const MEANINGS: [&[&str]; 4] = [
    &["power", "electricity", "cable", "outage"],
    &["reboot", "restart", "rebooting", "reboots"],
    &["disk", "storage", "drive"],
    &["fan", "cooling", "spin"],
];

/// Serves `/v1/embeddings` as `fake-embedder`, `/v1/rerank` as `fake-reranker` and `/v1/chat/completions` as `fake-chat`.
pub(crate) struct FakeModels {
    address: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: AtomicUsize,
    /// Response to give instead, if set. A number is a status.
    override_answer: Mutex<Option<Value>>,
    last: Mutex<Value>,
}

impl FakeModels {
    pub(crate) async fn start() -> Self {
        rustls::crypto::ring::default_provider()
            .install_default()
            .ok();
        let seen = Arc::<Seen>::default();
        let router = Router::new()
            .route("/v1/embeddings", post(embeddings))
            .route("/v1/rerank", post(rerank))
            .route("/v1/chat/completions", post(chat))
            .with_state(Arc::clone(&seen));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, seen }
    }

    fn config(&self, path: &str, model: &str) -> EndpointConfig {
        EndpointConfig {
            url: format!("http://{}{path}", self.address),
            model: model.to_owned(),
            key: Some("k3y".to_owned()),
        }
    }

    pub(crate) fn embedder(&self) -> Embedder {
        self.embedder_named("fake-embedder")
    }

    pub(crate) fn embedder_named(&self, model: &str) -> Embedder {
        Embedder::new("test", &self.config("/v1/embeddings", model)).unwrap()
    }

    pub(crate) fn reranker(&self) -> Reranker {
        Reranker::new("test", &self.config("/v1/rerank", "fake-reranker")).unwrap()
    }

    pub(crate) fn chat_reranker(&self) -> Reranker {
        Reranker::new("test", &self.config("/v1/chat/completions", "fake-chat")).unwrap()
    }

    pub(crate) fn both(&self) -> Models {
        Models {
            embedder: Some(self.embedder()),
            reranker: Some(self.reranker()),
        }
    }

    /// Sets the response for all requests from now on. A number is a status.
    pub(crate) fn answer(&self, override_answer: Option<Value>) {
        *self.seen.override_answer.lock().unwrap() = override_answer;
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.requests.load(Ordering::Relaxed)
    }

    /// Returns the body of the last request.
    pub(crate) fn last(&self) -> Value {
        self.seen.last.lock().unwrap().clone()
    }
}

type Answer = (StatusCode, Json<Value>);

impl Seen {
    fn override_answer(&self, headers: &HeaderMap, body: &Value) -> Option<Answer> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        *self.last.lock().unwrap() = body.clone();
        if headers["authorization"] != "Bearer k3y" {
            return Some((StatusCode::UNAUTHORIZED, Json(json!({}))));
        }
        let override_answer = self.override_answer.lock().unwrap().clone()?;
        Some(match override_answer.as_u64() {
            Some(status) => {
                let status = StatusCode::from_u16(u16::try_from(status).unwrap()).unwrap();
                (status, Json(json!({})))
            }
            None => (StatusCode::OK, Json(override_answer)),
        })
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.map(str::to_lowercase).collect()
}

async fn embeddings(
    State(seen): State<Arc<Seen>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Answer {
    if let Some(override_answer) = seen.override_answer(&headers, &body) {
        return override_answer;
    }
    let one = |(index, text): (usize, &Value)| {
        let words = words(text.as_str().unwrap());
        let count = |group: &&[&str]| {
            let hits = words.iter().filter(|word| group.contains(&word.as_str()));
            hits.count() as f32
        };
        let mut vector: Vec<f32> = MEANINGS.iter().map(count).collect();
        vector.push(0.1);
        json!({"object": "embedding", "index": index, "embedding": vector})
    };
    let texts = body["input"].as_array().unwrap();
    // Not in order, as the API allows.
    let data: Vec<Value> = texts.iter().enumerate().rev().map(one).collect();
    let answer = json!({"object": "list", "data": data, "model": body["model"]});
    (StatusCode::OK, Json(answer))
}

/// Prefers texts that contain the question's last word. `return_documents` is off, so it returns only numbers.
async fn rerank(
    State(seen): State<Arc<Seen>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Answer {
    if let Some(override_answer) = seen.override_answer(&headers, &body) {
        return override_answer;
    }
    let documents = body["documents"].as_array().unwrap().iter();
    let documents = documents.map(|text| text.as_str().unwrap());
    let results = liked(body["query"].as_str().unwrap(), documents);
    let result = |(index, score): (usize, f32)| json!({"index": index, "relevance_score": score});
    let results: Vec<Value> = results.into_iter().map(result).collect();
    (StatusCode::OK, Json(json!({"results": results})))
}

/// The same as a chat model. It lists the passages that contain the word, and does not return pure JSON.
async fn chat(
    State(seen): State<Arc<Seen>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Answer {
    if let Some(override_answer) = seen.override_answer(&headers, &body) {
        return override_answer;
    }
    let prompt = body["messages"][1]["content"].as_str().unwrap();
    let (question, passages) = prompt.split_once("\n\n[1]\n").unwrap();
    let passages = passages.split("\n\n[");
    let order = liked(question, passages).into_iter();
    let order: Vec<usize> = order
        .filter(|(_, hits)| *hits > 0.0)
        .map(|(index, _)| index + 1)
        .collect();
    let content = format!("Sure:\n```json\n{}\n```", json!({"order": order}));
    let message = json!({"role": "assistant", "content": content});
    (
        StatusCode::OK,
        Json(json!({"choices": [{"index": 0, "message": message}]})),
    )
}

/// Orders texts by how often they contain the question's last word.
fn liked<'t>(question: &str, texts: impl Iterator<Item = &'t str>) -> Vec<(usize, f32)> {
    let wanted = words(question).pop().unwrap();
    let mut results: Vec<(usize, f32)> = texts
        .enumerate()
        .map(|(index, text)| {
            let words = words(text);
            let hits = words.iter().filter(|word| **word == wanted).count();
            (index, hits as f32)
        })
        .collect();
    results.sort_by(|a, b| b.1.total_cmp(&a.1));
    results
}
