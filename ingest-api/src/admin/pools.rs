//! How the stages of each pool did lately, beside what waits in its queue now.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::PgConnection;
use tarsy_model::Pool;
use tarsy_store::{PoolFigures, pool_figures, recovered_stages};
use utoipa::ToSchema;

use crate::clock;
use crate::problem::Problem;

/// Stages are counted over this span, on a busy fleet over less.
const SPAN_US: i64 = 3_600_000_000;
/// Lost workers are rarer.
const RECOVERED_SPAN_US: i64 = 24 * SPAN_US;

/// How the stages of a pool did lately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = PoolStages)]
pub(crate) struct Stages {
    /// Stages that began since `since_us`.
    begun: i64,
    /// Stages that ended since, however.
    ended: i64,
    ended_per_minute: f64,
    /// Half of those that began had waited for a worker at most this long, in ms.
    wait_p50_ms: Option<i64>,
    /// 19 of 20 had.
    wait_p95_ms: Option<i64>,
    /// Of the stages of the last 24 hours: times that one lost its worker and went on with another.
    recovered_last_day: i64,
}

/// Every pool that did something, by the name of its queue.
#[derive(Debug)]
pub(crate) struct Lately {
    /// What is counted began or ended since.
    pub(crate) since_us: i64,
    by_queue: HashMap<String, Stages>,
}

impl Lately {
    /// Read it.
    pub(crate) async fn read(conn: &mut PgConnection) -> Result<Self, Problem> {
        let now_us = clock::now_us();
        let (since_us, figures) = pool_figures(conn, now_us - SPAN_US).await?;
        let minutes = ((now_us - since_us) as f64 / 60e6).max(1.0 / 60.0);
        let figures = figures.into_iter();
        let mut by_queue: HashMap<_, _> = figures
            .map(|pool| (queue(&pool.pool), Stages::of(&pool, minutes)))
            .collect();
        for recovered in recovered_stages(conn, now_us - RECOVERED_SPAN_US).await? {
            let stages = by_queue.entry(queue(&recovered.pool)).or_default();
            stages.recovered_last_day = recovered.times;
        }
        Ok(Self { since_us, by_queue })
    }

    /// Of one queue; `None` if it is of no pool of stage workers.
    pub(crate) fn of(&self, name: &str) -> Option<Stages> {
        let known = self.by_queue.get(name).cloned();
        known.or_else(|| name.starts_with(&queue("")).then(Stages::default))
    }
}

impl Stages {
    fn of(pool: &PoolFigures, minutes: f64) -> Self {
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
