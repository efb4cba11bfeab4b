//! Commits that hang, e.g. while the only synchronous standby is away. Senders get responses, and
//! Postgres does not run out of connections.

use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tarsy_config::{Environment, Settings};
use tarsy_testing::postgres::{Cluster, Installation};
use tarsy_testing::{TestDb, wait};
use url::Url;

use crate::server::{Server, alert};

const SOON: Duration = Duration::from_secs(30);
/// Longest wait of a sender. 2 s are promised; the rest is for a busy machine.
const LATEST: Duration = Duration::from_millis(3_500);
/// Number of concurrent senders, and number of rounds.
const SENDERS: usize = 16;
const ROUNDS: usize = 6;
/// Maximum number of Postgres sessions that accept alerts: four, and four more that are abandoned.
const MOST: i64 = 8;

async fn sql(conn: &mut PgConnection, statement: &'static str) {
    sqlx::query(statement).execute(conn).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn senders_are_answered_in_time_and_few_sessions_remain() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let installation = Installation::find_or_install(&tools, &|_| ()).unwrap();
    let cluster = Cluster::start(&installation, folder.path(), &|_| ()).unwrap();
    let admin = Url::parse(&cluster.url("postgres")).unwrap();
    let db = TestDb::create_on(&admin).await.unwrap();
    let settings = Settings::read(&Environment::from_pairs([("DATABASE_URL", db.url())]));
    let pool = tarsy_boot::connect(&settings.unwrap().database, "ingest-api").unwrap();
    let server = Server::over(pool).await;
    let post = async |n: usize| server.post("/alerts", &alert(json!({"n": n}))).await.status;
    assert_eq!(post(0).await, StatusCode::ACCEPTED);

    let mut operator = PgConnection::connect(admin.as_str()).await.unwrap();
    sql(
        &mut operator,
        "alter system set synchronous_standby_names = 'nobody'",
    )
    .await;
    sql(&mut operator, "select pg_reload_conf()").await;
    wait::until("a commit that hangs", SOON, async || {
        post(1).await == StatusCode::SERVICE_UNAVAILABLE
    })
    .await;
    let mut late = 0;
    for round in 0..ROUNDS {
        let senders = (0..SENDERS).map(|n| {
            let number = 2 + round * SENDERS + n;
            tokio::time::timeout(LATEST, post(number))
        });
        let answers = join_all(senders).await;
        late += answers.iter().filter(|answer| answer.is_err()).count();
    }
    let hanging = "select count(*) from pg_stat_activity
        where wait_event = 'SyncRep' and application_name like '% intake %'";
    let hanging: i64 = sqlx::query_scalar(hanging)
        .fetch_one(&mut operator)
        .await
        .unwrap();
    let listed = server.get("/api/v1/history/sessions").await;

    sql(
        &mut operator,
        "alter system reset synchronous_standby_names",
    )
    .await;
    sql(&mut operator, "select pg_reload_conf()").await;
    let after = 2 + ROUNDS * SENDERS;
    wait::until("an alert that is accepted", SOON, async || {
        post(after).await == StatusCode::ACCEPTED
    })
    .await;
    // Checked last, because a Postgres server whose commits hang can't be stopped.
    assert_eq!(late, 0, "of {} senders", ROUNDS * SENDERS);
    assert!((1..=MOST).contains(&hanging), "{hanging} sessions hang");
    assert_eq!(listed.status, StatusCode::OK, "history can be read");
}
