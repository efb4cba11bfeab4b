//! Latency: one alert at a time through an idle fleet, from its POST until the last of three stages is
//! committed, and until its session has ended.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tarsy_testing::process::Program;
use uuid::Uuid;

use crate::fleet::{self, Member};
use crate::report::{Figure, percentile};
use crate::{database, floor, ingest, limits};

/// Time between two looks whether a chain is done: what a figure may be too large by.
const LOOK: Duration = Duration::from_micros(250);

/// Chains that are run before any is counted.
const WARM_UP: usize = 20;

/// A chain of three stages whose agent does nothing, for the API.
const CONFIG: &str = "
agents:
  idle:
    mcp_servers: [kubernetes-server]
agent_chains:
  bench:
    alert_types: [bench]
    stages:
      - {name: collect, agent: idle}
      - {name: analyse, agent: idle}
      - {name: report, agent: idle}
";

/// How much to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Chains, one after another
    #[arg(long, default_value_t = 300)]
    chains: usize,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let floor = floor::hop(options.chains).await?;
    let db = database::fresh().await?;
    let config = tempfile::Builder::new().suffix(".yaml").tempfile()?;
    std::fs::write(config.path(), CONFIG)?;
    let address = ingest::free_address()?;
    let _api = Program::new("ingest-api")
        .env("DATABASE_URL", db.url())
        .env("TARSY_LISTEN", &address)
        .env("AGENT_CONFIG_FILE", config.path())
        .env("OPENAI_API_KEY", "not-used")
        .env("LOG_LEVEL", "warning")
        .start()?;
    let _chain = Member::start(db.url(), &["--chain", "--slots", "16"])?;
    let _stage = Member::start(db.url(), &["--stage", "--slots", "16"])?;
    ingest::ready(&address).await?;
    fleet::ready(db.pool(), 2).await?;
    let mut alert: Value = serde_json::from_str(&limits::alert_data())?;
    alert["number"] = json!(0);
    let watched = Watched {
        address: &address,
        url: db.url(),
        done: "select exists (select from stage_executions e where e.session_id = s.session_id
                                and stage_index = 2 and e.status = 'completed'), status = 'completed'
               from alert_sessions s where session_id = $1",
    };
    let ours = watched
        .measure(options.chains, |number| {
            alert["number"] = json!(number);
            json!({"alert_type": "bench", "severity": "warning", "data": alert})
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

/// A fleet whose chains are watched from outside.
pub(crate) struct Watched<'a> {
    /// Where its API takes alerts.
    pub(crate) address: &'a str,
    /// Its database.
    pub(crate) url: &'a str,
    /// Whether the last stage of session `$1` is done, and whether the session has ended.
    pub(crate) done: &'static str,
}

/// Milliseconds from the POST, sorted.
pub(crate) struct Hops {
    stages: Vec<f64>,
    sessions: Vec<f64>,
}

impl Hops {
    /// To the end of the last stage.
    pub(crate) fn stages(&self, share: f64) -> f64 {
        percentile(&self.stages, share)
    }

    /// To the end of the session.
    fn sessions(&self, share: f64) -> f64 {
        percentile(&self.sessions, share)
    }
}

impl Watched<'_> {
    /// One chain after another, `chains` of them after some that are not counted.
    pub(crate) async fn measure(
        &self,
        chains: usize,
        mut alert: impl FnMut(usize) -> Value,
    ) -> Result<Hops> {
        let http = reqwest::Client::new();
        let target = format!("http://{}/alerts", self.address);
        // Of its own, so that looking costs one round trip: what looks shares the machine with what works.
        let mut watch = PgConnection::connect(self.url).await?;
        let (mut stages, mut sessions) = (Vec::new(), Vec::new());
        for round in 0..WARM_UP + chains {
            let request = http.post(&target).json(&alert(round)).build()?;
            let started = Instant::now();
            let answer: Value = http
                .execute(request)
                .await?
                .error_for_status()?
                .json()
                .await?;
            let session: Uuid = serde_json::from_value(answer["session_id"].clone())
                .with_context(|| format!("the API told no session: {answer}"))?;
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
            tokio::task::block_in_place(|| std::thread::sleep(LOOK));
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
