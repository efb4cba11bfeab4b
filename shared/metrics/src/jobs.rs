//! Metrics of job claims, leases and outcomes.

use std::sync::LazyLock;

use prometheus::{GaugeVec, IntCounter, IntCounterVec, Result};

use crate::exemplar::DurationHistogram;
use crate::factory::{LazyMetrics, MetricFactory};

/// Buckets for jobs and stages, in seconds: from a short decision to a long investigation.
const SECONDS: [f64; 14] = [
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0,
];

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<JobMetrics> =
    LazyLock::new(|| JobMetrics::new(&MetricFactory::shared()));

/// Metrics of a worker's jobs.
pub(crate) struct JobMetrics {
    claimed: IntCounterVec,
    waits: DurationHistogram,
    ended: IntCounterVec,
    seconds: DurationHistogram,
    lost: IntCounterVec,
    renewals: IntCounterVec,
    recovered: IntCounter,
    in_trouble: GaugeVec,
    shortages: IntCounterVec,
    stages: DurationHistogram,
    over_budget: IntCounterVec,
}

impl JobMetrics {
    pub(crate) fn new(make: &MetricFactory) -> Result<Self> {
        Ok(Self {
            claimed: make.counters(
                "tarsy_worker_claims_total",
                "Jobs that this process claimed.",
                &["queue"],
            )?,
            waits: make.durations(
                "tarsy_worker_job_wait_seconds",
                "Time that jobs had been ready when this process claimed them; 0 for the next stage of a chain that it goes on with.",
                &["queue"],
                &SECONDS,
            )?,
            ended: make.counters(
                "tarsy_worker_jobs_total",
                "Claims of this process that ended, by outcome: done, retry, snooze, cancelled, undecodable, released, lost, abandoned.",
                &["queue", "outcome"],
            )?,
            seconds: make.durations(
                "tarsy_worker_job_duration_seconds",
                "Time from a claim to its end.",
                &["queue"],
                &SECONDS,
            )?,
            lost: make.counters(
                "tarsy_worker_lost_claims_total",
                "Claims of this process that others took over before they ended.",
                &["queue"],
            )?,
            renewals: make.counters(
                "tarsy_worker_lease_renewals_total",
                "Renewals of this process's leases, by result: ok, failed.",
                &["result"],
            )?,
            recovered: make.counters(
                "tarsy_worker_recovered_jobs_total",
                "Jobs that this process took from dead or frozen ones.",
                &[],
            )?
            .with_label_values::<&str>(&[]),
            in_trouble: make.gauges(
                "tarsy_worker_in_trouble",
                "Whether something keeps this process's worker of a role from its work.",
                &["role"],
            )?,
            shortages: make.counters(
                "tarsy_worker_shortages_total",
                "Times that this process stopped claiming because its machine ran short of something: process_files, machine_files, processes, memory, disk.",
                &["resource"],
            )?,
            stages: make.durations(
                "tarsy_stage_duration_seconds",
                "Time that this process ran a stage, by how the run ended: completed, failed, snoozed, waiting, retried, handed_over, stopped.",
                &["pool", "end"],
                &SECONDS,
            )?,
            over_budget: make.counters(
                "tarsy_stages_over_budget_total",
                "Stages that this process did not begin because their chain or the fleet had spent its money of the day.",
                &["chain"],
            )?,
        })
    }
}

/// Creates the series of these queues, so that they start at 0. A rate misses the first event of a counter that starts
/// at 1.
pub fn serve(queues: &[String]) {
    let Ok(metrics) = &*METRICS else { return };
    let jobs = metrics;
    for result in ["ok", "failed"] {
        jobs.renewals.with_label_values(&[result]);
    }
    for queue in queues {
        jobs.claimed.with_label_values(&[queue]);
        jobs.lost.with_label_values(&[queue]);
        for outcome in ["done", "retry", "released", "lost"] {
            jobs.ended.with_label_values(&[queue.as_str(), outcome]);
        }
        if let Some(pool) = queue.strip_prefix("stage:") {
            for end in ["completed", "failed"] {
                jobs.stages.begin(&[pool, end]);
            }
        }
    }
}

/// Counts a claim on a job that had been ready for `waited_seconds`.
pub fn claimed(queue: &str, waited_seconds: f64) {
    if let Ok(metrics) = &*METRICS {
        let jobs = metrics;
        jobs.claimed.with_label_values(&[queue]).inc();
        jobs.waits.observe(&[queue], waited_seconds);
    }
}

/// Counts the end of a claim.
pub fn ended(queue: &str, outcome: &'static str, seconds: f64) {
    if let Ok(metrics) = &*METRICS {
        let jobs = metrics;
        jobs.ended.with_label_values(&[queue, outcome]).inc();
        jobs.seconds.observe(&[queue], seconds);
    }
}

/// Counts a claim that another process took over.
pub fn lost(queue: &str) {
    if let Ok(metrics) = &*METRICS {
        metrics.lost.with_label_values(&[queue]).inc();
    }
}

/// Counts a renewal of all leases.
pub fn renewed(is_ok: bool) {
    if let Ok(metrics) = &*METRICS {
        let result = if is_ok { "ok" } else { "failed" };
        metrics.renewals.with_label_values(&[result]).inc();
    }
}

/// Counts a job that was taken from a dead or frozen process.
pub fn recovered() {
    if let Ok(metrics) = &*METRICS {
        metrics.recovered.inc();
    }
}

/// Records whether the worker of a role is kept from its work.
pub fn in_trouble(role: &str, is_in_trouble: bool) {
    if let Ok(metrics) = &*METRICS {
        let value = f64::from(u8::from(is_in_trouble));
        metrics.in_trouble.with_label_values(&[role]).set(value);
    }
}

/// Counts a shortage of the machine.
pub fn ran_short(resource: &'static str) {
    if let Ok(metrics) = &*METRICS {
        metrics.shortages.with_label_values(&[resource]).inc();
    }
}

/// Counts a run of a stage.
pub fn stage_ran(pool: &str, end: &'static str, seconds: f64) {
    if let Ok(metrics) = &*METRICS {
        metrics.stages.observe(&[pool, end], seconds);
    }
}

/// Counts a stage that was not begun because a spending limit was reached.
pub fn over_budget(chain: &str) {
    if let Ok(metrics) = &*METRICS {
        metrics.over_budget.with_label_values(&[chain]).inc();
    }
}
