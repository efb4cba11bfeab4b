//! Tests partitioned tables: which partitions are created ahead and dropped, and which locks they wait for.

use std::time::Duration;

use tarsy_chain_worker::{RetentionPolicy, prune};
use tarsy_model::{Change, ExecutionId, UnixMicros};
use tarsy_store::changes::NewChange;
use tarsy_store::partitions::{PARTITIONABLE_TABLES, TablePartitions};
use tarsy_testing::TestDb;
use uuid::Uuid;

use crate::schedule::due_in;

const DAY: Duration = Duration::from_secs(24 * 3_600);
const WEEK: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Keeps sessions for 90 days.
const POLICY: RetentionPolicy = RetentionPolicy {
    sessions: Duration::from_secs(90 * 24 * 3_600),
    events: Duration::from_secs(3_600),
    interactions: true,
};

async fn partitioned() -> TestDb {
    let db = TestDb::new().await;
    enable(&db).await;
    db
}

async fn enable(db: &TestDb) {
    let mut conn = db.pool().acquire().await.unwrap();
    tarsy_store::partitions::enable(&mut conn, WEEK, &mut |_| {})
        .await
        .unwrap();
}

async fn partitions_of(db: &TestDb, table: &str) -> TablePartitions {
    let mut conn = db.pool().acquire().await.unwrap();
    let tables = tarsy_store::partitions::partitions(&mut conn)
        .await
        .unwrap();
    let found = tables.into_iter().find(|one| one.table.name == table);
    found.unwrap()
}

async fn names(db: &TestDb, table: &str) -> Vec<String> {
    let partitions = partitions_of(db, table).await.partitions;
    partitions.into_iter().map(|one| one.name).collect()
}

async fn run(db: &TestDb, statement: &'static str) {
    sqlx::raw_sql(statement).execute(db.pool()).await.unwrap();
}

/// Moves the database's clock ahead, as far as rows show it.
async fn clock_ahead(db: &TestDb, by: Duration) {
    let ahead = format!(
        "create or replace function now_us() returns bigint language sql stable as
         $$ select (extract(epoch from now()) * 1000000)::bigint + {} $$",
        by.as_micros()
    );
    let ahead = sqlx::AssertSqlSafe(ahead);
    sqlx::raw_sql(ahead).execute(db.pool()).await.unwrap();
}

/// Returns the id that a row gets that is created `after` from now.
fn id_after(after: Duration) -> Uuid {
    Uuid::from_u128(Uuid::now_v7().as_u128() + (after.as_millis() << 80))
}

/// Writes a call of a model, `after` from now, of a session that began then. The session has ended at that time, too,
/// if `ended` is set.
async fn question(db: &TestDb, after: Duration, ended: bool) -> ExecutionId {
    let stage = due_in(db, id_after(after).into(), "default", None).await;
    sqlx::query(
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose,
             provider, model_name, new_messages, step_description, claim_epoch)
         select $1, session_id, execution_id, 0, 1, 'iteration', 'first', 'small', '[]', 'ask', 1
         from stage_executions where execution_id = $2",
    )
    .bind(id_after(after))
    .bind(stage.as_uuid())
    .execute(db.pool())
    .await
    .unwrap();
    if ended {
        sqlx::query(
            "update alert_sessions set status = 'completed', completed_at_us = now_us() + $2
             where session_id = (select session_id from stage_executions where execution_id = $1)",
        )
        .bind(stage.as_uuid())
        .bind(i64::try_from(after.as_micros()).unwrap())
        .execute(db.pool())
        .await
        .unwrap();
    }
    stage
}

async fn questions_of(db: &TestDb, stage: ExecutionId) -> i64 {
    sqlx::query_scalar("select count(*) from llm_interactions where stage_execution_id = $1")
        .bind(stage.as_uuid())
        .fetch_one(db.pool())
        .await
        .unwrap()
}

async fn sessions(db: &TestDb) -> i64 {
    sqlx::query_scalar("select count(*) from alert_sessions")
        .fetch_one(db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn plain_tables_stay_plain() {
    let db = TestDb::new().await;
    prune(db.pool(), &POLICY).await.unwrap();
    for table in PARTITIONABLE_TABLES {
        assert!(!partitions_of(&db, table.name).await.is_partitioned());
    }
}

/// Expired sessions wait until their partition is dropped, at most as long as a partition is wide.
#[tokio::test]
async fn expired_rows_are_dropped_with_their_partition() {
    let db = partitioned().await;
    let before = names(&db, "llm_interactions").await;
    // Later than the partition that was the plain table. Rows of that one are deleted individually.
    let (early, late) = (WEEK * 2 + DAY, WEEK * 3 + DAY);
    question(&db, early, true).await;
    let kept = question(&db, late, true).await;

    clock_ahead(&db, WEEK * 2 + POLICY.sessions).await;
    prune(db.pool(), &POLICY).await.unwrap();
    let past = "llm_interactions_past".to_owned();
    assert!(!names(&db, "llm_interactions").await.contains(&past));

    clock_ahead(&db, early + POLICY.sessions + Duration::from_secs(60)).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(sessions(&db).await, 2, "expired, but its partition stands");

    clock_ahead(&db, WEEK * 3 + POLICY.sessions).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(sessions(&db).await, 1);
    assert_eq!(questions_of(&db, kept).await, 1);
    let after = names(&db, "llm_interactions").await;
    assert!(!after.contains(&before[1]), "{after:?}");
    let end = partitions_of(&db, "llm_interactions").await.partitions;
    let end = end.iter().filter_map(|one| one.to).max().unwrap();
    let now = sqlx::query_scalar("select now_us() / 1000").fetch_one(db.pool());
    let now: i64 = now.await.unwrap();
    assert!(end - now >= 4 * 7 * 86_400_000, "the next ones are there");
}

#[tokio::test]
async fn a_session_that_has_not_ended_keeps_its_partition_and_others_wait_no_longer_than_its_width()
{
    let db = partitioned().await;
    let at = WEEK * 2 + DAY;
    let running = question(&db, at, false).await;
    question(&db, at, true).await;
    for _ in 0..2 {
        clock_ahead(&db, WEEK * 4 + POLICY.sessions).await;
        prune(db.pool(), &POLICY).await.unwrap();
    }
    assert_eq!(questions_of(&db, running).await, 1);
    assert_eq!(sessions(&db).await, 1, "what ended is deleted by itself");
}

/// An event older than twice its retention time is deleted individually, because its partition may take long to fill.
#[tokio::test]
async fn events_go_with_their_partition() {
    let db = partitioned().await;
    let event = async |minutes: i32| {
        sqlx::query(
            "insert into events (kind, payload, created_at)
             values ('session.created', '{}', now() - make_interval(mins => $1))",
        )
        .bind(minutes)
        .execute(db.pool())
        .await
        .unwrap();
    };
    let ages = async || -> Vec<i32> {
        let ages =
            "select (extract(epoch from now() - created_at) / 60)::int from events order by 1";
        sqlx::query_scalar(ages).fetch_all(db.pool()).await.unwrap()
    };
    let past = "events_past".to_owned();
    event(90).await;
    run(&db, "select setval('events_id_seq', 10000000 - 1)").await;
    event(0).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(ages().await, [0]);
    assert!(!names(&db, "events").await.contains(&past));
    event(90).await;
    event(150).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(ages().await, [0, 90]);
}

/// If no partitions were created for too long, rows are accepted all the same, and the next partitions begin after
/// them.
#[tokio::test]
async fn rows_beyond_all_partitions_are_kept() {
    let db = partitioned().await;
    let beyond = WEEK * 9 + DAY;
    let stage = question(&db, beyond, false).await;
    clock_ahead(&db, beyond).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(questions_of(&db, stage).await, 1);
    let later = question(&db, WEEK * 11, false).await;
    let rest = "select count(*) from llm_interactions_default";
    let rest: i64 = sqlx::query_scalar(rest).fetch_one(db.pool()).await.unwrap();
    assert_eq!((questions_of(&db, later).await, rest), (1, 1));
}

#[tokio::test]
async fn a_table_in_use_is_left_alone_until_it_is_free() {
    let db = partitioned().await;
    let before = names(&db, "llm_interactions").await;
    let mut reader = db.pool().begin().await.unwrap();
    sqlx::query("select * from llm_interactions")
        .execute(&mut *reader)
        .await
        .unwrap();
    clock_ahead(&db, WEEK * 2 + POLICY.sessions).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(names(&db, "llm_interactions").await, before);
    reader.rollback().await.unwrap();
    prune(db.pool(), &POLICY).await.unwrap();
    assert_ne!(names(&db, "llm_interactions").await, before);
}

/// Maintenance may fail, e.g. for a role that may not create tables.
#[tokio::test]
async fn partitions_that_can_not_be_maintained_hold_up_no_retention() {
    let db = partitioned().await;
    let end = partitions_of(&db, "llm_interactions").await.end().unwrap();
    let taken = "select format('create table llm_interactions_%s ()',
                     to_char(to_timestamp($1::float8 / 1000) at time zone 'utc', 'YYYYMMDD'))";
    let taken = sqlx::query_scalar(taken)
        .bind(end as f64)
        .fetch_one(db.pool());
    let taken: String = taken.await.unwrap();
    let taken = sqlx::AssertSqlSafe(taken);
    sqlx::raw_sql(taken).execute(db.pool()).await.unwrap();
    let before = names(&db, "llm_interactions").await;
    question(&db, Duration::ZERO, true).await;
    clock_ahead(&db, WEEK + POLICY.sessions).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(names(&db, "llm_interactions").await, before);
    assert_eq!(sessions(&db).await, 0);
}

/// A check constraint that is left without its partitions would refuse rows from some day on.
#[tokio::test]
async fn what_a_killed_command_left_is_dropped_before_it_refuses_rows() {
    let db = TestDb::new().await;
    let bound = id_after(WEEK);
    let left = sqlx::AssertSqlSafe(format!(
        "alter table llm_interactions add constraint llm_interactions_below_next_partition
         check (interaction_id < '{bound}') not valid"
    ));
    sqlx::raw_sql(left).execute(db.pool()).await.unwrap();
    let check_exists = async || -> bool {
        let check =
            "select exists(select from pg_constraint where conname like '%_below_next_partition')";
        sqlx::query_scalar(check)
            .fetch_one(db.pool())
            .await
            .unwrap()
    };
    prune(db.pool(), &POLICY).await.unwrap();
    assert!(check_exists().await, "a command may still be at work");
    clock_ahead(&db, WEEK - Duration::from_secs(3_600)).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert!(!check_exists().await);
    enable(&db).await;
    assert!(
        partitions_of(&db, "llm_interactions")
            .await
            .is_partitioned()
    );
}

async fn changes(db: &TestDb) -> Vec<String> {
    let titles = "select title from changes order by 1";
    sqlx::query_scalar(titles)
        .fetch_all(db.pool())
        .await
        .unwrap()
}

async fn change_partitions(db: &TestDb) -> Vec<String> {
    let names = "select inhrelid::regclass::text from pg_inherits where inhparent = 'changes'::regclass order by 1";
    sqlx::query_scalar(names)
        .fetch_all(db.pool())
        .await
        .unwrap()
}

/// Records a change that is received `after` from now.
async fn change(db: &TestDb, after: Duration, title: &str) {
    let id = id_after(after);
    let new = NewChange {
        key: id,
        change: Change {
            change_id: id,
            happened_at_us: UnixMicros(1),
            source: "s".to_owned(),
            external_id: title.to_owned(),
            kind: "push".to_owned(),
            title: title.to_owned(),
            service: None,
            namespace: None,
            cluster: None,
            author: None,
            revision: None,
            link: None,
        },
    };
    let mut conn = db.pool().acquire().await.unwrap();
    let recorded = tarsy_store::changes::record_changes(&mut conn, &[new]).await;
    assert_eq!(recorded.unwrap(), [id]);
}

/// Changes are partitioned from the start. No session keeps their partitions from being dropped.
#[tokio::test]
async fn changes_expire_with_their_partition() {
    let db = TestDb::new().await;
    prune(db.pool(), &POLICY).await.unwrap();
    let made = change_partitions(&db).await;
    assert!(
        made.len() >= 6,
        "this week, the next four and the rest: {made:?}"
    );
    question(&db, Duration::ZERO, false).await;
    change(&db, Duration::ZERO, "early").await;
    change(&db, WEEK * 3, "late").await;
    change(&db, WEEK * 60, "beyond all partitions").await;

    clock_ahead(&db, POLICY.sessions + WEEK).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(changes(&db).await, ["beyond all partitions", "late"]);
    let rest = change_partitions(&db).await;
    assert!(!rest.contains(&made[0]), "{rest:?}");
    assert_eq!(sessions(&db).await, 1);

    // Keys are kept two weeks longer than their changes. So are rows that no partition took.
    clock_ahead(&db, POLICY.sessions + WEEK * 63).await;
    prune(db.pool(), &POLICY).await.unwrap();
    assert_eq!(changes(&db).await, [""; 0]);
    let keys: i64 = sqlx::query_scalar("select count(*) from change_keys")
        .fetch_one(db.pool())
        .await
        .unwrap();
    assert_eq!(keys, 0);
}
