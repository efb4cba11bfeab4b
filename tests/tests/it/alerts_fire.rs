//! Each shipped alert rule fires in a real Prometheus when its fault occurs, and not before.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

pub(crate) mod prometheus;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use tarsy_testing::fake_llm::Behaviour;
use tarsy_testing::process::Process;
use tarsy_testing::{SilentProxy, wait};
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON, scene};

use prometheus::{Prometheus, address};

/// The configuration of the fleet's tests.
const FLEET: &str = include_str!("../../config/fleet.yaml");

/// Starts an API with a worker of each role, and a Prometheus that scrapes them.
async fn watched(fleet: &Fleet) -> (Ingest, Process, Process, Prometheus) {
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    let prometheus = Prometheus::watching(&ingest, &[&chain, &stage]).await;
    (ingest, chain, stage, prometheus)
}

async fn sql(fleet: &Fleet, statement: &'static str) {
    let done = sqlx::raw_sql(statement).execute(fleet.rows.pool()).await;
    done.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_a_pause_and_processes_that_die() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, chain, stage, prometheus) = watched(&fleet).await;

    fleet.llm.queue([Behaviour::fail(401, "no such key")]);
    let session = fleet.submit(&ingest, "ReportOnly").await;
    fleet.rows.ended(session, SOON).await;
    prometheus.fires("TarsyLlmKeyRefused").await;

    let api = [("TARSY_URL", ingest.url.as_str())];
    tarsy("queues pause chain --reason deploy", &api)
        .await
        .prints("chain");
    prometheus.fires("TarsyQueuePaused").await;

    stage.kill();
    prometheus.fires("TarsyProcessDown").await;
    prometheus.fires("TarsyNoStageWorkers").await;
    chain.kill();
    prometheus.fires("TarsyNoChainWorkers").await;

    ingest.process.kill();
    prometheus.fires("TarsyApiMissing").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_and_a_server_that_fail() {
    let fleet = Fleet::new(|_| Behaviour::fail(400, "no such model"))
        .await
        .with_dead_server();
    let (ingest, _chain, _stage, prometheus) = watched(&fleet).await;
    let fails = async || {
        let session = fleet.submit(&ingest, "CheckoutDown").await;
        fleet.rows.ended(session, SOON).await;
    };
    prometheus.fires_while("TarsyLlmFailing", fails).await;
    prometheus.fires_while("TarsyStagesFailing", fails).await;
    prometheus.fires_while("TarsyMcpServerFailing", fails).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_wait_that_die_and_that_others_take() {
    let hangs = |_: &_| Behaviour::Hang;
    let fleet = Fleet::new(hangs)
        .await
        .with("TARSY_STAGE_CONCURRENCY", "5")
        .with("TARSY_LEASE_TTL", "2s");
    let (ingest, chain, frozen, prometheus) = watched(&fleet).await;
    for _ in 0..5 {
        fleet.submit(&ingest, "ReportOnly").await;
    }
    let running = async |count: i64| {
        wait::until("stages to run", SOON, async || {
            let running = "select count(*) from jobs where state = 'running' and kind = 'stage'";
            fleet.rows.count(running).await == count
        })
        .await;
    };
    running(5).await;
    // No worker has a free slot for it.
    fleet.submit(&ingest, "ReportOnly").await;
    wait::until("a stage that waits", SOON, async || {
        let waiting = "select count(*) from jobs where state = 'ready' and kind = 'stage'";
        fleet.rows.count(waiting).await == 1
    })
    .await;
    sql(&fleet, "update jobs set run_at = run_at - interval '10 minutes', rank = rank - interval '10 minutes' where state = 'ready'").await;
    prometheus.fires("TarsyQueueOld").await;

    let other = fleet.program("stage-worker");
    let other = other.env("TARSY_STAGE_CONCURRENCY", "20").start().unwrap();
    running(6).await;
    // Watches all of them, because any may take over the jobs of the frozen worker and count them.
    let prometheus = Prometheus::watching(&ingest, &[&chain, &frozen, &other]).await;
    frozen.freeze();
    let taken = format!(
        "select count(*) from stage_executions e join workers w on w.id = e.claim_owner
         where e.status = 'active' and w.pid = {}",
        other.id()
    );
    wait::until("the other worker to take them", SOON, async || {
        let taken = sqlx::query_scalar(sqlx::AssertSqlSafe(taken.clone()));
        let taken: i64 = taken.fetch_one(fleet.rows.pool()).await.unwrap();
        taken == 6
    })
    .await;
    prometheus.fires("TarsyJobsRecovered").await;
    frozen.resume();
    prometheus.fires("TarsyClaimsLost").await;

    let dead = "insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts, crashes, snoozes,
                    epoch, created_at, reason, error)
                select id, 'chain', 'teleport', id, '[\"what?\"]', 0, 1, 1, 0, 0, 1, now(), 'undecodable', 'no such kind'
                from gen_random_uuid() id";
    sql(&fleet, dead).await;
    prometheus.fires("TarsyDeadJobs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn configurations_and_versions_that_differ() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agents.yaml");
    fs::write(&config, FLEET).unwrap();
    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", config.display().to_string())
        .with("TARSY_CONFIG_POLL", "0s");
    let (ingest, chain, stage, prometheus) = watched(&fleet).await;

    fs::write(&config, format!("{FLEET}\n# Rolled out to one of them.\n")).unwrap();
    stage.hang_up();
    prometheus.fires("TarsyConfigurationsMixed").await;
    fs::write(&config, "agents: {").unwrap();
    chain.hang_up();
    prometheus.fires("TarsyConfigReloadFailed").await;

    // Simulates a process of another version.
    let older = TcpListener::bind("127.0.0.1:0").unwrap();
    let targets = [
        address(&ingest.url),
        older.local_addr().unwrap().to_string(),
    ];
    std::thread::spawn(move || {
        for stream in older.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let body = "tarsy_build_info{version=\"0.0.1\"} 1\n";
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4\r\nconnection: close";
            let _ = write!(
                stream,
                "{head}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    let prometheus = Prometheus::start(&targets);
    prometheus.fires("TarsyVersionsMixed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_connection_that_falls_silent() {
    let fleet = Fleet::new(scene::play).await.with("TARSY_LEASE_TTL", "2s");
    let proxy = SilentProxy::before(fleet.database_url()).await;
    let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
    let stage = fleet.program("stage-worker");
    let stage = stage
        .env("DATABASE_DIRECT_URL", proxy.url())
        .start()
        .unwrap();
    fleet.workers(2).await;
    let prometheus = Prometheus::watching(&ingest, &[&chain, &stage]).await;
    proxy.silence_for_ever().await;
    prometheus.fires("TarsyLeasesNotRenewed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_refuses_connections() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet.ingest().await;
    // The API searches its database for three seconds before it reports that there is none.
    let prometheus = Prometheus::every(5, &[address(&ingest.url)]);
    let (_, database) = fleet.database_url().rsplit_once('/').unwrap();
    let admin = fleet.database_url().replace(database, "postgres");
    let admin = sqlx::PgPool::connect(&admin).await.unwrap();
    for statement in [
        format!("alter database \"{database}\" allow_connections false"),
        format!(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = '{database}'"
        ),
    ] {
        let done = sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&admin)
            .await;
        done.unwrap();
    }
    prometheus.fires("TarsyDatabaseDown").await;
    let url = format!("{}/api/v1/history/sessions", ingest.url);
    let fails = async || {
        let status = reqwest::get(&url).await.unwrap().status();
        assert!(status.is_server_error(), "{status}");
    };
    prometheus.fires_while("TarsyApiFailing", fails).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_whose_connections_all_wait() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
    let stage = fleet.program("stage-worker");
    let stage = stage.env("DATABASE_MAX_CONNECTIONS", "2").start().unwrap();
    fleet.workers(2).await;
    let prometheus = Prometheus::watching(&ingest, &[&chain, &stage]).await;
    let mut lock = fleet.rows.pool().begin().await.unwrap();
    for table in ["lock table llm_interactions", "lock table mcp_interactions"] {
        sqlx::query(table).execute(&mut *lock).await.unwrap();
    }
    for alert_type in ["ReportOnly", "CheckoutDown", "ReportOnly", "CheckoutDown"] {
        fleet.submit(&ingest, alert_type).await;
    }
    prometheus.fires("TarsyPoolExhausted").await;
    lock.rollback().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_stops_a_stage_and_a_receiver_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agents.yaml");
    let spent = "agent_chains:\n  spent:\n    alert_types: [Spent]\n    spending: {cost_per_day: 0.0}\n    stages:\n      - {name: report, agent: Reporter}\n";
    let gone = "\nnotifications:\n  outside: {format: slack, url: \"http://localhost:9/told\", private: true, http: true}\n";
    fs::write(&config, FLEET.replace("agent_chains:\n", spent) + gone).unwrap();
    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", config.display().to_string());
    let (ingest, _chain, _stage, prometheus) = watched(&fleet).await;
    let session = fleet.submit(&ingest, "Spent").await;
    fleet.rows.ended(session, SOON).await;
    prometheus.fires("TarsySpendingLimitReached").await;
    prometheus.fires("TarsyNotificationsWaiting").await;
}
