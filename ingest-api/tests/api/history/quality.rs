//! The quality report: its sums are those of the sessions, by chain, model and configuration.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{execute, many};
use crate::server::Server;

/// Adds verdicts, ratings, model calls and tool calls to the sessions of [`many`].
async fn recorded(server: &Server) {
    execute(
        server,
        r#"update alert_sessions set completed_at_us = now_us() - 3000000 - (alert_data ->> 'number')::bigint,
               verdict = (array['supported', 'unsupported', 'not_investigated'])[1 + (alert_data ->> 'number')::int % 3],
               verdict_check = jsonb_build_object('checked', 4, 'found', 3, 'calls', 0, 'tools_offered', true,
                   'unknown_names', case (alert_data ->> 'number')::int % 3 when 1 then '["ghost"]'::jsonb else '[]' end)
           where completed_at_us is not null;
           insert into session_care (session_id, rating)
           select session_id, case when (alert_data ->> 'number')::int % 2 = 0 then 'right' else 'wrong' end::answer_rating
           from alert_sessions where completed_at_us is not null and (alert_data ->> 'number')::int <= 10;
           insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms, configuration_hash)
           select gen_random_uuid(), session_id, 7, 'more', 'structured-agent:Analyst', 'default', 1000,
               repeat((array['a', 'b', 'b'])[1 + (alert_data ->> 'number')::int % 3], 64) from alert_sessions;
           insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider, model_name,
               new_messages, input_tokens, output_tokens, cost_usd, answered_by, success, step_description, claim_epoch)
           select gen_random_uuid(), e.session_id, e.execution_id, n, n, 'iteration', 'p', case n when 1 then 'rare' else 'usual' end, '[]',
               100, 10, 0.01, case n when 3 then 'q/usual' end, true, '', 1
           from stage_executions e, generate_series(1, 3) n where e.stage_index = 7;
           insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name, communication_type,
               tool_name, tool_arguments, effect, success, refused, step_description, claim_epoch)
           select gen_random_uuid(), e.session_id, e.execution_id, 10 + n, n, (array['k8s', 'k8s', 'loki', 'k8s', 'tarsy'])[n], 'tool_call',
               'get', '{"name": "a"}', 'read_only', n in (1, 2), n = 4, '', 1
           from stage_executions e join alert_sessions s using (session_id), generate_series(1, 5) n
           where e.stage_index = 7 and s.verdict <> 'not_investigated'"#,
    )
    .await;
}

async fn score(server: &Server, limit: i64) {
    let mut conn = server.db().acquire().await.unwrap();
    while tarsy_store::quality::score_ended_sessions(&mut conn, limit, Duration::ZERO)
        .await
        .unwrap()
        >= limit.unsigned_abs()
    {}
}

async fn quality(server: &Server, query: &str) -> Value {
    let answer = server.get(&format!("/api/v1/quality{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.body
}

#[tokio::test]
async fn sums_are_those_of_the_sessions_by_chain_model_and_configuration() {
    let server = Server::start().await;
    many(&server).await;
    recorded(&server).await;
    assert_eq!(quality(&server, "").await["total"]["sessions"], 0);
    score(&server, 7).await;

    let by_chain = quality(&server, "").await;
    let total = &by_chain["total"];
    // There are ten of each verdict. Of those that are rated, the even numbers up to 10 are right.
    assert_eq!(total["sessions"], 30);
    assert_eq!(
        total["verdicts"],
        json!({
            "supported": {"sessions": 10, "right": 1, "partly_right": 0, "wrong": 2},
            "unsupported": {"sessions": 10, "right": 2, "partly_right": 0, "wrong": 2},
            "not_investigated": {"sessions": 10, "right": 2, "partly_right": 0, "wrong": 1},
        })
    );
    for (name, expected) in [
        ("without_call", 10),
        ("guessing", 10),
        ("with_gap", 20),
        ("checked", 120),
        ("found", 90),
        ("calls", 60),
        ("failed_calls", 20),
        ("repeated_calls", 20),
        ("refused_calls", 20),
        ("tokens", 30 * 330),
    ] {
        assert_eq!(total[name], expected, "{name}: {total}");
    }
    let names = |body: &Value| -> Vec<Value> {
        let groups = body["groups"].as_array().unwrap();
        groups.iter().map(|group| group["name"].clone()).collect()
    };
    assert_eq!(names(&by_chain), ["chain-0", "chain-1"]);
    assert_eq!(by_chain["groups"][0]["sessions"], 15);
    let steps = by_chain["steps"].as_array().unwrap();
    let in_steps: i64 = steps
        .iter()
        .flat_map(|step| step["verdicts"].as_object().unwrap().values())
        .map(|number| number.as_i64().unwrap())
        .sum();
    assert_eq!(in_steps, 30);
    let by_model = quality(&server, "?by=model&step=hour").await;
    assert_eq!(names(&by_model), ["usual"]);
    for name in ["verdicts", "calls", "tokens", "found"] {
        assert_eq!(by_model["total"][name], total[name], "{name}");
    }
    assert!((total["cost_usd"].as_f64().unwrap() - 0.9).abs() < 1e-9);
    assert_eq!(by_model["is_scored"], true);
    let by_configuration = quality(&server, "?by=configuration").await;
    assert_eq!(
        names(&by_configuration),
        ["Analyst bbbbbbbbbbbb", "Analyst aaaaaaaaaaaa"]
    );
    assert_eq!(by_configuration["groups"][0]["sessions"], 20);
    for wrong in ["?by=agent", "?from=-1", "?step=month"] {
        let answer = server.get(&format!("/api/v1/quality{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn a_session_is_scored_once_again_if_it_was_run_again_and_also_if_it_commits_late() {
    let server = Server::start().await;
    many(&server).await;
    recorded(&server).await;
    score(&server, 100).await;
    let before = quality(&server, "").await;
    score(&server, 100).await;
    assert_eq!(quality(&server, "").await["total"], before["total"]);

    // The session ends again before the cursor, with another verdict, as if its transaction committed late.
    execute(
        &server,
        "update alert_sessions set verdict = 'no_fault', completed_at_us = completed_at_us - 1000000 where alert_data ->> 'number' = '3'",
    )
    .await;
    score(&server, 100).await;
    let after = quality(&server, "").await;
    assert_eq!(after["total"]["verdicts"]["no_fault"]["sessions"], 1);
    assert_eq!(after["total"]["sessions"], 30);
    execute(
        &server,
        "update session_scores_cursor set completed_at_us = 0",
    )
    .await;
    assert_eq!(quality(&server, "").await["is_scored"], true);
    execute(&server, "delete from alert_sessions").await;
    assert_eq!(quality(&server, "").await["total"]["sessions"], 0);
}

/// A verdict's document with another format counts as nothing.
#[tokio::test]
async fn a_check_of_another_form_counts_nothing() {
    let server = Server::start().await;
    many(&server).await;
    execute(
        &server,
        r#"update alert_sessions set completed_at_us = now_us() - 3000000, verdict = 'supported',
               verdict_check = '{"checked": "many", "found": 1e30, "unknown_names": {"a": 1}, "tools_offered": 3}'
           where completed_at_us is not null"#,
    )
    .await;
    score(&server, 100).await;
    let total = &quality(&server, "").await["total"];
    assert_eq!(
        (
            &total["checked"],
            &total["guessing"],
            &total["without_call"]
        ),
        (&json!(0), &json!(0), &json!(0)),
        "{total}"
    );
}

fn evaluation(name: &str) -> Value {
    json!({"name": name, "summary": {
        "provider": "gemini", "model": "m-1", "strategy": "react", "configuration": "0123456789ab", "cases": 47, "scored": 47, "right": 40, "right_low": 0.75,
        "right_high": 0.94, "constant_right": 10, "facts": 90, "facts_said": 80, "guessed": 2, "healthy": 10, "false_alarms": 1,
        "without_call": 0, "tokens": 12_345, "cost_usd": 0.5, "tags": [{"tag": "kubernetes", "cases": 12, "right": 11}],
        "judge": {"model": "m-2", "same": 70, "answered": 80},
        "against": {"name": "older", "regressed": ["redis-evictions"], "improved": [], "p_of_cases": 1.0},
    }})
}

#[tokio::test]
async fn evaluations_are_kept_as_they_were_sent_and_listed_newest_first() {
    let server = Server::start().await;
    for name in ["first", "second"] {
        let kept = server
            .post("/api/v1/admin/evaluations", &evaluation(name))
            .await;
        assert_eq!(kept.status, StatusCode::CREATED, "{kept:?}");
        assert_eq!(kept.body["summary"], evaluation(name)["summary"]);
    }
    let listed = server.get("/api/v1/evaluations").await.body;
    let listed = listed["evaluations"].as_array().unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(
        (&listed[0]["name"], &listed[1]["name"]),
        (&json!("second"), &json!("first"))
    );
    assert_eq!(listed[0]["summary"], evaluation("second")["summary"]);
    let audited: i64 =
        sqlx::query_scalar("select count(*) from audit_log where action = 'evaluation.keep'")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!(audited, 2);

    let long = "a".repeat(201);
    for name in ["", "  ", "a\0b", long.as_str()] {
        let refused = server
            .post("/api/v1/admin/evaluations", &evaluation(name))
            .await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{name:?}");
    }
    let mut many = evaluation("many");
    many["summary"]["against"]["improved"] = json!(vec!["a"; 1_001]);
    let mut other = evaluation("other");
    other["summary"]["answer"] = json!("what nobody asked for");
    let beyond = |path: &str, value: u64| {
        let mut large = evaluation("large");
        *large.pointer_mut(path).unwrap() = json!(value);
        large
    };
    let (count, tokens) = (1 << 31, 1 << 63);
    for wrong in [
        many,
        other,
        beyond("/summary/healthy", count),
        beyond("/summary/tags/0/right", count),
        beyond("/summary/judge/same", count),
        beyond("/summary/tokens", tokens),
    ] {
        let refused = server.post("/api/v1/admin/evaluations", &wrong).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    // An evaluation that a newer version wrote in another format is left out.
    execute(
        &server,
        "update evaluations set summary = '{}' where name = 'first'",
    )
    .await;
    let listed = server.get("/api/v1/evaluations").await.body;
    assert_eq!(listed["evaluations"].as_array().unwrap().len(), 1);
}
