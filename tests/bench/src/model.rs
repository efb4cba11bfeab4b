//! Throughput of the real services with a slow model: chains of three stages, with one model call of 20 ms each.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tarsy_testing::TestDb;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, WireFormat};
use tarsy_testing::process::{Process, Program};

use crate::report::Figure;
use crate::{database, fleet};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of chains, of three stages each
    #[arg(long, default_value_t = 10_000)]
    chains: usize,
    /// Response time of the model, in milliseconds
    #[arg(long, default_value_t = 20)]
    answer_ms: u64,
    /// Maximum number of concurrent stages in each of the two processes
    #[arg(long, default_value_t = 64)]
    slots: usize,
}

/// Goal for ten thousand chains, in seconds.
const GOAL_SECONDS: f64 = 40.0;
/// Timeout of the run.
const PATIENCE: Duration = Duration::from_secs(280);

const CONFIGURATION: &str = "
agents:
  idle:
    iteration_strategy: react-final-analysis
    custom_instructions: Say what is wrong.
agent_chains:
  bench:
    alert_types: [bench]
    stages:
      - {name: collect, agent: idle}
      - {name: analyse, agent: idle}
      - {name: report, agent: idle}
llm_providers:
  fake:
    type: openai
    model: fake-1
    api_key_env: TARSY_BENCH_LLM_KEY
    base_url: ${TARSY_BENCH_LLM_URL}
default_llm_provider: fake
";

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let delay_ms = options.answer_ms;
    let model = FakeLlm::start(move |_| {
        Behaviour::Answer(FakeAnswer {
            delay_ms,
            ..FakeAnswer::text("The pod has too little memory.".to_owned())
        })
    })
    .await?;
    let db = database::fresh().await?;
    fleet::backlog(db.pool(), options.chains).await?;
    database::vacuum_and_checkpoint(db.pool()).await?;
    let folder = std::env::temp_dir().join(format!("tarsy-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let configuration = folder.join("agents.yaml");
    std::fs::write(&configuration, CONFIGURATION)?;
    let start = |program: &str| -> Result<Process> {
        Ok(Program::new(program)
            .env("DATABASE_URL", db.url())
            .env("AGENT_CONFIG_FILE", &configuration)
            .env("TARSY_BENCH_LLM_KEY", "not-a-secret")
            .env("TARSY_BENCH_LLM_URL", model.base_url(WireFormat::OpenAi))
            .env("TARSY_STAGE_CONCURRENCY", options.slots.to_string())
            .env("LOG_LEVEL", "warning")
            .start()?)
    };
    let begun = Instant::now();
    let fleet = [
        start("chain-worker")?,
        start("stage-worker")?,
        start("stage-worker")?,
    ];
    let outcome = ended(&db, begun, &model.admin_url()).await;
    drop(fleet);
    std::fs::remove_dir_all(&folder)?;
    let seconds = outcome?;
    let stages = options.chains as f64 * 3.0;
    let goal = GOAL_SECONDS * options.chains as f64 / 10_000.0;
    Ok(vec![
        Figure::new("model_seconds", seconds, "s", Some(goal)),
        Figure::new("model_stages_s", stages / seconds, "stages/s", None),
    ])
}

/// Returns the seconds until every chain has completed.
async fn ended(db: &TestDb, begun: Instant, admin: &str) -> Result<f64> {
    let http = reqwest::Client::new();
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let (live, bad): (i64, i64) = sqlx::query_as(
            "select count(*) filter (where status in ('pending', 'in_progress')),
                    count(*) filter (where status in ('failed', 'cancelled')) from alert_sessions",
        )
        .fetch_one(db.pool())
        .await?;
        if bad > 0 {
            bail!("{bad} chains failed");
        }
        if live == 0 {
            return Ok(begun.elapsed().as_secs_f64());
        }
        if begun.elapsed() > PATIENCE {
            bail!("{live} chains had not ended after {PATIENCE:?}");
        }
        // The fake records all requests; they are not needed here.
        http.delete(format!("{admin}/__requests")).send().await?;
    }
}
