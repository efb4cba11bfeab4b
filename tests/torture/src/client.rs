//! Sends alerts, with retries as real senders do, and records each response.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use uuid::Uuid;

/// Endpoint for an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// `POST /alerts`, with a key.
    Alerts,
    /// `POST /webhooks/alertmanager`.
    Webhook,
}

/// Record of one alert.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) key: String,
    /// Session ids of all 202 responses; they must be equal.
    pub(crate) accepted: Vec<Uuid>,
    /// Responses other than 202 and 503.
    pub(crate) strange: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) wait: Uuid,
    /// The response: `approved` or `denied`.
    pub(crate) status: String,
}

/// Posts alerts to one address.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    /// Runbook URL of full alerts; brief ones use a file.
    runbook: String,
    log: Arc<Mutex<Vec<Sent>>>,
    acts: Arc<Mutex<BTreeMap<u16, usize>>>,
    decisions: Arc<Mutex<Vec<Decision>>>,
}

const TRIES: usize = 8;

impl Client {
    pub(crate) fn new(url: String, runbook: String) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(4))
            .pool_max_idle_per_host(8)
            .build()?;
        Ok(Self {
            http,
            url,
            runbook,
            log: Arc::default(),
            acts: Arc::default(),
            decisions: Arc::default(),
        })
    }

    /// Posts one alert `times` times at once, and again until it is accepted or the attempts are used up.
    pub(crate) async fn send(&self, alert_type: &str, times: usize) -> Sent {
        self.send_by(Door::Alerts, alert_type, times).await
    }

    /// Posts like [`Client::send`], by this endpoint; the webhook's configuration sets the alert type.
    pub(crate) async fn send_by(&self, door: Door, alert_type: &str, times: usize) -> Sent {
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
                posts.spawn(async move { client.post(door, &alert_type, &key).await });
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
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push(sent.clone());
        sent
    }

    /// Posts a document that the API may refuse; returns whether it answered. An accepted one must end like any other
    /// alert.
    pub(crate) async fn post_document(&self, key: &str, body: String) -> bool {
        let request = self.http.post(format!("{}/alerts", self.url));
        let request = request
            .header("content-type", "application/json")
            .body(body);
        let Ok(response) = request.send().await else {
            return false;
        };
        let status = response.status();
        let body = response.json::<Value>().await.unwrap_or_default();
        let session = body["session_id"].as_str().and_then(|id| id.parse().ok());
        let failed = status.is_server_error() && status.as_u16() != 503;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push(Sent {
            key: key.to_owned(),
            accepted: session.into_iter().collect(),
            strange: failed
                .then(|| format!("{status}: {body}"))
                .into_iter()
                .collect(),
        });
        true
    }

    /// Whether the API answers an independent request.
    pub(crate) async fn is_alive(&self) -> bool {
        let fresh = reqwest::Client::builder().timeout(Duration::from_secs(2));
        let Ok(fresh) = fresh.build() else {
            return false;
        };
        let answer = fresh.get(format!("{}/livez", self.url)).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// Whether the API takes alerts of this type.
    pub(crate) async fn knows(&self, alert_type: &str) -> bool {
        let types = self.read("alert-types").await.unwrap_or_default();
        let mut types = types.as_array().into_iter().flatten();
        types.any(|known| known == alert_type)
    }

    /// Hash of the configuration that the API runs.
    pub(crate) async fn configuration(&self) -> Option<String> {
        let workers = self.read("api/v1/admin/workers").await?;
        workers["config_hash"].as_str().map(str::to_owned)
    }

    async fn read(&self, path: &str) -> Option<Value> {
        let answer = self.http.get(format!("{}/{path}", self.url)).send().await;
        answer.ok()?.json().await.ok()
    }

    /// Host and port of the API.
    pub(crate) fn address(&self) -> anyhow::Result<String> {
        let url = url::Url::parse(&self.url)?;
        let (host, port) = (url.host_str(), url.port());
        let both = host.zip(port).context("the API's address has no port")?;
        Ok(format!("{}:{}", both.0, both.1))
    }

    /// Base URL of the API.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends an operator's request; returns whether it was accepted. Every response is counted.
    pub(crate) async fn act(&self, path: &str, body: &Value) -> bool {
        let request = self.http.post(format!("{}/api/v1/admin/{path}", self.url));
        let Ok(response) = request.json(body).send().await else {
            return false;
        };
        let status = response.status();
        let mut acts = self.acts.lock().unwrap_or_else(PoisonError::into_inner);
        *acts.entry(status.as_u16()).or_default() += 1;
        status.is_success()
    }

    /// Decides a wait; returns whether the decision counts, as far as known.
    pub(crate) async fn decide(&self, wait: Uuid, decision: &str) -> bool {
        let request = self
            .http
            .post(format!("{}/api/v1/approvals/{wait}", self.url));
        let request = request.json(&json!({"decision": decision, "reason": "torture"}));
        let Ok(response) = request.send().await else {
            return false;
        };
        if !response.status().is_success() {
            return false;
        }
        let Ok(body) = response.json::<Value>().await else {
            return false;
        };
        let status = body["status"].as_str().unwrap_or_default().to_owned();
        let mut decisions = self
            .decisions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        decisions.push(Decision { wait, status });
        true
    }

    /// Sends a signal to a session; returns whether a stage waited for it.
    pub(crate) async fn signal(&self, session: Uuid, name: &str) -> bool {
        let path = format!("{}/api/v1/sessions/{session}/signals/{name}", self.url);
        let request = self.http.post(path);
        let request = request.json(&json!({"payload": {"from": "torture"}}));
        let answer = request.send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    pub(crate) fn decisions(&self) -> Vec<Decision> {
        let decisions = self
            .decisions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        decisions.clone()
    }

    /// Responses to operators, by status.
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

    fn alert(&self, alert_type: &str, key: &str) -> Value {
        let runbook = match alert_type {
            "Trouble" => &self.runbook,
            _ => "local:trouble.md",
        };
        json!({
            "alert_type": alert_type,
            "runbook": runbook,
            "severity": "critical",
            "data": {"incident": key, "note": "look at it"},
        })
    }

    async fn post(&self, door: Door, alert_type: &str, key: &str) -> Answer {
        let (path, body) = match door {
            Door::Alerts => ("alerts", self.alert(alert_type, key)),
            Door::Webhook => ("webhooks/alertmanager", webhook(key)),
        };
        let request = self.http.post(format!("{}/{path}", self.url));
        let request = match door {
            Door::Alerts => request.header("idempotency-key", key),
            // The webhook deduplicates by fingerprint and start time.
            Door::Webhook => request,
        };
        let Ok(response) = request.json(&body).send().await else {
            return Answer::None;
        };
        let status = response.status().as_u16();
        let Ok(body) = response.json::<Value>().await else {
            return Answer::None;
        };
        let outcome = match door {
            Door::Alerts => &body,
            Door::Webhook => &body["results"][0],
        };
        let session = outcome["session_id"].as_str();
        let session = session.and_then(|id| id.parse().ok());
        match (status, session) {
            (202, Some(session)) => Answer::Accepted(session),
            (503, _) => Answer::None,
            _ => Answer::Strange(format!("{status}: {body}")),
        }
    }
}

/// Returns a group of one alert, as Alertmanager repeats it.
fn webhook(key: &str) -> Value {
    let firing = json!({
        "status": "firing",
        "labels": {"alertname": "Brief", "severity": "critical"},
        "annotations": {"note": "look at it"},
        "startsAt": "2026-11-22T10:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": key,
        "incident": key,
    });
    json!({"version": "4", "status": "firing", "receiver": "tarsy", "groupKey": key, "alerts": [firing]})
}

enum Answer {
    Accepted(Uuid),
    /// Temporarily refused, or unknown.
    None,
    Strange(String),
}
