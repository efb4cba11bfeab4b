//! Tests of SQL queries: valid ones are answered, hostile ones are refused, and the login on its own prevents harm.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Executor as _, PgPool};
use tarsy_knowledge::sql::{SqlError, SqlReader, Tables, check};
use tarsy_knowledge::store::{ReaderLogin, grant_reader};

use crate::{MAPPING, Scene};

/// One statement per line.
const HOSTILE: &str = include_str!("hostile.txt");
const FINE: &str = include_str!("fine.txt");
const HOSTS: &str = "key: hostname\nfields: [{name: hostname, identifier: true}, {name: model, filter: true}, {name: slot, type: integer}]";

fn tables() -> Tables {
    let table = |name: &str, columns: &[&str]| {
        let columns = std::iter::once("record_key").chain(columns.iter().copied());
        (name.to_owned(), columns.map(str::to_owned).collect())
    };
    BTreeMap::from([
        table("tests", &["id", "title", "model", "slot", "steps"]),
        table("hosts", &["hostname", "model", "slot"]),
    ])
}

/// A store with two collections, and its reader.
async fn reader(scene: &Scene) -> (SqlReader, PgPool) {
    let file = "Test ID,Title,Model,Slot,Steps\nTC-1,A fan,K210,1,spin\nTC-2,A disk,K300,4,swap\n";
    scene.load(&scene.file("a.csv", file), MAPPING).await;
    let mut connection = scene.connection().await;
    let mut options = scene.options(HOSTS);
    options.collection = "hosts".to_owned();
    let file = scene.file("h.csv", "hostname,model,slot\nh1,K210,1\nh2,K210,2\n");
    tarsy_knowledge::load(&mut connection, &file, &options, |_| ())
        .await
        .unwrap();
    // Roles belong to the server, so each test has its own.
    let login = ReaderLogin {
        name: format!("reader_{}", &scene.db.name()[scene.db.name().len() - 20..]),
        password: "it's a secret".to_owned(),
    };
    grant_reader(&mut connection, &login).await.unwrap();
    let options = (*scene.db.pool().connect_options()).clone();
    let options = options.username(&login.name).password(&login.password);
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(2)
        .connect_with(options)
        .await
        .unwrap();
    (SqlReader::new(scene.db.pool().clone(), pool.clone()), pool)
}

#[test]
fn nothing_hostile_passes() {
    let tables = tables();
    let passed: Vec<_> = HOSTILE
        .lines()
        .filter_map(|sql| Some((sql, check(sql, &tables).ok()?.sql)))
        .collect();
    assert!(passed.is_empty(), "{passed:#?}");
    assert!(
        HOSTILE.lines().count() >= 200,
        "{}",
        HOSTILE.lines().count()
    );
    // Too much of what is otherwise allowed.
    for sql in [
        format!("select {} from tests", vec!["id"; 3_000].join(",")),
        format!("select {}1{} as n", "(".repeat(300), ")".repeat(300)),
        format!("select 1{} as n", " + 1".repeat(3_000)),
        format!("select 1{} as n", "+1".repeat(3_900)),
        format!("select {} as n from tests", "not ".repeat(500) + "true"),
        "select 1\0".to_owned(),
    ] {
        assert!(check(&sql, &tables).is_err(), "{}", &sql[..50]);
    }
}

#[test]
fn a_refusal_states_its_reason() {
    let tables = tables();
    let why = |sql: &str| check(sql, &tables).map_err(|refusal| refusal.to_string());
    for sql in [
        "drop table tests",
        "explain select 1 as n",
        "values (1)",
        ")",
    ] {
        assert_eq!(why(sql), Err("only SELECT is allowed".into()), "{sql}");
    }
    for sql in [
        "",
        " ; ",
        "select 1 as n; select 2 as n",
        "select 1 as n; x",
    ] {
        let one = "exactly one statement is allowed";
        assert_eq!(why(sql), Err(one.into()), "{sql}");
    }
    for sql in ["select 1 +", "select 1 as n 'x' y", "select 1 as n )"] {
        let refusal = why(sql).unwrap_err();
        assert!(refusal.starts_with("not understood: "), "{sql}: {refusal}");
    }
    for sql in [";select 1 as n;;", "(select 1 as n)"] {
        assert!(why(sql).is_ok(), "{sql}: {:?}", why(sql));
    }
}

#[test]
fn what_is_sent_is_written_anew() {
    let checked = check(
        "SELECT t.ID FROM Tests t /* x */ WHERE Title = 'it''s' -- y",
        &tables(),
    )
    .unwrap();
    assert_eq!(
        checked.sql,
        "select \"t\".\"id\" as \"id\" from \"knowledge_views\".\"tests\" as \"t\" where (\"title\" = 'it''s')"
    );
    // Rewriting a rewritten statement does not change it.
    for sql in FINE.lines() {
        let checked = check(sql, &tables()).unwrap_or_else(|refusal| panic!("{sql}: {refusal}"));
        assert!(!checked.columns.is_empty(), "{sql}");
    }
}

#[tokio::test]
async fn what_is_fine_is_answered_and_what_is_hostile_is_not_sent() {
    let scene = Scene::new().await;
    let (sql, _) = reader(&scene).await;
    assert_eq!(sql.tables().await.unwrap(), tables());
    for statement in FINE.lines() {
        let answer = sql
            .ask(statement)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
        assert!(!answer.is_truncated, "{statement}");
    }
    for statement in HOSTILE.lines() {
        let refused = sql.ask(statement).await;
        assert!(
            matches!(refused, Err(SqlError::Refused(_))),
            "{statement}: {refused:?}"
        );
    }
    let answer = sql
        .ask("select id, slot from tests order by id")
        .await
        .unwrap();
    assert_eq!(answer.columns, ["id", "slot"]);
    assert_eq!(answer.rows[1].get(), r#"{"id":"TC-2","slot":4}"#);
    let failed = sql
        .ask("select slot / 0 as n from tests")
        .await
        .unwrap_err();
    assert!(failed.to_string().contains("division by zero"), "{failed}");
}

#[tokio::test]
async fn answers_and_times_are_bounded() {
    let scene = Scene::new().await;
    let (sql, _) = reader(&scene).await;
    let mut text = "hostname,model,slot\n".to_owned();
    for number in 0..2_000 {
        text.push_str(&format!("n{number},{},{number}\n", "m".repeat(300)));
    }
    let mut options = scene.options(HOSTS);
    options.collection = "hosts".to_owned();
    let file = scene.file("many.csv", text);
    tarsy_knowledge::load(&mut *scene.connection().await, &file, &options, |_| ())
        .await
        .unwrap();
    let rows = sql.ask("select hostname from hosts").await.unwrap();
    assert_eq!((rows.rows.len(), rows.is_truncated), (200, true));
    let bytes = sql
        .ask("select hostname, model, slot from hosts where slot > 10")
        .await
        .unwrap();
    assert!(bytes.is_truncated && bytes.rows.len() < 200);
    let endless = "select count(*) as n from hosts a cross join hosts b cross join hosts c cross join hosts d";
    assert!(matches!(sql.ask(endless).await, Err(SqlError::TimedOut)));
    // The connection stays usable.
    assert_eq!(
        sql.ask("select count(*) from tests").await.unwrap().rows[0].get(),
        r#"{"count":2}"#
    );
}

/// Each FETCH takes less than the limit, but all together take far longer.
#[tokio::test]
async fn the_time_of_a_statement_is_that_of_all_its_rows() {
    let scene = Scene::new().await;
    let (sql, _) = reader(&scene).await;
    let mut text = "hostname,model,slot\n".to_owned();
    (0..2_000).for_each(|number| text.push_str(&format!("n{number},m,{number}\n")));
    let mut options = scene.options(HOSTS);
    options.collection = "hosts".to_owned();
    let file = scene.file("many.csv", text);
    tarsy_knowledge::load(&mut *scene.connection().await, &file, &options, |_| ())
        .await
        .unwrap();
    let slow = |rows: u32| {
        format!(
            "select h.hostname, (select count(*) from hosts a cross join (select slot from hosts limit 40) b
                where a.slot + b.slot > h.slot) as n from hosts h limit {rows}"
        )
    };
    // A single FETCH is allowed, so it is their sum that is too long.
    sql.ask(&slow(10)).await.unwrap();
    let begun = tokio::time::Instant::now();
    assert!(matches!(
        sql.ask(&slow(2_000)).await,
        Err(SqlError::TimedOut)
    ));
    // 3 s, and time for a busy machine. It would be 10 s if each FETCH had 3 s.
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
}

/// Sends refused statements without the guard, to check that the login refuses them too.
#[tokio::test]
async fn the_login_alone_can_do_no_harm() {
    let scene = Scene::new().await;
    let (_, pool) = reader(&scene).await;
    sqlx::query("create table public.secrets as select 1 as a")
        .execute(scene.db.pool())
        .await
        .unwrap();
    for sql in [
        "select * from knowledge.records",
        "select * from knowledge.chunks",
        "select * from public.secrets",
        "select * from public.api_keys",
        "select * from public.alert_sessions",
        "select * from pg_catalog.pg_authid",
        "delete from knowledge_views.tests",
        "update knowledge_views.tests set record_key = 'x'",
        "set session characteristics as transaction read write; create table knowledge_views.x (a int)",
        "begin read write; create table public.x (a int)",
        "begin read write; drop view knowledge_views.tests",
        "begin read write; delete from knowledge.records",
        "begin read write; create schema mine",
        "set role postgres",
        "set session authorization postgres",
        "select set_config('role', 'postgres', false)",
        "select pg_read_file('/etc/passwd')",
        "select pg_ls_dir('/')",
        "select lo_import('/etc/passwd')",
        "copy knowledge_views.tests to program 'id'",
        "copy knowledge_views.tests to '/tmp/tarsy-knowledge-test'",
        "create extension dblink",
        "alter system set log_statement = 'all'",
        "select pg_reload_conf()",
        "select pg_switch_wal()",
        "create role other superuser",
        "begin read write; create temporary table x (a int)",
        "begin read write; select 1 as a into temporary x",
        "set temp_file_limit = -1",
        "select * from tests",
    ] {
        let mut connection = pool.acquire().await.unwrap();
        let done = connection.execute(AssertSqlSafe(sql)).await;
        assert!(done.is_err(), "{sql}");
        connection.close().await.unwrap();
    }
    for (setting, value) in [("statement_timeout", "5s"), ("temp_file_limit", "256MB")] {
        let set: String = sqlx::query_scalar("select pg_catalog.current_setting($1)")
            .bind(setting)
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(set, value, "{setting}");
    }
}

#[tokio::test]
async fn a_role_with_rights_is_no_reader() {
    let scene = Scene::new().await;
    let mut connection = scene.connection().await;
    for name in ["postgres", "x; drop", "Reader"] {
        let login = ReaderLogin {
            name: name.to_owned(),
            password: "x".to_owned(),
        };
        assert!(
            grant_reader(&mut connection, &login).await.is_err(),
            "{name}"
        );
    }
}
