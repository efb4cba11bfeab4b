//! `tarsy migrate`: its report on a database, and how it waits.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Stdio;

use serde_json::Value;
use tarsy_testing::TestDb;
use tarsy_testing::process::binary;
use tarsy_testing::tools::workspace;
use tarsy_tests::command::tarsy;

/// Runs `tarsy migrate` with these arguments. Returns its exit code and output.
async fn migrate(database: &TestDb, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = tokio::process::Command::new(binary("tarsy"));
    command
        .arg("migrate")
        .args(arguments)
        .env("DATABASE_URL", database.url())
        .stdin(Stdio::null());
    let output = command.output().await.unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).unwrap())
}

async fn sql(database: &TestDb, statement: &'static str) {
    sqlx::raw_sql(statement)
        .execute(database.pool())
        .await
        .unwrap();
}

async fn unmigrated() -> TestDb {
    let database = TestDb::new().await;
    sql(
        &database,
        "drop schema public cascade; create schema public",
    )
    .await;
    database
}

#[tokio::test]
async fn an_empty_database_is_behind_until_it_is_migrated() {
    let database = unmigrated().await;
    let (code, output) = migrate(&database, &["--check"]).await;
    assert_eq!(code, Some(3), "{output}");
    assert!(output.starts_with("behind: "), "{output}");

    let url = [("DATABASE_URL", database.url())];
    let plan = tarsy("migrate --plan --json", &url).await.json();
    let planned = plan["pending"].as_array().map_or(0, Vec::len);
    let files = std::fs::read_dir(workspace().join("migrations")).unwrap();
    assert_eq!(planned, files.count());
    let (_, plan) = migrate(&database, &["--plan"]).await;
    assert!(plan.contains("create sessions"), "{plan}");
    let (code, _) = migrate(&database, &["--check"]).await;
    assert_eq!(code, Some(3), "a plan changes nothing");

    let (code, output) = migrate(&database, &[]).await;
    assert_eq!(code, Some(0), "{output}");
    let (code, output) = migrate(&database, &["--check"]).await;
    assert_eq!(code, Some(0), "{output}");
    assert!(output.starts_with("up to date: "), "{output}");
}

#[tokio::test]
async fn it_waits_for_whoever_migrates() {
    let database = unmigrated().await;
    let (code, output) = migrate(&database, &["--wait", "--timeout", "0s"]).await;
    assert_eq!(code, Some(1), "{output}");

    let waiting = migrate(&database, &["--wait", "--timeout", "60s"]);
    let migrating = migrate(&database, &[]);
    let ((code, output), (migrated, _)) = tokio::join!(waiting, migrating);
    assert_eq!((code, migrated), (Some(0), Some(0)), "{output}");
}

#[tokio::test]
async fn a_newer_database_is_recognised_and_left_alone() {
    let database = TestDb::new().await;
    sql(
        &database,
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (99990101000000, 'of a newer version', true, '', 0)",
    )
    .await;
    let (code, output) = migrate(&database, &["--check", "--json"]).await;
    assert_eq!(code, Some(4), "{output}");
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(
        report["unknown"],
        serde_json::json!([99_990_101_000_000_i64])
    );

    // A newer schema is accepted, so that a release can be rolled back.
    let (code, output) = migrate(&database, &[]).await;
    assert_eq!(code, Some(0), "{output}");
    assert!(
        output.contains("nothing to do; ahead: the database is at version 99990101000000"),
        "{output}"
    );
    // Processes of this version keep working with the newer schema.
    let (code, output) = migrate(&database, &["--wait"]).await;
    assert_eq!(code, Some(0), "{output}");

    sql(
        &database,
        "delete from _sqlx_migrations where version = 20261120000100",
    )
    .await;
    let (code, output) = migrate(&database, &["--check"]).await;
    assert_eq!(code, Some(5), "{output}");
}

#[tokio::test]
async fn a_database_that_is_not_utf8_is_refused_before_the_first_migration() {
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let database = TestDb::empty_in(encoding).await.unwrap();
        let url = [("DATABASE_URL", database.url())];
        for arguments in ["migrate", "up"] {
            let output = tarsy(arguments, &url).await;
            output.fails_with_error(encoding);
            output.fails_with_error("encoding 'UTF8' template template0");
        }
        let tables: i64 = sqlx::query_scalar(
            "select count(*) from pg_class where relnamespace = 'public'::regnamespace",
        )
        .fetch_one(database.pool())
        .await
        .unwrap();
        assert_eq!(tables, 0, "{encoding}: nothing was changed");
    }
}
