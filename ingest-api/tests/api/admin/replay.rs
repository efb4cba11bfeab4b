//! `POST sessions/{id}/stages/{i}/replay`.

use reqwest::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::scenes::{CHAIN, accepted, ask, ask_with, failed, logged, text};
use crate::server::Server;

#[tokio::test]
async fn a_failed_stage_gets_a_new_attempt_and_its_session_continues() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let before: Vec<Value> =
        sqlx::query_scalar("select to_jsonb(e) from stage_executions e order by stage_index")
            .fetch_all(server.db())
            .await
            .unwrap();
    let wish = json!({"llm_provider": "openai", "iteration_strategy": "react-stage"});
    let answer = ask_with(
        &server,
        &format!("/sessions/{session}/stages/1/replay"),
        wish,
    )
    .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    assert_eq!(
        (&answer.body["stage_index"], &answer.body["attempt"]),
        (&json!(1), &json!(2))
    );
    let execution: Uuid = answer.body["execution_id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();

    let columns = "select concat_ws(' ', stage_name, attempt, round, status, iteration_strategy, llm_provider, pool)
                  from stage_executions where execution_id = $1";
    assert_eq!(
        text(&server, columns, execution).await,
        "analyse 2 1 pending react-stage openai gpu"
    );
    let columns = "select concat_ws(' ', status, outcome, completed_at_us, final_analysis, current_stage_index)
                  from alert_sessions where session_id = $1";
    assert_eq!(
        text(&server, columns, session).await,
        "in_progress 1",
        "its end is taken back"
    );
    let job = "select concat_ws(' ', queue, kind, state, priority) from jobs where subject = $1";
    assert_eq!(
        text(&server, job, execution).await,
        "stage:gpu stage ready 1"
    );
    let after: Vec<Value> = sqlx::query_scalar(
        "select to_jsonb(e) from stage_executions e where attempt = 1 order by stage_index",
    )
    .fetch_all(server.db())
    .await
    .unwrap();
    assert_eq!(after, before, "what happened stays as it was");
    let events: Vec<String> = sqlx::query_scalar(
        "select concat_ws(' ', kind, payload ->> 'status', payload ->> 'attempt') from events order by id desc limit 2",
    )
    .fetch_all(server.db())
    .await
    .unwrap();
    assert_eq!(
        events,
        [
            "stage_progress pending 2",
            "session_status_change in_progress"
        ]
    );
    assert_eq!(
        logged(&server).await,
        [("stage.replay".to_owned(), session.to_string())]
    );

    let line = server.get("/api/v1/history/sessions").await.body["sessions"][0].clone();
    assert_eq!(
        (&line["completed_stages"], &line["failed_stages"]),
        (&json!(1), &json!(0)),
        "what the replay supersedes does not count"
    );
    let alert = "select alert_id::text from alert_sessions where session_id = $1";
    let alert = text(&server, alert, session).await;
    let status = server.get(&format!("/alerts/{alert}")).await.body;
    assert_eq!(
        (&status["status"], &status["progress"]),
        (&json!("processing"), &json!(33))
    );
    assert_eq!(
        status["step"],
        "stage 2 of 3, analyse: waiting for a worker"
    );

    let again = ask(&server, &format!("/sessions/{session}/stages/1/replay")).await;
    assert_eq!(
        (again.status, &again.body["code"]),
        (StatusCode::CONFLICT, &json!("session_running"))
    );
}

#[tokio::test]
async fn a_provider_holds_for_the_replayed_stage_or_for_the_later_ones_too() {
    let server = Server::configured(CHAIN).await;
    let planned = "select string_agg(concat_ws(' ', stage ->> 'name', stage ->> 'llm_provider'), ', ' order by at)
                   from alert_sessions, jsonb_array_elements(chain_definition -> 'stages') with ordinality s (stage, at) where session_id = $1";
    let alone = failed(&server, json!({"n": 1})).await;
    let before = text(&server, planned, alone).await;
    let replay = async |session: Uuid, wish: Value| {
        let path = format!("/sessions/{session}/stages/1/replay");
        ask_with(&server, &path, wish).await
    };
    let answer = replay(alone, json!({"llm_provider": "openai"})).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    assert_eq!(text(&server, planned, alone).await, before);

    let all = failed(&server, json!({"n": 2})).await;
    let wish = json!({"llm_provider": "openai", "later_stages": true});
    let answer = replay(all, wish).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let stages: Vec<String> = before.split(", ").map(str::to_owned).collect();
    let expected = format!("{}, {}, report openai", stages[0], stages[1]);
    assert_ne!(before, expected, "it would show nothing");
    assert_eq!(text(&server, planned, all).await, expected);
    let noted = "select details ->> 'later_stages' from audit_log where subject = $1::text";
    assert_eq!(text(&server, noted, all).await, "true");

    let nothing = failed(&server, json!({"n": 3})).await;
    let refused = replay(nothing, json!({"later_stages": true})).await;
    assert_eq!(
        refused.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{refused:?}"
    );
    assert_eq!(refused.body["errors"][0]["field"], "later_stages");
}

#[tokio::test]
async fn what_can_not_be_replayed_is_refused_by_its_own_code_and_changes_nothing() {
    let server = Server::configured(CHAIN).await;
    let live = accepted(&server, json!({"live": true})).await;
    let session = failed(&server, json!({"n": 1})).await;
    for (path, body, status, code) in [
        (
            format!("{live}/stages/0"),
            json!({}),
            409,
            "session_running",
        ),
        (
            format!("{session}/stages/3"),
            json!({}),
            404,
            "stage_not_found",
        ),
        (
            format!("{session}/stages/-1"),
            json!({}),
            400,
            "invalid_parameter",
        ),
        (
            format!("{session}/stages/99999999999"),
            json!({}),
            400,
            "invalid_parameter",
        ),
        (
            format!("{}/stages/0", Uuid::now_v7()),
            json!({}),
            404,
            "session_not_found",
        ),
        ("x/stages/0".to_owned(), json!({}), 404, "session_not_found"),
        (
            format!("{session}/stages/1"),
            json!({"llm_provider": "gemini"}),
            422,
            "invalid_request",
        ),
        (
            format!("{session}/stages/1"),
            json!({"iteration_strategy": "hope"}),
            422,
            "invalid_request",
        ),
        (
            format!("{session}/stages/1"),
            json!({"provider": "openai"}),
            422,
            "invalid_request",
        ),
    ] {
        let answer = ask_with(&server, &format!("/sessions/{path}/replay"), body).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["code"]),
            (status, &json!(code)),
            "{path}: {answer:?}"
        );
    }
    // The same alert arrives again. Its new session must end before the old one can be replayed.
    let twin = accepted(&server, json!({"n": 1})).await;
    assert_ne!(twin, session);
    let answer = ask(&server, &format!("/sessions/{session}/stages/1/replay")).await;
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (StatusCode::CONFLICT, &json!("alert_is_live"))
    );
    assert_eq!(
        (
            server.count("stage_executions").await,
            server.count("audit_log").await
        ),
        (3, 0)
    );
    let status = "select status::text from alert_sessions where session_id = $1";
    assert_eq!(text(&server, status, session).await, "completed");
}

#[tokio::test]
async fn a_chain_job_that_was_decided_before_a_replay_writes_nothing_after_it() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    // Two stages ended at the same time. The chain job of one ended the session; the worker of the
    // other is about to do so.
    let held = "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, owner, epoch, expires_at)
                values (gen_random_uuid(), 'chain', 'chain', $1, 'null', 1, 'running', now(), now(), 5, gen_random_uuid(), 1,
                        now() + interval '1 hour')";
    sqlx::query(held)
        .bind(session)
        .execute(server.db())
        .await
        .unwrap();
    let answer = ask(&server, &format!("/sessions/{session}/stages/1/replay")).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let left = "select count(*)::text from jobs where subject = $1";
    assert_eq!(text(&server, left, session).await, "0", "its claim is gone");
    assert_eq!(server.count("jobs").await, 1, "the new attempt's");
}

#[tokio::test]
async fn a_replay_that_is_refused_leaves_the_chain_job() {
    let server = Server::configured(CHAIN).await;
    let session = accepted(&server, json!({})).await;
    let answer = ask(&server, &format!("/sessions/{session}/stages/1/replay")).await;
    assert_eq!(answer.status, StatusCode::CONFLICT, "{answer:?}");
    assert_eq!(server.count("jobs").await, 1, "the session's");
}

#[tokio::test]
async fn an_outdated_stage_is_replayed_before_the_stages_that_need_it() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    // `collect` was replayed, and the session was cancelled before `analyse` followed.
    let again = "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, llm_provider,
                     pool, timeout_ms, attempt, round, status, error_class, completed_at_us)
                 select gen_random_uuid(), session_id, 0, stage_name, agent, iteration_strategy, llm_provider, pool, timeout_ms, 2, 1,
                     'cancelled', 'cancelled', 3
                 from stage_executions where session_id = $1 and stage_index = 0";
    sqlx::query(again)
        .bind(session)
        .execute(server.db())
        .await
        .unwrap();
    let replay = |stage: i32| format!("/sessions/{session}/stages/{stage}/replay");
    let refused = ask(&server, &replay(2)).await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (StatusCode::CONFLICT, &json!("stage_not_failed")),
        "{refused:?}"
    );
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("replay `analyse`"), "{detail}");
    let answer = ask(&server, &replay(1)).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
}
