//! Tests of the private server: creation, restart after a crash, reopening, and the lock against a second run.

use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tarsy_testing::postgres::{Cluster, Installation, Stop};
use tarsy_testing::{Error, TestDb, wait};
use url::Url;

fn quiet(_: &str) {}

fn installation() -> Installation {
    let tools = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    Installation::find_or_install(&tools, &quiet).expect("a PostgreSQL")
}

#[tokio::test]
async fn committed_rows_survive_a_crash_and_a_new_start() {
    let installation = installation();
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut cluster = Cluster::start(&installation, folder.path(), &quiet).unwrap();

    let mut connection = PgConnection::connect(&cluster.url("postgres"))
        .await
        .unwrap();
    sqlx::raw_sql("create table kept as select 42 as answer")
        .execute(&mut connection)
        .await
        .unwrap();
    assert!(matches!(
        Cluster::start(&installation, cluster.folder(), &quiet),
        Err(Error::InUse { .. })
    ));

    cluster.restart(Stop::Immediate).unwrap();
    assert_eq!(answer(&cluster).await, 42);

    let place = cluster.folder().to_owned();
    drop(cluster);
    let cluster = Cluster::start(&installation, &place, &quiet).unwrap();
    assert_eq!(answer(&cluster).await, 42);
    // Like the rest of an interrupted deletion.
    let leftover = place.with_added_extension("deleted-1");
    std::fs::create_dir(&leftover).unwrap();
    cluster.remove().unwrap();
    assert!(!place.exists());
    wait::until("the rest is deleted", Duration::from_secs(60), async || {
        !leftover.exists()
    })
    .await;
}

/// Simulates a full disk, on which the server ends by itself.
#[test]
fn a_server_that_ended_by_itself_is_started_again() {
    let installation = installation();
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut cluster = Cluster::start(&installation, folder.path(), &quiet).unwrap();
    let pid_file = cluster.folder().join("data/postmaster.pid");
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let pid = pid.lines().next().unwrap();
    let quit = std::process::Command::new("kill")
        .args(["-QUIT", pid])
        .status();
    assert!(quit.unwrap().success());
    while pid_file.exists() {
        std::thread::yield_now();
    }

    cluster.stop(Stop::Immediate).unwrap();
    cluster.start_again().unwrap();
    assert!(pid_file.exists());
}

async fn answer(cluster: &Cluster) -> i32 {
    let mut connection = PgConnection::connect(&cluster.url("postgres"))
        .await
        .expect("a server that answers");
    sqlx::query_scalar("select answer from kept")
        .fetch_one(&mut connection)
        .await
        .expect("a server that answers")
}

/// Uses a separate server, because dropping a database makes Postgres write all changes of other databases.
#[tokio::test]
async fn a_removed_database_is_gone_even_if_someone_is_connected() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let cluster = Cluster::start(&installation(), folder.path(), &quiet).unwrap();
    let server = Url::parse(&cluster.url("postgres")).unwrap();
    let watcher = TestDb::create_on(&server).await.unwrap();
    let db = TestDb::create_on(&server).await.unwrap();
    let name = db.name().to_owned();
    let _held = db.pool().acquire().await.unwrap();
    db.remove().await.unwrap();

    let left: i64 = sqlx::query_scalar("select count(*) from pg_database where datname = $1")
        .bind(&name)
        .fetch_one(watcher.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
}
