//! The usage report: its sums are those of the calls, for every grouping, before and after they are
//! summed up.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{execute, many};
use crate::server::Server;

/// Adds model calls and tool calls of different models, agents and times to the sessions of [`many`].
async fn calls(server: &Server) {
    execute(
        server,
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms)
         select gen_random_uuid(), session_id, 7, 'more', 'agent-' || (alert_data ->> 'number')::int % 3, 'default', 1000
         from alert_sessions",
    )
    .await;
    execute(
        server,
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us,
             duration_ms, provider, model_name, new_messages, input_tokens, output_tokens, cached_tokens, cost_usd, price_as_of,
             answered_by, success, step_description, claim_epoch)
         select gen_random_uuid(), e.session_id, e.execution_id, n, n, 'iteration', s.started_at_us + n * 1800000000::bigint,
                case when n <> 3 then 100 * n end, 'p' || n % 2, case n when 4 then '=cmd' else 'm' || n end, '[]',
                case when n <> 3 then 1000 * n end, case when n <> 3 then 10 * n end, n,
                case when n in (1, 2) then 0.01 * n end, case when n = 2 then '2026-10-24' end,
                case when n = 1 then 'other/m9/x' end, n <> 5, '', 1
         from stage_executions e join alert_sessions s using (session_id), generate_series(1, 5) n where e.stage_index = 7",
    )
    .await;
    execute(
        server,
        "insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, timestamp_us, duration_ms,
             server_name, communication_type, tool_name, effect, success, step_description, claim_epoch)
         select gen_random_uuid(), e.session_id, e.execution_id, 10 + n, n, s.started_at_us, 7, 'k8s', 
                case n when 3 then 'tool_list' else 'tool_call' end, 'get' || n, 'read_only', n = 1, '', 1
         from stage_executions e join alert_sessions s using (session_id), generate_series(1, 3) n where e.stage_index = 7",
    )
    .await;
    execute(
        server,
        "insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, timestamp_us, duration_ms,
             server_name, communication_type, tool_name, effect, success, step_description, claim_epoch)
         select gen_random_uuid(), e.session_id, e.execution_id, 14, 4, s.started_at_us, 0, '', 'tool_call', 'x.restart', 'read_only',
                false, '', 1
         from stage_executions e join alert_sessions s using (session_id) where e.stage_index = 7",
    )
    .await;
    // All calls were made before the sessions ended.
    execute(
        server,
        "update alert_sessions set started_at_us = now_us() - 86400000000 + (alert_data ->> 'number')::bigint * 60000000,
             completed_at_us = case when completed_at_us is not null then now_us() - 2000000 end",
    )
    .await;
    execute(
        server,
        "update llm_interactions i set timestamp_us = s.started_at_us + i.sequence * 1800000000::bigint
         from alert_sessions s where s.session_id = i.session_id",
    )
    .await;
    execute(
        server,
        "update mcp_interactions i set timestamp_us = s.started_at_us from alert_sessions s where s.session_id = i.session_id",
    )
    .await;
}

async fn count(server: &Server) {
    let mut conn = server.db().acquire().await.unwrap();
    while tarsy_store::usage::count_ended_usage(&mut conn, 7, Duration::ZERO)
        .await
        .unwrap()
        >= 7
    {}
}

fn sum(rows: &Value, name: &str) -> f64 {
    let rows = rows.as_array().unwrap();
    rows.iter().map(|row| row[name].as_f64().unwrap()).sum()
}

const SUMMED: [&str; 8] = [
    "calls",
    "failed",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost_usd",
    "unpriced_tokens",
    "uncounted_calls",
];

/// Returns the sums of the rows themselves.
async fn truth(server: &Server) -> Value {
    sqlx::query_scalar(
        "select jsonb_build_object('calls', count(*), 'failed', count(*) filter (where success is false),
             'input_tokens', coalesce(sum(input_tokens), 0), 'cached_tokens', coalesce(sum(cached_tokens), 0),
             'output_tokens', coalesce(sum(output_tokens), 0), 'cost_usd', coalesce(sum(cost_usd), 0),
             'unpriced_tokens', coalesce(sum(input_tokens + output_tokens) filter (where cost_usd is null), 0),
             'uncounted_calls', count(*) filter (where success and input_tokens is null))
         from llm_interactions join alert_sessions using (session_id) where status <> 'pending'",
    )
    .fetch_one(server.db())
    .await
    .unwrap()
}

fn close(a: &Value, b: &Value) -> bool {
    (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-6
}

#[tokio::test]
async fn sums_of_groups_and_steps_are_the_total_before_and_after_they_are_summed_up() {
    let server = Server::start().await;
    many(&server).await;
    calls(&server).await;
    let truth = truth(&server).await;
    assert!(truth["calls"].as_i64() > Some(100), "{truth}");
    let mut before = Vec::new();
    for round in 0..2 {
        for by in ["provider", "model", "chain", "agent", "tool"] {
            for step in ["hour", "day", "week"] {
                let usage = server
                    .get(&format!("/api/v1/usage?by={by}&step={step}"))
                    .await
                    .body;
                for name in SUMMED {
                    let total = &usage["total"][name];
                    assert!(
                        close(total, &json!(sum(&usage["groups"], name))),
                        "{by} {step} {name}: {usage}"
                    );
                    assert!(
                        close(total, &json!(sum(&usage["steps"], name))),
                        "{by} {step} {name}: {usage}"
                    );
                    if by != "tool" {
                        assert!(
                            close(total, &truth[name]),
                            "{by} {step} {name}: {usage} {truth}"
                        );
                    }
                }
                let shown = json!([
                    usage["total"],
                    usage["groups"],
                    usage["steps"],
                    usage["not_priced"]
                ]);
                if round == 0 {
                    before.push(shown);
                } else {
                    let (was, is) = (before.remove(0), shown);
                    // Sums of floats depend on the order of their terms, so they are compared approximately.
                    assert_eq!(
                        was[2].as_array().unwrap().len(),
                        is[2].as_array().unwrap().len()
                    );
                    assert_eq!(
                        (
                            &was[0]["calls"],
                            &was[0]["mean_duration_ms"],
                            &was[0]["max_duration_ms"],
                            &was[0]["prices"],
                            &was[3]
                        ),
                        (
                            &is[0]["calls"],
                            &is[0]["mean_duration_ms"],
                            &is[0]["max_duration_ms"],
                            &is[0]["prices"],
                            &is[3]
                        )
                    );
                }
            }
        }
        count(&server).await;
    }
    // A second count adds nothing. A session that is run again adds only its new calls.
    execute(&server, "update usage_cursor set completed_at_us = 0").await;
    count(&server).await;
    let again = server.get("/api/v1/usage").await.body;
    assert!(close(&again["total"]["calls"], &truth["calls"]), "{again}");
    execute(
        &server,
        "update llm_interactions set timestamp_us = now_us() where sequence = 1",
    )
    .await;
    execute(
        &server,
        "update alert_sessions set completed_at_us = now_us() where completed_at_us is not null",
    )
    .await;
    count(&server).await;
    let ended: i64 = sqlx::query_scalar(
        "select count(*) from llm_interactions join alert_sessions using (session_id) where sequence = 1 and completed_at_us is not null",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    let more = server.get("/api/v1/usage").await.body;
    let grown =
        more["total"]["calls"].as_i64().unwrap() - again["total"]["calls"].as_i64().unwrap();
    assert_eq!(grown, ended, "{more}");
}

#[tokio::test]
async fn models_without_a_price_are_named_and_the_price_used_is_shown() {
    let server = Server::start().await;
    many(&server).await;
    calls(&server).await;
    let usage = server.get("/api/v1/usage").await.body;
    assert_eq!(usage["total"]["is_cost_complete"], false);
    assert_eq!(
        usage["total"]["prices"],
        json!(["catalogue 2026-10-24", "none", "own", "uncounted"])
    );
    let group = |name: &str| {
        let groups = usage["groups"].as_array().unwrap();
        groups
            .iter()
            .find(|group| group["name"] == name)
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(
        group("m9/x")["prices"],
        json!(["own"]),
        "the model that answered: {usage}"
    );
    assert_eq!(group("m2")["prices"], json!(["catalogue 2026-10-24"]));
    assert_eq!(group("m2")["is_cost_complete"], true);
    assert_eq!(group("m3")["is_cost_complete"], false);
    let mut unpriced: Vec<_> = usage["not_priced"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["model"].as_str().unwrap())
        .collect();
    unpriced.sort_unstable();
    assert_eq!(unpriced, ["=cmd", "m3", "m5"], "{usage}");
    let tools = server.get("/api/v1/usage?by=tool").await.body;
    let mut names: Vec<_> = tools["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["k8s.get1", "k8s.get2", "x.restart"],
        "lists of tools are no calls; one of a tool that no server has keeps the model's word"
    );

    let csv = server.get("/api/v1/usage?format=csv").await;
    let text = csv.body.as_str().unwrap_or_default().to_owned();
    assert!(text.contains("\"'=cmd\""), "{text}");
    assert!(!text.contains(",\"=cmd"), "{text}");
}

#[tokio::test]
async fn spans_are_bounded() {
    let server = Server::start().await;
    for wrong in [
        "from=0",
        "step=minute",
        "by=user",
        "from=5&to=5",
        "step=hour&from=1",
        "format=xml",
    ] {
        let answer = server.get(&format!("/api/v1/usage?{wrong}")).await;
        assert_eq!(
            answer.status,
            StatusCode::BAD_REQUEST,
            "{wrong}: {}",
            answer.body
        );
    }
    let none = server.get("/api/v1/usage").await.body;
    assert_eq!(
        (&none["groups"], &none["total"]["is_cost_complete"]),
        (&json!([]), &json!(true))
    );
}

#[tokio::test]
async fn a_session_without_calls_needs_no_mark_and_is_counted_once_it_calls() {
    let server = Server::start().await;
    many(&server).await;
    execute(
        &server,
        "update alert_sessions set completed_at_us = now_us() - 2000000 where completed_at_us is not null",
    )
    .await;
    count(&server).await;
    let marks =
        "select (select count(*) from session_usage_marks) + (select count(*) from usage_hours)";
    let nothing: i64 = sqlx::query_scalar(marks)
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(nothing, 0, "no session has calls");
    // All sessions are run again, now with calls. Those that committed late are found too.
    calls(&server).await;
    execute(
        &server,
        "update usage_cursor set completed_at_us = now_us()",
    )
    .await;
    let mut conn = server.db().acquire().await.unwrap();
    let late = tarsy_store::usage::count_late_usage(&mut conn, 10_000)
        .await
        .unwrap();
    let ended: i64 = sqlx::query_scalar("select count(*) from session_usage_marks")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert!(
        late > 0 && i64::try_from(late) == Ok(ended),
        "{late} {ended}"
    );
    assert_eq!(
        tarsy_store::usage::count_late_usage(&mut conn, 10_000)
            .await
            .unwrap(),
        0,
        "once"
    );
}
