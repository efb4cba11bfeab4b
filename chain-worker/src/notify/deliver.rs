//! Delivers notifications: one POST per job of the queue `webhook`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{SecondsFormat, Utc};
use rand::Rng as _;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sqlx::PgPool;
use tarsy_egress::{Access, Client, Policy, SystemLookup};
use tarsy_failpoint::reached;
use tarsy_queue::{BoxError, Handler, Job, NewJob, Outcome, within_deadline};
use tarsy_store::{Attempt, DueDelivery};
use uuid::Uuid;

use super::{Target, message, signature};

/// Queue of deliveries.
pub const WEBHOOK_QUEUE: &str = tarsy_store::DELIVERY_QUEUE;
/// Kind of its jobs; the subject is the delivery.
pub(crate) const DELIVERY_JOB: &str = tarsy_store::DELIVERY_KIND;

/// Waits after failed attempts, as Standard Webhooks recommend; after the last, it has failed.
const WAITS: [Duration; 7] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3_600),
    Duration::from_secs(5 * 3_600),
    Duration::from_secs(10 * 3_600),
    Duration::from_secs(14 * 3_600),
];
/// Longest wait for a target.
const PATIENCE: Duration = Duration::from_secs(10);
/// What is read of an answer; nobody looks at it.
const LARGEST: usize = 64 * 1024;

/// The job that makes a delivery; one at a time.
#[must_use]
pub fn delivery_job(delivery_id: Uuid) -> NewJob {
    NewJob::new(WEBHOOK_QUEUE, DELIVERY_JOB, delivery_id)
        .unique_key(format!("delivery:{delivery_id}"))
}

/// Makes deliveries.
///
/// Idempotent as far as it can be: a delivery that was taken is not posted again, and one
/// whose answer was lost is posted with the id it had.
#[derive(Clone)]
pub struct Notifier {
    pool: PgPool,
    targets: Arc<HashMap<String, (Target, Client)>>,
}

impl Notifier {
    /// A notifier for these targets. The process must have installed its TLS provider.
    #[must_use]
    pub fn new(pool: PgPool, targets: Vec<Target>) -> Self {
        let mut clients = HashMap::new();
        for target in targets {
            let access = Access {
                private: target.private,
                http: target.http,
            };
            let host = target.url.host_str().unwrap_or_default();
            let host = target
                .url
                .port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
            let policy = Policy::bounded(PATIENCE, LARGEST).allow(&host, access);
            match Client::new(policy, Arc::new(SystemLookup)) {
                Ok(client) => {
                    clients.insert(target.name.clone(), (target, client));
                }
                Err(error) => tracing::error!(
                    ?error,
                    target = target.name,
                    "failed to set up the client of a notification target"
                ),
            }
        }
        Self {
            pool,
            targets: Arc::new(clients),
        }
    }

    async fn deliver(&self, job: &Job) -> Result<Outcome, BoxError> {
        let delivery_id = job.subject();
        let due = within_deadline(async {
            tarsy_store::due_delivery(&mut *self.pool.acquire().await?, delivery_id).await
        })
        .await?;
        let Some(due) = due else {
            return Ok(Outcome::Done);
        };
        let posted = match self.targets.get(&due.target) {
            Some((target, client)) => tokio::select! {
                posted = post(target, client, delivery_id, &due) => posted,
                _ = job.stop().stopped() => return Ok(Outcome::Release),
            },
            None => Err((None, "the target is not configured".to_owned())),
        };
        let wait = usize::try_from(due.attempts)
            .ok()
            .and_then(|made| WAITS.get(made));
        let (response_status, error) = match posted {
            Ok(status) => (Some(status), None),
            Err((status, error)) => (status, Some(error)),
        };
        // 410 says: never again.
        let again = wait.filter(|_| error.is_some() && response_status != Some(410));
        if let Some(error) = &error {
            tracing::warn!(delivery.id = %delivery_id, target = due.target, error, again = again.is_some(), "failed to deliver a notification");
        }
        let attempt = Attempt {
            response_status,
            error,
            again: again.is_some(),
        };
        within_deadline(async {
            let mut conn = self.pool.acquire().await?;
            reached("lone.note_attempt.before_commit");
            tarsy_store::note_attempt(&mut conn, delivery_id, &attempt).await?;
            reached("lone.note_attempt.after_commit");
            Ok::<_, tarsy_store::Error>(())
        })
        .await?;
        Ok(again.map_or(Outcome::Done, |wait| {
            Outcome::Snooze(wait.mul_f64(rand::rng().random_range(1.0..1.2)))
        }))
    }
}

impl Handler for Notifier {
    async fn handle(&self, job: Job) -> Outcome {
        self.deliver(&job).await.unwrap_or_else(Outcome::Retry)
    }
}

/// Post once; the status of an answer that is a yes, else why not. Nothing of what the target
/// answered is kept: it may be anything.
async fn post(
    target: &Target,
    client: &Client,
    id: Uuid,
    due: &DueDelivery,
) -> Result<i32, (Option<i32>, String)> {
    let now = Utc::now();
    let body = message::body(
        target.format,
        due,
        &now.to_rfc3339_opts(SecondsFormat::Millis, true),
    )
    .to_string();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(secret) = &target.secret {
        let (id, seconds) = (id.to_string(), now.timestamp());
        let signed = signature::sign(secret, &id, seconds, &body);
        let signed = signed.ok_or((None, "the secret is not `whsec_` and base64".to_owned()))?;
        for (name, value) in [
            ("webhook-id", id),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signed),
        ] {
            let value = HeaderValue::from_str(&value).map_err(|error| (None, error.to_string()))?;
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    let answer = client
        .post(target.url.clone(), headers, body)
        .await
        .map_err(|error| (None, error.to_string()))?;
    let status = i32::from(answer.status.as_u16());
    if answer.status.is_success() {
        Ok(status)
    } else {
        Err((Some(status), format!("answered {status}")))
    }
}
