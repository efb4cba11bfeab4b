//! Recent stages of each pool.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::PgConnection;
use tarsy_model::Pool;
use tarsy_store::pools::{PoolFigures, pool_figures, recovered_stages};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::server::clock;

/// Period that stages are counted over; shorter on a busy fleet.
const SPAN_US: i64 = 3_600_000_000;
/// Longer period for recovered stages, because lost workers are rarer.
const RECOVERED_SPAN_US: i64 = 24 * SPAN_US;

/// Recent stages of a pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = PoolStages)]
pub(crate) struct Stages {
    /// Stages started since `since_us`.
    begun: i64,
    /// Stages ended since `since_us`, with any status.
    ended: i64,
    ended_per_minute: f64,
    /// Median wait for a worker, in milliseconds.
    wait_p50_ms: Option<i64>,
    /// 95th percentile of the wait, in milliseconds.
    wait_p95_ms: Option<i64>,
    /// Stages of the last 24 hours that lost their worker and continued on another one.
    recovered_last_day: i64,
}

/// Recent stages of each pool, by queue name.
#[derive(Debug)]
pub(crate) struct Lately {
    /// Start of the period.
    pub(crate) since_us: i64,
    by_queue: HashMap<String, Stages>,
}

impl Lately {
    pub(crate) async fn read(conn: &mut PgConnection) -> Result<Self, Problem> {
        let now_us = clock::now_us();
        let (since_us, figures) = pool_figures(conn, now_us - SPAN_US).await?;
        let minutes = ((now_us - since_us) as f64 / 60e6).max(1.0 / 60.0);
        let figures = figures.into_iter();
        let mut by_queue: HashMap<_, _> = figures
            .map(|pool| (queue(&pool.pool), Stages::from_figures(&pool, minutes)))
            .collect();
        for recovered in recovered_stages(conn, now_us - RECOVERED_SPAN_US).await? {
            let stages = by_queue.entry(queue(&recovered.pool)).or_default();
            stages.recovered_last_day = recovered.times;
        }
        Ok(Self { since_us, by_queue })
    }

    /// Returns the recent stages of a queue, or `None` if it is not the queue of a pool of stage workers.
    pub(crate) fn stages_of(&self, name: &str) -> Option<Stages> {
        let known = self.by_queue.get(name).cloned();
        known.or_else(|| name.starts_with(&queue("")).then(Stages::default))
    }
}

impl Stages {
    fn from_figures(pool: &PoolFigures, minutes: f64) -> Self {
        Self {
            begun: pool.begun,
            ended: pool.ended,
            ended_per_minute: pool.ended as f64 / minutes,
            wait_p50_ms: pool.wait_p50_ms,
            wait_p95_ms: pool.wait_p95_ms,
            recovered_last_day: 0,
        }
    }
}

fn queue(pool: &str) -> String {
    Pool::from(pool).queue()
}
