//! Delivers notifications: one POST per job of the queue `webhook`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{SecondsFormat, Utc};
use rand::Rng as _;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sqlx::PgPool;
use tarsy_config::AlertMasker;
use tarsy_egress::{Client, retry_after};
use tarsy_failpoint::reached;
use tarsy_queue::{BoxError, Handler, Job, NewJob, Outcome, within_deadline};
use tarsy_store::deliveries::{Attempt, DueDelivery, QUESTION_ANSWERED, SESSION_STARTED};
use tokio::sync::watch;
use uuid::Uuid;

use super::attempt::{Receipt, Refusal};
use super::message::Message;
use super::pacing::Pacing;
use super::subject::Subject;
use super::{Target, signature, slack, write_back};
use crate::setup::ChainSetup;

/// Queue of delivery jobs.
pub const WEBHOOK_QUEUE: &str = tarsy_store::deliveries::DELIVERY_QUEUE;
/// Kind of delivery jobs. The subject is the delivery.
pub(crate) const DELIVERY_JOB: &str = tarsy_store::deliveries::DELIVERY_KIND;

/// Delays after failed attempts, as recommended by Standard Webhooks. After the last one, the delivery has failed.
const WAITS: [Duration; 7] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3_600),
    Duration::from_secs(5 * 3_600),
    Duration::from_secs(10 * 3_600),
    Duration::from_secs(14 * 3_600),
];
/// How long a target's rate limit may postpone a delivery before attempts are counted again, in seconds.
const LONGEST_LIMITED: f64 = 86_400.0;
/// Maximum time that a message waits for the one that opens its thread, in seconds.
const LONGEST_WAIT_FOR_EARLIER: f64 = 3_600.0;

/// Creates the job of a delivery. At most one exists at a time.
#[must_use]
pub fn delivery_job(delivery_id: Uuid) -> NewJob {
    NewJob::new(WEBHOOK_QUEUE, DELIVERY_JOB, delivery_id)
        .unique_key(format!("delivery:{delivery_id}"))
}

/// Makes deliveries.
///
/// Idempotent as far as possible: an accepted delivery is not posted again, and one whose response was lost is posted
/// with the same id.
#[derive(Clone)]
pub struct Notifier {
    pool: PgPool,
    setup: watch::Receiver<Arc<ChainSetup>>,
    pacing: Arc<Pacing>,
    public_url: Option<Arc<str>>,
}

impl Notifier {
    /// Creates a notifier for the targets in `setup`. Messages link to sessions at `public_url`, the address of the
    /// dashboard for people.
    #[must_use]
    pub fn new(
        pool: PgPool,
        setup: watch::Receiver<Arc<ChainSetup>>,
        public_url: Option<&str>,
    ) -> Self {
        Self {
            pool,
            setup,
            pacing: Arc::default(),
            public_url: public_url.map(Arc::from),
        }
    }

    async fn deliver(&self, job: &Job) -> Result<Outcome, BoxError> {
        let delivery_id = job.subject();
        let due = within_deadline(async {
            tarsy_store::deliveries::due_delivery(&mut *self.pool.acquire().await?, delivery_id)
                .await
        })
        .await?;
        let Some(due) = due else {
            return Ok(Outcome::Done);
        };
        let setup = Arc::clone(&self.setup.borrow());
        let recipient = setup.notify.get(&due.target);
        let is_slack_app = recipient.is_some_and(|(target, _)| target.slack.is_some());
        if let Some(wait) = until_due(&due, is_slack_app) {
            return Ok(Outcome::Snooze(wait));
        }
        if let Some(wait) = self.pacing.wait(&due.target, delivery_id, Instant::now()) {
            return Ok(Outcome::Snooze(wait));
        }
        let posted = match recipient {
            // No longer news: a separate delivery reports the end.
            Some(_) if due.event == SESSION_STARTED && due.completed_at_us.is_some() => {
                Ok(Receipt::with(None))
            }
            Some(recipient) => tokio::select! {
                posted = self.post(recipient, &setup.masker, job, &due) => posted,
                _ = job.stop().stopped() => return Ok(Outcome::Release),
            },
            None => Err(Refusal::unanswered(
                "the target is not configured".to_owned(),
            )),
        };
        if let Err(refusal) = &posted
            && let (Some(status), Some(retry_after)) = (refusal.status, refusal.retry_after)
            && due.age_seconds < LONGEST_LIMITED
        {
            tarsy_metrics::deliveries::attempted(&due.target, "rate_limited");
            return self
                .put_off(delivery_id, &due.target, status, retry_after)
                .await;
        }
        let wait = usize::try_from(due.attempts)
            .ok()
            .and_then(|made| WAITS.get(made));
        let (taken, error, is_final) = match posted {
            Ok(taken) => {
                self.pacing.speed_up(&due.target);
                (taken, None, false)
            }
            Err(refusal) => (
                Receipt::with(refusal.status),
                Some(refusal.error),
                refusal.is_final,
            ),
        };
        let again = wait.filter(|_| error.is_some() && !is_final);
        if let Some(error) = &error {
            tracing::warn!(delivery.id = %delivery_id, target = due.target, error, again = again.is_some(), "failed to deliver a notification");
        }
        let result = match (&error, again) {
            (None, _) => "sent",
            (Some(_), Some(_)) => "retried",
            (Some(_), None) => "failed",
        };
        tarsy_metrics::deliveries::attempted(&due.target, result);
        if error.is_none() {
            tracing::info!(
                session.id = %due.session_id, delivery.id = %delivery_id, target = due.target, event = due.event,
                "notification delivered"
            );
        }
        let attempt = Attempt {
            response_status: taken.status,
            error,
            again: again.is_some(),
            slack_thread: taken.slack_thread,
            message_ts: taken.message_ts,
        };
        within_deadline(async {
            let mut conn = self.pool.acquire().await?;
            reached("lone.note_attempt.before_commit");
            tarsy_store::deliveries::note_attempt(&mut conn, delivery_id, &attempt).await?;
            reached("lone.note_attempt.after_commit");
            Ok::<_, tarsy_store::Error>(())
        })
        .await?;
        Ok(again.map_or(Outcome::Done, |wait| {
            Outcome::Snooze(wait.mul_f64(rand::rng().random_range(1.0..1.2)))
        }))
    }

    /// Waits for the target's rate limit. Counts no attempt.
    async fn put_off(
        &self,
        delivery_id: Uuid,
        target: &str,
        status: i32,
        retry_after: Duration,
    ) -> Result<Outcome, BoxError> {
        let wait = self
            .pacing
            .limited(target, delivery_id, retry_after, Instant::now());
        tracing::info!(delivery.id = %delivery_id, target, ?wait, "the target limits its rate; the notification waits");
        within_deadline(async {
            let mut conn = self.pool.acquire().await?;
            reached("lone.note_rate_limit.before_commit");
            let error = format!("answered {status}: rate limited");
            tarsy_store::deliveries::note_rate_limit(&mut conn, delivery_id, status, &error)
                .await?;
            reached("lone.note_rate_limit.after_commit");
            Ok::<_, tarsy_store::Error>(())
        })
        .await?;
        Ok(Outcome::Snooze(wait))
    }

    /// Posts once. Returns a receipt if the target accepted it, or else the reason. Does not store the response body,
    /// which may contain anything.
    async fn post(
        &self,
        (target, client): (&Target, &Client),
        masker: &AlertMasker,
        job: &Job,
        due: &DueDelivery,
    ) -> Result<Receipt, Refusal> {
        let id = job.subject();
        let now = Utc::now();
        let link = self.public_url.as_ref();
        let page = due.conversation_id.unwrap_or(due.session_id);
        let link = link.map(|url| format!("{url}/dashboard/sessions/{page}"));
        let mut due = due.clone();
        if let Some(reason) = due.wait.as_mut().and_then(|wait| wait.reason.as_mut()) {
            *reason = masker.text(reason);
        }
        let due = &due;
        let alert = masker.json(&due.alert_data);
        let message = Message {
            due,
            subject: &Subject::from_alert(&alert),
            question: alert["question"].as_str(),
            link: link.as_deref(),
        };
        // The job was claimed before, so its message may already be posted.
        let is_repeated = job.claim().epoch > 1 || due.attempts > 0;
        if let Some(slack) = &target.slack {
            return match &due.updates {
                Some(posted) => slack::update(slack, posted, &message).await,
                None => slack::post(slack, id, &message, is_repeated).await,
            };
        }
        if let Some(with) = &target.write_back {
            return write_back::post((target, client), with, id, &message, is_repeated).await;
        }
        let body = message
            .body(
                target.format,
                &now.to_rfc3339_opts(SecondsFormat::Millis, true),
            )
            .to_string();
        let headers = headers(target, id, now.timestamp(), &body).map_err(Refusal::unanswered)?;
        let answer = client
            .post(target.url.clone(), headers, body)
            .await
            .map_err(|error| Refusal::unanswered(error.to_string()))?;
        let status = i32::from(answer.status.as_u16());
        if answer.status.is_success() {
            return Ok(Receipt::with(Some(status)));
        }
        let is_limited = matches!(
            answer.status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        );
        Err(Refusal {
            status: Some(status),
            error: format!("answered {status}"),
            retry_after: retry_after(&answer.headers).filter(|_| is_limited),
            // 410 means that the target will never accept it.
            is_final: answer.status == StatusCode::GONE,
        })
    }
}

impl Handler for Notifier {
    async fn handle(&self, job: Job) -> Outcome {
        self.deliver(&job).await.unwrap_or_else(Outcome::Retry)
    }
}

/// Returns the delay if a delivery must wait for something else; `None` if it is due now.
fn until_due(due: &DueDelivery, is_slack_app: bool) -> Option<Duration> {
    if let Some(message) = due.updates.as_ref().filter(|message| message.is_pending) {
        return Some(again(message.age_seconds, 300.0));
    }
    if due.event == QUESTION_ANSWERED && due.completed_at_us.is_none() {
        return Some(again(due.age_seconds, 30.0));
    }
    // The first message opens the thread. Two messages at the same time would open two threads.
    let opens_thread = is_slack_app && due.slack_thread.is_none();
    let waits =
        opens_thread && due.has_earlier_message && due.age_seconds < LONGEST_WAIT_FOR_EARLIER;
    waits.then(|| again(due.age_seconds, 30.0))
}

/// Returns the delay before the next check. It grows with the age of what the delivery waits for.
fn again(age_seconds: f64, longest: f64) -> Duration {
    Duration::from_secs_f64((age_seconds / 10.0).clamp(1.0, longest))
}

/// Returns the headers of a post, with its signature if the target has a secret.
fn headers(target: &Target, id: Uuid, seconds: i64, body: &str) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let Some(secret) = &target.secret else {
        return Ok(headers);
    };
    let id = id.to_string();
    let signed = signature::sign(secret, &id, seconds, body);
    let signed = signed.ok_or("the secret is not `whsec_` and base64")?;
    for (name, value) in [
        ("webhook-id", id),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", signed),
    ] {
        let value = HeaderValue::from_str(&value).map_err(|error| error.to_string())?;
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}
