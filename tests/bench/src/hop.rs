//! Latency of one alert at a time through an idle fleet: until its last stage, and its session, are committed as ended.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use crate::fleet::{self, Accepting, Member};
use crate::report::{Figure, percentile};
use crate::{database, floor};

/// Poll interval, which is also the error of a figure.
const POLL_PAUSE: Duration = Duration::from_micros(250);

/// Number of chains that run first and are not counted.
const WARM_UP: usize = 20;

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of chains, which run one after another
    #[arg(long, default_value_t = 300)]
    chains: usize,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let floor = floor::hop(options.chains).await?;
    let db = database::fresh().await?;
    let pool = database::pool(db.url(), 4).await?;
    let _chain = Member::start(db.url(), &["--chain", "--slots", "16"])?;
    let _stage = Member::start(db.url(), &["--stage", "--slots", "16"])?;
    fleet::ready(&pool, 2).await?;
    let intake = Accepting::start(&pool)?;
    let watched = Watched {
        url: db.url(),
        done: "select exists (select from stage_executions e where e.session_id = s.session_id
                                and stage_index = 2 and e.status = 'completed'), status = 'completed'
               from alert_sessions s where session_id = $1",
    };
    let ours = watched
        .measure(options.chains, async || {
            intake.accept(fleet::session()?).await
        })
        .await?;
    let figure = |name, value, limit| Figure::new(name, value, "ms", limit);
    Ok(vec![
        figure("hop_p50", ours.stages(0.50), Some(6.0)),
        figure("hop_p50_floor", ours.stages(0.50), Some(floor.stages(0.50))),
        figure("hop_p99", ours.stages(0.99), Some(15.0)),
        figure("hop_p99_floor", ours.stages(0.99), Some(floor.stages(0.99))),
        figure("hop_session_p50", ours.sessions(0.50), None),
        figure("hop_session_p99", ours.sessions(0.99), None),
    ])
}

/// A fleet whose chains are observed in the database.
pub(crate) struct Watched<'a> {
    /// Its database.
    pub(crate) url: &'a str,
    /// Query for whether the last stage of session `$1` is done, and whether the session has ended.
    pub(crate) done: &'static str,
}

/// Latencies since just before the acceptance, in ms, sorted.
pub(crate) struct Hops {
    stages: Vec<f64>,
    sessions: Vec<f64>,
}

impl Hops {
    /// Merges the latencies of several runs.
    pub(crate) fn merge(runs: Vec<Self>) -> Self {
        let mut all = Self {
            stages: Vec::new(),
            sessions: Vec::new(),
        };
        for run in runs {
            all.stages.extend(run.stages);
            all.sessions.extend(run.sessions);
        }
        all.stages.sort_by(f64::total_cmp);
        all.sessions.sort_by(f64::total_cmp);
        all
    }

    /// Returns a percentile of the latency to the end of the last stage.
    pub(crate) fn stages(&self, share: f64) -> f64 {
        percentile(&self.stages, share)
    }

    /// Returns a percentile of the latency to the end of the session.
    fn sessions(&self, share: f64) -> f64 {
        percentile(&self.sessions, share)
    }
}

impl Watched<'_> {
    /// Runs chains one after another: `chains` after the warm-up; `submit` returns once the chain is committed.
    pub(crate) async fn measure(
        &self,
        chains: usize,
        submit: impl AsyncFn() -> Result<Uuid>,
    ) -> Result<Hops> {
        // A dedicated connection, so that polling costs one round trip.
        let mut watch = PgConnection::connect(self.url).await?;
        let (mut stages, mut sessions) = (Vec::new(), Vec::new());
        for round in 0..WARM_UP + chains {
            let started = Instant::now();
            let session = submit().await?;
            let (to_stage, to_session) = self.watch(&mut watch, session, started).await?;
            if round >= WARM_UP {
                stages.push(to_stage);
                sessions.push(to_session);
            }
        }
        stages.sort_by(f64::total_cmp);
        sessions.sort_by(f64::total_cmp);
        Ok(Hops { stages, sessions })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the runtime's timer has a resolution of a millisecond, too coarse for what is measured"
    )]
    async fn watch(
        &self,
        watch: &mut PgConnection,
        session: Uuid,
        started: Instant,
    ) -> Result<(f64, f64)> {
        let mut to_stage = None;
        loop {
            tokio::task::block_in_place(|| std::thread::sleep(POLL_PAUSE));
            let (last_stage, ended): (bool, bool) = sqlx::query_as(self.done)
                .bind(session)
                .fetch_one(&mut *watch)
                .await?;
            let millis = started.elapsed().as_secs_f64() * 1e3;
            if last_stage {
                to_stage.get_or_insert(millis);
            }
            if let (Some(to_stage), true) = (to_stage, ended) {
                return Ok((to_stage, millis));
            }
            if started.elapsed() > Duration::from_secs(10) {
                bail!("a chain of three idle stages took more than 10 s");
            }
        }
    }
}
