//! The operations port of each process: probes, metrics, and the effect of signals.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_testing::fake_llm::Behaviour;
use tarsy_testing::process::Process;
use tarsy_testing::{TestDb, wait};
use tarsy_tests::command::tarsy;
use tarsy_tests::{Alert, Fleet, SOON, ops, scene};

const WORKERS: [&str; 2] = ["chain-worker", "stage-worker"];

/// Waits until each URL responds with this status and schema. Returns the last response.
async fn all_answer(urls: &[String], status: StatusCode, schema: &str) -> Value {
    let mut last = Value::Null;
    for url in urls {
        let what = format!("{schema} to be told with {status}");
        last = wait::until(&what, SOON, async || {
            let (answered, body) = ops::readiness(url).await;
            (answered == status && body["schema"] == schema).then_some(body)
        })
        .await;
    }
    last
}

/// Whether a probe's response asks for a migration.
fn names_migrate(answer: &Value) -> bool {
    let message = answer["message"].as_str().unwrap_or_default();
    message.contains("`tarsy migrate`")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_ready_once_the_schema_is_there() {
    let db = TestDb::new().await;
    let sql = async |statement: &'static str| {
        let mut conn = db.pool().acquire().await.unwrap();
        sqlx::raw_sql(statement).execute(&mut *conn).await.unwrap();
    };
    sql("drop schema public cascade; create schema public").await;
    let pool = db.pool().clone();
    let url = db.url().to_owned();
    let fleet = Fleet::on(TestDb::new().await, scene::play)
        .await
        .with("DATABASE_URL", &url);
    let workers: Vec<Process> = WORKERS
        .map(|name| fleet.program(name).start().unwrap())
        .into();
    let mut urls = Vec::new();
    for worker in &workers {
        urls.push(ops::url(worker).await);
    }
    let unmigrated = all_answer(&urls, StatusCode::SERVICE_UNAVAILABLE, "unmigrated").await;
    assert!(names_migrate(&unmigrated), "{unmigrated}");
    for url in &urls {
        let (status, body) = ops::get(url, "/livez").await.unwrap();
        assert_eq!(
            (status, body.as_str()),
            (StatusCode::OK, r#"{"status":"alive"}"#)
        );
    }

    tarsy("migrate", &[("DATABASE_URL", &url)]).await.prints("");
    let current = all_answer(&urls, StatusCode::OK, "current").await;
    let expected =
        json!({"status": "ready", "database": true, "schema": "current", "draining": false});
    assert_eq!(current, expected);
    wait::until("both to register", SOON, async || {
        let count = sqlx::query_scalar::<_, i64>("select count(*) from workers");
        count.fetch_one(&pool).await.unwrap() == 2
    })
    .await;

    wait::until("the duties of the chain worker", SOON, async || {
        let (_, health) = ops::get(&urls[0], "/health").await.unwrap();
        let health: Value = serde_json::from_str(&health).unwrap();
        let traits = &health["housekeeping"]["session traits"];
        health["status"] == "healthy" && traits["late"] == false
    })
    .await;

    // This version keeps working with a schema of a later version.
    sql(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (99990101000000, 'of a newer version', true, '', 0)",
    )
    .await;
    let newer = all_answer(&urls, StatusCode::OK, "newer").await;
    assert!(names_migrate(&newer), "{newer}");

    sql(
        "create table kept as select * from _sqlx_migrations order by version limit 1;
         delete from _sqlx_migrations where version = (select version from kept)",
    )
    .await;
    let diverged = all_answer(&urls, StatusCode::SERVICE_UNAVAILABLE, "diverged").await;
    let message = diverged["message"].as_str().unwrap();
    assert!(message.contains("DATABASE_URL"), "{message}");

    sql("delete from _sqlx_migrations where version = 99990101000000").await;
    let behind = all_answer(&urls, StatusCode::SERVICE_UNAVAILABLE, "behind").await;
    assert!(names_migrate(&behind), "{behind}");

    sql("insert into _sqlx_migrations select * from kept").await;
    all_answer(&urls, StatusCode::OK, "current").await;
    assert!(workers.iter().all(Process::is_running));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_worker_is_not_ready_but_answers_until_it_ends() {
    let fleet = Fleet::new(scene::play).await;
    fleet.llm.queue([Behaviour::Hang]);
    let (ingest, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the long call", SOON, async || fleet.llm.count() == 1).await;
    let url = ops::url(&stage).await;
    assert_eq!(ops::readiness(&url).await.0, StatusCode::OK);

    stage.terminate();
    let draining = wait::until("the drain to be told", SOON, async || {
        let (status, body) = ops::readiness(&url).await;
        (status == StatusCode::SERVICE_UNAVAILABLE).then_some(body)
    })
    .await;
    assert_eq!(draining["draining"], true, "{draining}");
    assert_eq!(ops::get(&url, "/livez").await.unwrap().0, StatusCode::OK);
    let (_, metrics) = ops::get(&url, "/metrics").await.unwrap();
    assert!(
        metrics.contains("\ntarsy_process_draining 1\n"),
        "{metrics}"
    );

    stage.terminate();
    let status = stage.ended(SOON).await;
    assert!(status.success(), "{status}");
    assert_eq!(ops::get(&url, "/livez").await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_api_serves_for_the_drain_delay() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_DRAIN_DELAY", "5min");
    let ingest = fleet.ingest().await;
    assert_eq!(ops::readiness(&ingest.url).await.0, StatusCode::OK);

    ingest.process.terminate();
    let draining = wait::until("the drain to be told", SOON, async || {
        let (status, body) = ops::readiness(&ingest.url).await;
        (status == StatusCode::SERVICE_UNAVAILABLE).then_some(body)
    })
    .await;
    assert_eq!(draining["draining"], true, "{draining}");
    let late = Alert::new("CheckoutDown");
    assert!(fleet.try_post(&ingest.url, &late).await.is_some());
    assert_eq!(
        ops::get(&ingest.url, "/livez").await.unwrap().0,
        StatusCode::OK
    );

    // A second signal ends the process at once.
    ingest.process.terminate();
    let status = ingest.process.ended(SOON).await;
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hang_up_ends_nothing() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    for process in [&ingest.process, &chain, &stage] {
        process.hang_up();
        process.printed("SIGHUP", SOON).await;
    }
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert!(
        [&ingest.process, &chain, &stage]
            .into_iter()
            .all(Process::is_running)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_was_set_is_opened_or_the_process_ends() {
    let fleet = Fleet::new(scene::play).await;
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for name in WORKERS {
        let program = fleet.program(name);
        let refused = program.clone().env("TARSY_OPS_LISTEN", &address);
        let refused = refused.start().unwrap();
        assert!(!refused.ended(SOON).await.success());
        let log = refused.log();
        assert!(
            log.contains("TARSY_OPS_LISTEN") && log.contains(&address),
            "{log}"
        );
        assert_eq!(fleet.rows.count("select count(*) from workers").await, 0);
    }
    let silent = fleet.program("chain-worker").env("TARSY_OPS_LISTEN", "off");
    let silent = silent.start().unwrap();
    fleet.workers(1).await;
    assert!(
        !silent.log().contains("probes and metrics"),
        "{}",
        silent.log()
    );
}
