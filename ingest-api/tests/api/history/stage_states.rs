//! The state of each stage of a session, in the order of its chain: in lists before and after the
//! tally, and in the detail.

use std::time::Duration;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tarsy_chain::{ChainDefinition, RowPlace, Success, ancestors, retain_current, settled_status};
use tarsy_model::StageStatus;
use uuid::Uuid;

use super::{SESSIONS, execute};
use crate::server::Server;

/// A row of a stage: its position, branch, number of branches, round and status. Attempts are
/// numbered in the order of the rows.
type Row<'a> = (i32, i32, i32, i32, &'a str);

/// Creates a session with this chain and these rows. It has ended if all rows have.
async fn session(server: &Server, stages: Value, rows: &[Row<'_>]) -> Uuid {
    let is_live = |row: &Row<'_>| matches!(row.4, "active" | "waiting" | "pending");
    let (status, ended) = match rows.iter().any(is_live) {
        true => ("in_progress", "null"),
        false => ("completed", "now_us()"),
    };
    let statement = format!(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
             fingerprint, status, completed_at_us, chain_id, chain_definition)
         values ($1, $1, 'kubernetes', '{{}}', 'warning', 0, 'api', $1::text, $2::session_status, {ended}, 'c', $3)"
    );
    let id = Uuid::now_v7();
    sqlx::query(sqlx::AssertSqlSafe(statement))
        .bind(id)
        .bind(status)
        .bind(json!({"chain_id": "c", "alert_types": ["kubernetes"], "stages": stages}))
        .execute(server.db())
        .await
        .unwrap();
    for (number, (stage, branch, branches, round, status)) in (1..).zip(rows) {
        sqlx::query(
            "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, round, timeout_ms,
                 branch, branch_count, status, completed_at_us)
             values (gen_random_uuid(), $1, $2, 's' || $2::int, 'a', 'default', $3, $4, 1, $5, $6, $7::stage_status,
                 case when $7::stage_status in ('completed', 'failed', 'cancelled', 'skipped') then now_us() end)",
        )
        .bind(id)
        .bind(stage)
        .bind(number)
        .bind(round)
        .bind(branch)
        .bind(branches)
        .bind(status)
        .execute(server.db())
        .await
        .unwrap();
    }
    id
}

fn chain(names: &[&str]) -> Value {
    let stages = names.iter();
    stages
        .map(|name| json!({"name": name, "agent": "a"}))
        .collect()
}

async fn line(server: &Server, session: Uuid) -> Value {
    let list = server
        .get(&format!("{SESSIONS}?follow_ups=show&page_size=100"))
        .await;
    let mut lines = list.body["sessions"].as_array().unwrap().iter();
    let found = lines.find(|line| line["session_id"] == json!(session));
    found.unwrap().clone()
}

/// Returns `name status` of each stage.
fn states(of: &Value) -> Vec<String> {
    let stages = of["stage_states"].as_array().unwrap().iter();
    let lines = stages.map(|stage| {
        let word = |name: &str| stage[name].as_str().unwrap();
        format!("{} {}", word("name"), word("status"))
    });
    lines.collect()
}

async fn tally(server: &Server) {
    let mut conn = server.db().acquire().await.unwrap();
    tarsy_store::history::tally_ended_sessions(&mut conn, 1_000, Duration::ZERO)
        .await
        .unwrap();
}

/// Checks that the list before and after the tally and the detail show the same states, and returns them.
async fn everywhere(server: &Server, session: Uuid) -> Vec<String> {
    let counted = line(server, session).await;
    tally(server).await;
    let tallied = line(server, session).await;
    assert_eq!(states(&tallied), states(&counted), "a tally says the same");
    let detail = server.get(&format!("{SESSIONS}/{session}")).await.body;
    assert_eq!(states(&detail), states(&counted), "and so does the detail");
    states(&counted)
}

#[tokio::test]
async fn the_stage_that_failed_is_the_one_that_is_shown_as_failed() {
    let server = Server::start().await;
    let stages = chain(&["collect", "correlate", "report"]);
    let rows = [
        (0, 0, 1, 0, "completed"),
        (1, 0, 1, 0, "failed"),
        (2, 0, 1, 0, "completed"),
    ];
    let partial = session(&server, stages, &rows).await;
    assert_eq!(
        everywhere(&server, partial).await,
        ["collect completed", "correlate failed", "report completed"]
    );
    let line = line(&server, partial).await;
    assert_eq!(
        (&line["completed_stages"], &line["failed_stages"]),
        (&json!(2), &json!(1))
    );
}

#[tokio::test]
async fn a_stage_that_waits_is_waiting_and_one_that_was_skipped_is_skipped() {
    let server = Server::start().await;
    let gated = session(
        &server,
        chain(&["look", "gate", "clean-up"]),
        &[(0, 0, 1, 0, "completed"), (1, 0, 1, 0, "waiting")],
    )
    .await;
    assert_eq!(
        everywhere(&server, gated).await,
        ["look completed", "gate waiting", "clean-up not_started"]
    );
    let skipped = session(
        &server,
        chain(&["look", "deep", "report"]),
        &[
            (0, 0, 1, 0, "completed"),
            (1, 0, 1, 0, "skipped"),
            (2, 0, 1, 0, "completed"),
        ],
    )
    .await;
    assert_eq!(
        everywhere(&server, skipped).await,
        ["look completed", "deep skipped", "report completed"]
    );
}

#[tokio::test]
async fn a_stage_with_branches_has_the_status_that_its_chain_continues_with() {
    let server = Server::start().await;
    // The failed branch is not the last one.
    let rows = [
        (0, 0, 3, 0, "completed"),
        (0, 1, 3, 0, "failed"),
        (0, 2, 3, 0, "completed"),
        (1, 0, 1, 0, "completed"),
    ];
    let stages = |success: &str| {
        json!([
            {"name": "evidence", "agent": "a", "branches": {"replicas": 3, "success": success}},
            {"name": "report", "agent": "a"},
        ])
    };
    let all = session(&server, stages("all"), &rows).await;
    assert_eq!(
        everywhere(&server, all).await,
        ["evidence failed", "report completed"]
    );
    let line = line(&server, all).await;
    assert_eq!(
        (&line["completed_stages"], &line["failed_stages"]),
        (&json!(1), &json!(1)),
        "and is counted so"
    );
    let any = session(&server, stages("any"), &rows).await;
    assert_eq!(
        everywhere(&server, any).await,
        ["evidence completed", "report completed"]
    );
}

#[tokio::test]
async fn a_stage_that_a_replay_outdated_has_not_started_and_one_that_does_not_need_it_stays() {
    let server = Server::start().await;
    let stages = json!([
        {"name": "a", "agent": "x"},
        {"name": "b", "agent": "x", "needs": ["a"]},
        {"name": "c", "agent": "x", "needs": ["a"]},
        {"name": "d", "agent": "x", "needs": ["b", "c"]},
    ]);
    let rows = [
        (0, 0, 1, 0, "completed"),
        (1, 0, 1, 0, "failed"),
        (2, 0, 1, 0, "completed"),
        (3, 0, 1, 0, "completed"),
        (1, 0, 1, 1, "active"),
    ];
    let replayed = session(&server, stages, &rows).await;
    assert_eq!(
        everywhere(&server, replayed).await,
        ["a completed", "b active", "c completed", "d not_started"]
    );
}

/// Writes tallies without states, as a worker of the previous version does.
const TALLY_BEFORE: &str = "
    insert into session_tallies as kept
        (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, input_tokens, output_tokens, cost_usd)
    select s.session_id, s.completed_at_us, t.completed_stages, t.failed_stages, t.llm_calls, t.mcp_calls,
           t.input_tokens, t.output_tokens, t.cost_usd
    from tally_sessions(array(select session_id from alert_sessions where completed_at_us is not null)) t
    join alert_sessions s using (session_id)
    on conflict (session_id) do update set
        completed_at_us = excluded.completed_at_us, completed_stages = excluded.completed_stages,
        failed_stages = excluded.failed_stages, llm_calls = excluded.llm_calls, mcp_calls = excluded.mcp_calls,
        input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd";

#[tokio::test]
async fn tallies_of_older_workers_have_the_states_too() {
    let server = Server::start().await;
    let rows = [(0, 0, 1, 0, "completed"), (1, 0, 1, 0, "failed")];
    let stages = chain(&["look", "tell"]);
    let session = session(&server, stages, &rows).await;
    let kept = async || -> Option<String> {
        sqlx::query_scalar("select stage_states from session_tallies where session_id = $1")
            .bind(session)
            .fetch_one(server.db())
            .await
            .unwrap()
    };
    execute(&server, TALLY_BEFORE).await;
    assert_eq!(kept().await.as_deref(), Some("cf"));

    // The session is replayed, and an older worker tallies it again.
    let again = "update stage_executions set status = 'completed' where stage_index = 1;
                 update alert_sessions set completed_at_us = completed_at_us + 1";
    execute(&server, again).await;
    assert_eq!(
        states(&line(&server, session).await),
        ["look completed", "tell completed"],
        "a tally is of one end"
    );
    execute(&server, TALLY_BEFORE).await;
    assert_eq!(kept().await.as_deref(), Some("cc"));

    // A row that was written before states were stored.
    execute(&server, "alter table session_tallies disable trigger user").await;
    execute(&server, "update session_tallies set stage_states = null").await;
    assert_eq!(
        states(&line(&server, session).await),
        ["look completed", "tell completed"]
    );
}

fn statuses() -> impl Strategy<Value = StageStatus> {
    proptest::sample::select(vec![
        StageStatus::Pending,
        StageStatus::Active,
        StageStatus::Waiting,
        StageStatus::Completed,
        StageStatus::Completed,
        StageStatus::Failed,
        StageStatus::Cancelled,
        StageStatus::Skipped,
    ])
}

/// Generates a chain of four stages with needs, branches and rules of success, and the rows of a
/// session of it.
fn sessions() -> impl Strategy<Value = (Value, Vec<(RowPlace, i32, StageStatus)>)> {
    let stage = (
        proptest::option::of(proptest::collection::vec(0_usize..4, 0..3)),
        any::<bool>(),
    );
    let stages = proptest::collection::vec(stage, 4);
    let runs = proptest::collection::vec(
        (
            0_i32..4,
            1_i32..4,
            0_i32..3,
            proptest::collection::vec(statuses(), 3),
        ),
        0..8,
    );
    (stages, runs).prop_map(|(stages, runs)| {
        let stages = stages.into_iter().enumerate().map(|(at, (needs, is_any))| {
            let mut stage = json!({"name": format!("s{at}"), "agent": "a"});
            if let Some(needs) = needs {
                let mut needs: Vec<usize> = needs.into_iter().filter(|need| *need < at).collect();
                needs.dedup();
                stage["needs"] = needs.iter().map(|need| format!("s{need}")).collect();
            }
            if is_any {
                stage["branches"] = json!({"replicas": 3, "success": "any"});
            }
            stage
        });
        let mut attempts = 0;
        let rows = runs
            .into_iter()
            .flat_map(|(stage_index, branch_count, round, statuses)| {
                let branches = (0..branch_count).zip(statuses);
                let rows = branches.map(|(branch, status)| {
                    attempts += 1;
                    let place = RowPlace {
                        stage_index,
                        branch,
                        branch_count,
                        attempt: attempts,
                    };
                    (place, round, status)
                });
                rows.collect::<Vec<_>>()
            });
        (stages.collect(), rows.collect())
    })
}

/// Returns the states that the rules of chains give.
fn expected(chain: &ChainDefinition, rows: &[(RowPlace, i32, StageStatus)]) -> Vec<&'static str> {
    let mut current = rows.to_vec();
    retain_current(&mut current, |(place, ..)| *place);
    let of = |stage: usize| {
        let rows = current.iter();
        rows.filter(move |(place, ..)| usize::try_from(place.stage_index) == Ok(stage))
    };
    let state = |at: usize| {
        let statuses: Vec<StageStatus> = of(at).map(|row| row.2).collect();
        let newer = |own: i32| {
            let mut needed = ancestors(&chain.stages, at).into_iter();
            needed.any(|need| of(need).any(|row| row.1 > own))
        };
        match of(at).map(|row| row.1).min() {
            None => return "not_started",
            Some(own) if newer(own) => return "not_started",
            Some(_) => {}
        }
        let branches = chain.stages[at].branches.as_ref();
        let success = branches.map_or(Success::All, |branches| branches.success);
        let open = [
            StageStatus::Active,
            StageStatus::Waiting,
            StageStatus::Pending,
        ];
        let open = open.into_iter().find(|status| statuses.contains(status));
        let status = settled_status(success, &statuses).or(open);
        status.map_or("not_started", StageStatus::as_str)
    };
    (0..chain.stages.len()).map(state).collect()
}

#[tokio::test]
async fn states_follow_the_rules_of_chains() {
    let server = Server::start().await;
    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    for _ in 0..60 {
        let (stages, rows) = sessions().new_tree(&mut runner).unwrap().current();
        let definition = json!({"chain_id": "c", "alert_types": ["kubernetes"], "stages": stages});
        let definition: ChainDefinition = serde_json::from_value(definition).unwrap();
        let flat: Vec<Row<'_>> = rows
            .iter()
            .map(|(at, round, status)| {
                (
                    at.stage_index,
                    at.branch,
                    at.branch_count,
                    *round,
                    status.as_str(),
                )
            })
            .collect();
        let id = session(&server, stages.clone(), &flat).await;
        cases.push((id, expected(&definition, &rows), stages, flat.len()));
    }
    tally(&server).await;
    for (id, expected, stages, rows) in cases {
        let line = line(&server, id).await;
        let states: Vec<&str> = line["stage_states"]
            .as_array()
            .unwrap()
            .iter()
            .map(|stage| stage["status"].as_str().unwrap())
            .collect();
        assert_eq!(states, expected, "{stages} with {rows} rows: {line}");
    }
}
