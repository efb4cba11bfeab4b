//! Counts and logs rejections, and queues them to be stored.

mod keeper;
mod text;

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use axum::http::{HeaderMap, StatusCode};
use prometheus::{IntCounterVec, Opts};
use serde_json::{Map, Value};
use sqlx::PgPool;
use tarsy_masking::Masker;
use tarsy_store::rejected_alerts::NewRejection;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::alerts::rejected::budget::Budget;
use crate::alerts::rejected::outcome::{Outcome, Outcomes, Refusal, RejectedAlert};
use crate::alerts::rejected::witness::Witness;
use crate::problem::Code;

/// Headers that identify a delivery and are stored with it; never credentials.
const KEPT_HEADERS: [&str; 8] = [
    "content-type",
    "user-agent",
    "webhook-id",
    "webhook-timestamp",
    "request-id",
    "x-amz-sns-message-id",
    "ce-id",
    "sentry-hook-resource",
];

/// Maximum number of rejections that wait to be stored.
const QUEUED: usize = 128;
/// Maximum number of alerts that a stored rejection and the log name.
const NAMED: usize = 50;

/// Returns the headers of a request that are in [`KEPT_HEADERS`].
pub(crate) fn kept_headers(headers: &HeaderMap) -> Value {
    let found = KEPT_HEADERS
        .iter()
        .filter_map(|name| Some((name, headers.get(*name)?.to_str().ok()?)));
    Value::Object(
        found
            .map(|(name, value)| ((*name).to_owned(), value.into()))
            .collect::<Map<_, _>>(),
    )
}

/// Journal of rejections: counts, logs and queues them.
#[derive(Debug)]
pub(crate) struct Journal {
    alerts: IntCounterVec,
    not_kept: IntCounterVec,
    budget: Budget,
    masker: RwLock<Arc<Masker>>,
    queue: mpsc::Sender<NewRejection>,
    queued: Mutex<Option<mpsc::Receiver<NewRejection>>>,
}

impl Journal {
    /// Creates a journal that masks with `masker`. [`Self::run`] writes the queued rejections.
    ///
    /// # Errors
    ///
    /// If the name of a metric is invalid, which would be a bug in this file.
    pub(crate) fn new(masker: Masker) -> prometheus::Result<Self> {
        let (queue, queued) = mpsc::channel(QUEUED);
        Ok(Self {
            alerts: IntCounterVec::new(
                Opts::new(
                    "tarsy_webhook_alerts_total",
                    "Alerts that this process was sent, by source and what became of them.",
                ),
                &["source", "result"],
            )?,
            not_kept: IntCounterVec::new(
                Opts::new(
                    "tarsy_rejected_alerts_not_kept_total",
                    "Rejected requests that are neither logged nor kept, by source and reason.",
                ),
                &["source", "reason"],
            )?,
            budget: Budget::default(),
            masker: RwLock::new(Arc::new(masker)),
            queue,
            queued: Mutex::new(Some(queued)),
        })
    }

    /// Replaces the masker.
    pub(crate) fn mask_with(&self, masker: Masker) {
        *self.masker.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(masker);
    }

    fn masker(&self) -> Arc<Masker> {
        Arc::clone(&self.masker.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the metrics, to be registered.
    pub(crate) fn figures(&self) -> [IntCounterVec; 2] {
        [self.alerts.clone(), self.not_kept.clone()]
    }

    /// Stores queued rejections until `stop`, and then those that are left.
    pub(crate) async fn run(&self, pool: &PgPool, stop: &CancellationToken) {
        let queued = self.queued.lock();
        let Some(queued) = queued.unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        keeper::run(queued, pool, &self.not_kept, stop).await;
    }

    /// Records an accepted request, of which some alerts may be rejected.
    pub(super) fn took(
        &self,
        source: &str,
        path: &str,
        witness: &Witness,
        status: StatusCode,
        outcomes: &Outcomes,
    ) {
        let mut rejected = Vec::new();
        for outcome in &outcomes.0 {
            match outcome {
                Outcome::Taken(result) => self.count(source, result),
                Outcome::Rejected(alert) => {
                    self.count(source, result_of(&alert.code));
                    rejected.push(alert.clone());
                }
            }
        }
        if let Some(first) = rejected.first() {
            let (code, detail) = (first.code.clone(), first.detail.clone());
            self.write(source, path, witness, (&code, status), &detail, rejected);
        }
    }

    /// Records a request that was refused as a whole.
    pub(super) fn refused(&self, source: &str, path: &str, witness: &Witness, refusal: &Refusal) {
        for alert in &refusal.alerts {
            self.count(source, result_of(&alert.code));
        }
        if refusal.alerts.is_empty() {
            self.count(source, refusal.code.as_str());
        }
        let answered = (refusal.code.as_str(), refusal.code.status());
        let (detail, alerts) = (&refusal.detail, refusal.alerts.clone());
        self.write(source, path, witness, answered, detail, alerts);
    }

    fn count(&self, source: &str, result: &str) {
        self.alerts.with_label_values(&[source, result]).inc();
    }

    fn write(
        &self,
        source: &str,
        path: &str,
        witness: &Witness,
        (code, status): (&str, StatusCode),
        detail: &str,
        mut alerts: Vec<RejectedAlert>,
    ) {
        let is_proven = witness.is_proven();
        if !self.budget.takes(source, is_proven, Instant::now()) {
            self.not_kept.with_label_values(&[source, "flood"]).inc();
            return;
        }
        let count = alerts.len();
        let masker = self.masker();
        alerts.truncate(NAMED);
        for alert in &mut alerts {
            alert.detail = text::short(&masker, &alert.detail);
            alert.fingerprint = text::short(&masker, &alert.fingerprint);
        }
        let detail = text::short(&masker, detail);
        log(source, code, &detail, count, &alerts);
        let seen = witness.request();
        let body = seen.map(|seen| text::body(&masker, &seen.body, is_proven));
        let rejection = NewRejection {
            rejection_id: Uuid::now_v7(),
            source: source.to_owned(),
            is_proven,
            path: text::short(&masker, path).chars().take(200).collect(),
            code: code.to_owned(),
            status: status.as_u16().into(),
            detail,
            alerts: serde_json::to_value(&alerts).unwrap_or_default(),
            author: seen.and_then(|seen| seen.author.clone()),
            content_type: seen
                .and_then(|seen| seen.headers.get("content-type")?.to_str().ok())
                .map(|text| text::short(&masker, text))
                .unwrap_or_default(),
            headers: text::headers(&masker, seen.map(|seen| &seen.headers)),
            body_bytes: seen.and_then(|seen| i64::try_from(seen.body.len()).ok()),
            is_whole: body.as_ref().is_some_and(|body| body.is_whole),
            body: body.map(|body| body.text).unwrap_or_default(),
        };
        if self.queue.try_send(rejection).is_err() {
            self.not_kept.with_label_values(&[source, "queue"]).inc();
        }
    }
}

/// Returns the metric label of a code. Only known codes become labels.
fn result_of(code: &str) -> &'static str {
    let known = Code::ALL.iter().find(|known| known.as_str() == code);
    known.map_or("rejected", |code| code.as_str())
}

fn log(source: &str, code: &str, detail: &str, count: usize, alerts: &[RejectedAlert]) {
    if alerts.is_empty() {
        tracing::warn!(source, code, reason = detail, "alert rejected");
    }
    for alert in alerts {
        tracing::warn!(
            source,
            alert.fingerprint,
            code = alert.code,
            reason = alert.detail,
            "alert rejected"
        );
    }
    if count > alerts.len() {
        let more = count - alerts.len();
        tracing::warn!(source, more, "further alerts of the same request rejected");
    }
}
