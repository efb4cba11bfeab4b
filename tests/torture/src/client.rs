//! Whoever sends alerts: posts them, tries again as real senders do, and remembers each answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

/// What the sender knows of one alert.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    /// Made posting it again safe.
    pub(crate) key: String,
    /// Session ids of all 202s that it got; they must be one.
    pub(crate) accepted: Vec<Uuid>,
    /// Answers that were neither 202 nor 503.
    pub(crate) strange: Vec<String>,
}

/// Posts alerts to one address.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    log: Arc<Mutex<Vec<Sent>>>,
    acts: Arc<Mutex<BTreeMap<u16, usize>>>,
}

/// Tries of one alert.
const TRIES: usize = 8;

impl Client {
    pub(crate) fn new(url: String) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(4))
            .pool_max_idle_per_host(8)
            .build()?;
        Ok(Self {
            http,
            url,
            log: Arc::default(),
            acts: Arc::default(),
        })
    }

    /// Post one alert, `times` at once, and again until it is accepted or the sender gives up.
    pub(crate) async fn send(&self, alert_type: &str, times: usize) {
        let key = format!("incident-{}", &Uuid::new_v4().simple().to_string()[..12]);
        let mut sent = Sent {
            key: key.clone(),
            accepted: Vec::new(),
            strange: Vec::new(),
        };
        for attempt in 0..TRIES {
            let mut posts = tokio::task::JoinSet::new();
            for _ in 0..times {
                let (client, key, alert_type) = (self.clone(), key.clone(), alert_type.to_owned());
                posts.spawn(async move { client.post(&alert_type, &key).await });
            }
            for answer in posts.join_all().await {
                match answer {
                    Answer::Accepted(session) => sent.accepted.push(session),
                    Answer::Strange(what) => sent.strange.push(what),
                    Answer::None => {}
                }
            }
            if !sent.accepted.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(300 << attempt.min(4))).await;
        }
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sent);
    }

    /// Where the API is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Act as an operator; what is refused is noted if the refusal is a strange one.
    pub(crate) async fn act(&self, path: &str, body: &Value) {
        let request = self.http.post(format!("{}/api/v1/admin/{path}", self.url));
        let Ok(response) = request.json(body).send().await else {
            return;
        };
        let status = response.status().as_u16();
        let mut acts = self.acts.lock().unwrap_or_else(PoisonError::into_inner);
        *acts.entry(status).or_default() += 1;
    }

    /// How often operators were answered with which status.
    pub(crate) fn acts(&self) -> BTreeMap<u16, usize> {
        let acts = self.acts.lock().unwrap_or_else(PoisonError::into_inner);
        acts.clone()
    }

    pub(crate) fn log(&self) -> Vec<Sent> {
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn post(&self, alert_type: &str, key: &str) -> Answer {
        let body = json!({
            "alert_type": alert_type,
            "runbook": "local:trouble.md",
            "severity": "critical",
            "data": {"incident": key, "note": "look at it"},
        });
        let request = self
            .http
            .post(format!("{}/alerts", self.url))
            .header("idempotency-key", key);
        let Ok(response) = request.json(&body).send().await else {
            return Answer::None;
        };
        let status = response.status().as_u16();
        let Ok(body) = response.json::<Value>().await else {
            return Answer::None;
        };
        let session = body["session_id"].as_str().and_then(|id| id.parse().ok());
        match (status, session) {
            (202, Some(session)) => Answer::Accepted(session),
            (503, _) => Answer::None,
            _ => Answer::Strange(format!("{status}: {body}")),
        }
    }
}

enum Answer {
    Accepted(Uuid),
    /// Refused for now, or nobody knows.
    None,
    Strange(String),
}
