//! Tokens and cost of an investigation: its own calls, and those of its sub-agents and of the
//! questions about it.

use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use super::SESSIONS;
use crate::server::Server;

/// Purpose that a session was created for.
#[derive(Clone, Copy)]
enum Made {
    ForAlert,
    /// Dispatched by a stage of this session.
    By(Uuid),
    /// A question about this session.
    About(Uuid),
}

/// Creates an ended session whose only stage called a model once, with 1,000 tokens in and 100 out.
/// The call cost `cost` dollars; `None` means that it has no price.
async fn session(server: &Server, made: Made, cost: Option<f64>) -> Uuid {
    let (chain, parent, conversation) = match made {
        Made::ForAlert => ("c", None, None),
        Made::By(parent) => ("sub-agent", Some(parent), None),
        Made::About(subject) => ("follow-up", Some(subject), Some(subject)),
    };
    let id = Uuid::now_v7();
    sqlx::query(
        r#"insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint,
               status, completed_at_us, chain_id, chain_definition, parent_session_id, conversation_id)
           values ($1, $1, 'kubernetes', '{}', 'warning', 0, 'api', $1::text, 'completed', now_us(), $2,
               '{"chain_id": "c", "alert_types": [], "stages": [{"name": "look", "agent": "a"}]}', $3, $4)"#,
    )
    .bind(id)
    .bind(chain)
    .bind(parent)
    .bind(conversation)
    .execute(server.db())
    .await
    .unwrap();
    sqlx::query(
        "with stage as (
             insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms, status, completed_at_us)
             values (gen_random_uuid(), $1, 0, 'look', 'a', 'default', 1, 'completed', now_us()) returning execution_id
         )
         insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider,
             model_name, new_messages, step_description, claim_epoch, input_tokens, output_tokens, cost_usd)
         select gen_random_uuid(), $1, execution_id, 0, 1, 'iteration', 'p', 'm', '[]', 'x', 1, 1000, 100, $2 from stage",
    )
    .bind(id)
    .bind(cost)
    .execute(server.db())
    .await
    .unwrap();
    id
}

async fn tally(server: &Server) {
    let mut conn = server.db().acquire().await.unwrap();
    tarsy_store::history::tally_ended_sessions(&mut conn, 1_000, Duration::ZERO)
        .await
        .unwrap();
}

/// Returns cost and tokens of a session in the list.
async fn listed(server: &Server, session: Uuid) -> (f64, i64) {
    let list = server.get(&format!("{SESSIONS}?follow_ups=show")).await;
    let lines = list.body["sessions"].as_array().unwrap().iter();
    let mut lines = lines.filter(|line| line["session_id"] == json!(session));
    let line = lines.next().unwrap();
    let tokens = |name: &str| line[name].as_i64().unwrap();
    (
        line["cost_usd"].as_f64().unwrap(),
        tokens("input_tokens") + tokens("output_tokens"),
    )
}

async fn detail(server: &Server, session: Uuid) -> Value {
    let path = format!("{SESSIONS}/{session}?interactions=none");
    server.get(&path).await.body
}

#[tokio::test]
async fn a_session_costs_what_it_and_all_that_was_made_for_it_cost() {
    let server = Server::start().await;
    let alert = session(&server, Made::ForAlert, Some(1.0)).await;
    let child = session(&server, Made::By(alert), Some(2.0)).await;
    session(&server, Made::By(child), Some(4.0)).await;
    let question = session(&server, Made::About(alert), Some(8.0)).await;
    session(&server, Made::By(question), Some(16.0)).await;
    let other = session(&server, Made::ForAlert, Some(20.0)).await;

    for _ in ["counted", "tallied"] {
        assert_eq!(listed(&server, alert).await, (31.0, 5_500));
        assert_eq!(listed(&server, child).await, (6.0, 2_200));
        assert_eq!(listed(&server, other).await, (20.0, 1_100));
        tally(&server).await;
    }

    let part = |sessions: i64, cost: f64, calls: i64| json!({"sessions": sessions, "input_tokens": calls * 1000, "output_tokens": calls * 100, "cost_usd": cost, "is_cost_complete": true});
    assert_eq!(
        detail(&server, alert).await["spending"],
        json!({
            "total": part(4, 31.0, 5), "agents": part(1, 1.0, 1), "sub_agents": part(2, 6.0, 2),
            // Includes the sub-agent of the question, which is not a question itself.
            "questions": part(1, 24.0, 2),
        })
    );
    let path = format!("{SESSIONS}/{alert}/summary");
    let summary = server.get(&path).await.body;
    assert_eq!(
        (&summary["cost_usd"], &summary["total_tokens"]),
        (&json!(31.0), &json!(5_500))
    );
}

#[tokio::test]
async fn lists_are_sorted_and_filtered_by_the_cost_of_the_whole() {
    let server = Server::start().await;
    let alert = session(&server, Made::ForAlert, Some(1.0)).await;
    let other = session(&server, Made::ForAlert, Some(3.0)).await;
    session(&server, Made::By(alert), Some(4.0)).await;
    tally(&server).await;
    let found = async |query: &str| -> Vec<Value> {
        let list = server.get(&format!("{SESSIONS}?{query}")).await.body;
        let lines = list["sessions"].as_array().unwrap().iter();
        lines.map(|line| line["session_id"].clone()).collect()
    };
    assert_eq!(
        found("sort_by=cost_usd").await,
        [json!(alert), json!(other)]
    );
    assert_eq!(found("search=cost:>4").await, [json!(alert)]);
}

/// Writes the tally of a session as a worker of the previous version does.
async fn tally_before(server: &Server, session: Uuid) {
    sqlx::query(
        "insert into session_tallies (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls,
             input_tokens, output_tokens, cost_usd)
         select s.session_id, s.completed_at_us, t.completed_stages, t.failed_stages, t.llm_calls, t.mcp_calls,
                t.input_tokens, t.output_tokens, t.cost_usd
         from tally_sessions(array[$1::uuid]) t join alert_sessions s using (session_id)",
    )
    .bind(session)
    .execute(server.db())
    .await
    .unwrap();
}

#[tokio::test]
async fn what_ends_later_is_added_whichever_version_tallies_it() {
    let server = Server::start().await;
    let alert = session(&server, Made::ForAlert, Some(1.0)).await;
    tally(&server).await;
    let question = session(&server, Made::About(alert), Some(2.0)).await;
    assert_eq!(listed(&server, alert).await.0, 1.0, "it is not tallied yet");
    tally(&server).await;
    assert_eq!(listed(&server, alert).await.0, 3.0);

    // A sub-agent ends after the question that dispatched it, and an older worker tallies it. Both
    // levels above are summed up again.
    let child = session(&server, Made::By(question), Some(4.0)).await;
    tally_before(&server, child).await;
    assert_eq!(listed(&server, question).await.0, 6.0);
    assert_eq!(listed(&server, alert).await.0, 7.0);
}

#[tokio::test]
async fn a_part_without_a_price_makes_the_sum_a_lower_bound() {
    let server = Server::start().await;
    let alert = session(&server, Made::ForAlert, Some(1.0)).await;
    session(&server, Made::By(alert), None).await;
    let spending = detail(&server, alert).await["spending"].clone();
    assert_eq!(spending["agents"]["is_cost_complete"], json!(true));
    assert_eq!(
        spending["sub_agents"],
        json!({"sessions": 1, "input_tokens": 1000, "output_tokens": 100, "cost_usd": null, "is_cost_complete": false})
    );
    assert_eq!(
        (
            &spending["total"]["cost_usd"],
            &spending["total"]["is_cost_complete"]
        ),
        (&json!(1.0), &json!(false))
    );
    assert_eq!(spending["questions"]["sessions"], json!(0));
}
