//! Metrics of the whole fleet, read from the database. Every `ingest-api` reports the same values.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus::{GaugeVec, Opts, Registry};
use sqlx::PgPool;
use tarsy_model::SessionStatus;
use tarsy_queue::{QueueStats, WorkerStats};
use tarsy_store::gauges::{EndedSessions, LiveSessions, ModelUse};
use tarsy_store::pools::PoolFigures;
use tokio::sync::Mutex;

use crate::problem::Problem;
use crate::server::clock;
use crate::server::metrics::upkeep;
use crate::server::metrics::upkeep::Upkeep;

/// Minimum time between two reads.
const AGAIN: Duration = Duration::from_secs(5);
/// Timeout of a read.
const PATIENCE: Duration = Duration::from_secs(3);
/// Period of the recent figures. Prometheus keeps the history.
const RECENT: Duration = Duration::from_secs(300);

/// Gauges of the fleet.
#[derive(Debug)]
pub(super) struct Fleet {
    jobs: GaugeVec,
    oldest: GaugeVec,
    paused: GaugeVec,
    workers: GaugeVec,
    slots: GaugeVec,
    waits: GaugeVec,
    stages: GaugeVec,
    live: GaugeVec,
    ended: GaugeVec,
    calls: GaugeVec,
    failed: GaugeVec,
    tokens: GaugeVec,
    cost: GaugeVec,
    upkeep: Upkeep,
    /// Time of the last read; `None` if it failed or there was none.
    read_at: Arc<Mutex<Option<Instant>>>,
}

/// Figures that one read returns.
struct FleetFigures {
    queues: Vec<QueueStats>,
    workers: Vec<WorkerStats>,
    pools: Vec<PoolFigures>,
    /// Period over which the work of pools is counted, in seconds.
    seconds: f64,
    live: Vec<LiveSessions>,
    ended: Vec<EndedSessions>,
    models: Vec<ModelUse>,
    upkeep: upkeep::UpkeepFigures,
}

impl Fleet {
    pub(super) fn new(registry: &Registry) -> prometheus::Result<Self> {
        let gauge = |name: &str, help: &str, labels: &[&str]| {
            let gauge = GaugeVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(gauge.clone()))?;
            prometheus::Result::Ok(gauge)
        };
        Ok(Self {
            jobs: gauge(
                "tarsy_queue_jobs",
                "Jobs by queue and state: ready, scheduled, running, dead.",
                &["queue", "state"],
            )?,
            oldest: gauge(
                "tarsy_queue_oldest_ready_seconds",
                "How long the oldest ready job has waited.",
                &["queue"],
            )?,
            paused: gauge(
                "tarsy_queue_paused",
                "Whether the queue is paused.",
                &["queue"],
            )?,
            workers: gauge("tarsy_workers", "Live worker processes.", &["role"])?,
            slots: gauge(
                "tarsy_worker_slots",
                "Jobs that live workers can run at the same time.",
                &["role"],
            )?,
            waits: gauge(
                "tarsy_stage_wait_seconds",
                "How long stages that began in the last five minutes had waited for a worker, at most; on a busy fleet the newest.",
                &["pool", "percentile"],
            )?,
            stages: gauge(
                "tarsy_stages_ended_per_second",
                "Stages that ended in the last five minutes, a second; on a busy fleet the newest.",
                &["pool"],
            )?,
            live: gauge(
                "tarsy_sessions_live",
                "Sessions that have not ended.",
                &["status"],
            )?,
            ended: gauge(
                "tarsy_sessions_ended_last_5m",
                "Sessions that ended in the last five minutes.",
                &["status", "outcome"],
            )?,
            calls: gauge(
                "tarsy_llm_calls_last_5m",
                "Model calls that began in the last five minutes.",
                &["provider", "model"],
            )?,
            failed: gauge(
                "tarsy_llm_failures_last_5m",
                "Of the model calls of the last five minutes, those that failed.",
                &["provider", "model"],
            )?,
            tokens: gauge(
                "tarsy_llm_tokens_last_5m",
                "Tokens of the model calls of the last five minutes.",
                &["provider", "model", "direction"],
            )?,
            cost: gauge(
                "tarsy_llm_cost_usd_last_5m",
                "Estimated cost of the model calls of the last five minutes.",
                &["provider", "model"],
            )?,
            upkeep: Upkeep::new(registry)?,
            read_at: Arc::default(),
        })
    }

    /// Reads the figures, unless that was done less than [`AGAIN`] ago. Returns whether the
    /// database answered.
    pub(super) async fn read(&self, pool: &PgPool) -> bool {
        let mut read_at = self.read_at.lock().await;
        if read_at.is_some_and(|at| at.elapsed() < AGAIN) {
            return true;
        }
        let figures = tokio::time::timeout(PATIENCE, read_figures(pool)).await;
        // Reset all gauges, so that series of things that no longer exist disappear.
        self.forget();
        match figures {
            Ok(Ok(figures)) => {
                self.note(&figures);
                *read_at = Some(Instant::now());
            }
            _ => *read_at = None,
        }
        read_at.is_some()
    }

    fn forget(&self) {
        let all = [
            &self.jobs,
            &self.oldest,
            &self.paused,
            &self.workers,
            &self.slots,
            &self.waits,
            &self.stages,
            &self.live,
            &self.ended,
            &self.calls,
            &self.failed,
            &self.tokens,
            &self.cost,
        ];
        all.into_iter().for_each(GaugeVec::reset);
        self.upkeep.forget();
    }

    fn note(&self, figures: &FleetFigures) {
        self.upkeep.note(&figures.upkeep);
        for queue in &figures.queues {
            let name = queue.queue.as_str();
            for (state, jobs) in [
                ("ready", queue.ready),
                ("scheduled", queue.scheduled),
                ("running", queue.running),
                ("dead", queue.dead),
            ] {
                set(&self.jobs, &[name, state], jobs as f64);
            }
            let oldest = queue.oldest_ready_seconds.unwrap_or_default();
            set(&self.oldest, &[name], oldest);
            let paused = u8::from(queue.paused_at.is_some());
            set(&self.paused, &[name], f64::from(paused));
        }
        for worker in &figures.workers {
            let role = [worker.role.as_str()];
            self.workers.with_label_values(&role).inc();
            self.slots.with_label_values(&role).add(worker.slots.into());
        }
        for pool in &figures.pools {
            let name = pool.pool.as_str();
            for (percentile, ms) in [("50", pool.wait_p50_ms), ("95", pool.wait_p95_ms)] {
                if let Some(ms) = ms {
                    set(&self.waits, &[name, percentile], ms as f64 / 1_000.0);
                }
            }
            set(&self.stages, &[name], pool.ended as f64 / figures.seconds);
        }
        for status in [SessionStatus::Pending, SessionStatus::InProgress] {
            set(&self.live, &[status.as_str()], 0.0);
        }
        for live in &figures.live {
            set(&self.live, &[live.status.as_str()], live.sessions as f64);
        }
        for ended in &figures.ended {
            let outcome = ended.outcome.map_or("none", |outcome| outcome.as_str());
            let labels = [ended.status.as_str(), outcome];
            set(&self.ended, &labels, ended.sessions as f64);
        }
        for used in &figures.models {
            let (provider, model) = (used.provider.as_str(), used.model.as_str());
            set(&self.calls, &[provider, model], used.calls as f64);
            set(&self.failed, &[provider, model], used.failed as f64);
            set(&self.cost, &[provider, model], used.cost_usd);
            for (direction, tokens) in
                [("input", used.input_tokens), ("output", used.output_tokens)]
            {
                set(&self.tokens, &[provider, model, direction], tokens as f64);
            }
        }
    }
}

fn set(gauge: &GaugeVec, labels: &[&str], value: f64) {
    gauge.with_label_values(labels).set(value);
}

async fn read_figures(pool: &PgPool) -> Result<FleetFigures, Problem> {
    let mut conn = pool.acquire().await?;
    let recent_us = i64::try_from(RECENT.as_micros()).unwrap_or(i64::MAX);
    let now_us = clock::now_us();
    let since_us = now_us.saturating_sub(recent_us);
    let (counted_since_us, pools) = tarsy_store::pools::pool_figures(&mut conn, since_us).await?;
    Ok(FleetFigures {
        pools,
        seconds: ((now_us - counted_since_us) as f64 / 1e6).max(1.0),
        queues: tarsy_queue::queue_stats(&mut conn).await?,
        workers: tarsy_queue::list_workers(&mut conn).await?,
        live: tarsy_store::gauges::live_sessions(&mut conn).await?,
        ended: tarsy_store::gauges::ended_sessions(&mut conn, since_us).await?,
        models: tarsy_store::gauges::model_use(&mut conn, since_us).await?,
        upkeep: upkeep::read(&mut conn).await?,
    })
}
