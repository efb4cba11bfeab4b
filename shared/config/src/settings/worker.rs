//! Chain workers, stage workers and the queue between them.

use std::collections::BTreeSet;
use std::time::Duration;

use tarsy_model::Pool;

use super::reader::Reader;

/// Settings of a `stage-worker`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageWorkerSettings {
    /// `TARSY_STAGE_POOLS`: pools from which it claims stages, comma-separated. Default `default`.
    pub pools: Vec<Pool>,
    /// `TARSY_STAGE_CONCURRENCY`: number of stages that run at once. Default 5.
    pub concurrency: usize,
    /// `TARSY_STREAM_ANSWERS`: whether subscribers see the answers of models while they are written. Default on. If
    /// off, providers are asked for complete answers.
    pub stream_answers: bool,
}

/// Settings of a `chain-worker`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainWorkerSettings {
    /// `TARSY_CHAIN_CONCURRENCY`: number of chains that are decided at once. Default 16.
    pub concurrency: usize,
    /// `TARSY_PUBLIC_URL`: URL at which people reach the dashboard, without a trailing slash. Messages link to sessions
    /// there. No default: then messages contain no link.
    pub public_url: Option<String>,
}

/// Settings of claims, leases, draining and polling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// `TARSY_LEASE_TTL`: lease. Postgres may be unreachable this long without any effect on a worker. Default 10 s, at
    /// least 1 s. Claims are renewed every sixth of it. A worker gives up a claim a quarter of the lease after it ends,
    /// and another takes the claim over a third after it ends.
    pub lease_ttl: Duration,
    /// `TARSY_DRAIN_GRACE`: grace period for running jobs after SIGTERM. Default 30 s.
    /// Keep the orchestrator's own grace period longer.
    pub drain_grace: Duration,
    /// `TARSY_POLL_INTERVAL`: interval of polling, which finds jobs whose wake-up was missed. Default 250 ms, with
    /// jitter.
    pub poll_interval: Duration,
    /// `TARSY_MAX_CRASHES`: worker crashes after which a stage fails. Default 4, from 3 to 100. The first two crashes
    /// may have had other causes; after them the stage runs alone in its worker.
    pub max_crashes: u32,
    /// `TARSY_SCHEDULE_TIMEOUT`: longest wait of a stage while no live worker can run it, after which it fails. A
    /// stage's `schedule_timeout` overrides it. Default 15 min.
    pub schedule_timeout: Duration,
}

/// Shortest and longest time that a stage may wait for a worker that can run it.
pub(crate) const SCHEDULE_TIMEOUTS: (Duration, Duration) =
    (Duration::from_secs(1), Duration::from_secs(7 * 86_400));

impl StageWorkerSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let written = reader
            .text(
                "TARSY_STAGE_POOLS",
                "default",
                "pools that this worker claims stages from, comma-separated",
            )
            .unwrap_or("default");
        let names: Vec<&str> = written.split(',').map(str::trim).collect();
        if names.iter().any(|name| !Pool::is_name(name)) {
            reader.problem(
                "`TARSY_STAGE_POOLS`: invalid pool name".to_owned(),
                "use a-z, 0-9, `-` and `_`, at most 63 characters, e.g. `default,gpu`",
            );
        }
        let distinct: BTreeSet<&str> = names.into_iter().collect();
        Self {
            pools: distinct.into_iter().map(Pool::from).collect(),
            concurrency: count(
                reader,
                "TARSY_STAGE_CONCURRENCY",
                5,
                "stages that run at once in this worker",
            ),
            stream_answers: reader.switch(
                "TARSY_STREAM_ANSWERS",
                true,
                "shows answers of models while they come; off asks providers for whole answers",
            ),
        }
    }
}

impl ChainWorkerSettings {
    pub(super) fn read(reader: &mut Reader<'_>, public_url: Option<String>) -> Self {
        Self {
            concurrency: count(
                reader,
                "TARSY_CHAIN_CONCURRENCY",
                16,
                "chain jobs that run at once in this worker",
            ),
            public_url,
        }
    }
}

impl QueueSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let seconds = Duration::from_secs;
        Self {
            lease_ttl: reader.duration(
                "TARSY_LEASE_TTL",
                seconds(10),
                (seconds(1), seconds(600)),
                "lease: silence of Postgres that costs a worker nothing; its claims expire a third of it later",
            ),
            drain_grace: reader.duration(
                "TARSY_DRAIN_GRACE",
                seconds(30),
                (Duration::ZERO, seconds(86_400)),
                "grace period for running jobs after SIGTERM",
            ),
            poll_interval: reader.duration(
                "TARSY_POLL_INTERVAL",
                Duration::from_millis(250),
                (Duration::from_millis(10), seconds(60)),
                "poll interval of an idle worker",
            ),
            max_crashes: reader
                .integer(
                    "TARSY_MAX_CRASHES",
                    4,
                    (3, 100),
                    "worker crashes after which a stage fails, 3 at least",
                )
                .try_into()
                .unwrap_or(4),
            schedule_timeout: reader.duration(
                "TARSY_SCHEDULE_TIMEOUT",
                seconds(900),
                SCHEDULE_TIMEOUTS,
                "longest wait of a stage while no live worker can run it",
            ),
        }
    }
}

fn count(
    reader: &mut Reader<'_>,
    name: &'static str,
    default: u64,
    meaning: &'static str,
) -> usize {
    usize::try_from(reader.integer(name, default, (1, 1_000), meaning)).unwrap_or(1)
}
