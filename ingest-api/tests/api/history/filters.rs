//! Filters of lists by values that are not columns of the session.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_model::SessionField;

use super::{SESSIONS, execute};
use crate::server::Server;

/// Inserts four sessions. Two are of an agent's chain, and one of them is live. Their alerts name
/// their place in different ways. Their numbers are their starts in seconds.
async fn scattered(server: &Server) {
    execute(
        server,
        r#"insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition)
           select gen_random_uuid(), gen_random_uuid(), 't', data::jsonb, 'warning', 0, source, 'f' || n, status::session_status,
                case when status = 'completed' then 'completed' end::session_outcome, n * 1000000,
                case when status = 'completed' then n * 1000000 + 5 end, chain,
                jsonb_build_object('stages', jsonb_build_array(jsonb_build_object('agent', agent), jsonb_build_object('agent', 'Reporter')))
           from (values
                (1, '{"cluster": "eu-1", "environment": "production", "namespace": "shop"}', 'api', 'completed', 'k8s', 'KubernetesAgent'),
                (2, '{"labels": {"cluster": "eu-1", "environment": "staging", "namespace": "shop"}}', 'alertmanager', 'completed', 'db', 'DatabaseAgent'),
                (3, '{"commonLabels": {"cluster": "us-2"}, "environment": "production"}', 'grafana', 'completed', 'db', 'DatabaseAgent'),
                (4, '{"cluster": {"no": "text"}, "environment": ""}', 'api', 'in_progress', 'k8s', 'KubernetesAgent')
           ) v (n, data, source, status, chain, agent);
           insert into session_tallies (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, cost_usd)
           select session_id, completed_at_us, 1, 0, 1, 0, case started_at_us when 2000000 then 0.5 else 1.5 end
           from alert_sessions where started_at_us in (2000000, 3000000);
           update alert_sessions set verdict = 'unsupported', label = 'noise' where started_at_us = 2000000;
           insert into session_care (session_id, assignee, rating)
           select session_id, 'ada', 'wrong' from alert_sessions where started_at_us = 2000000;
           insert into incident_members (session_id, incident_id, started_at_us, keys, is_lead)
           select session_id, '01900000-0000-7000-8000-000000000001', started_at_us, array['target=eu-1 / shop'], started_at_us = 1000000
           from alert_sessions where started_at_us < 3000000;"#,
    )
    .await;
}

pub(super) async fn starts(server: &Server, query: &str) -> Vec<i64> {
    let answer = server.get(&format!("{SESSIONS}?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    let sessions = answer.body["sessions"].as_array().unwrap().iter();
    let starts: Vec<i64> = sessions
        .map(|session| session["started_at_us"].as_i64().unwrap() / 1_000_000)
        .collect();
    let total = answer.body["pagination"]["total_items"].as_i64().unwrap();
    assert_eq!(total, i64::try_from(starts.len()).unwrap(), "{query}");
    starts
}

const FOUND: [(&str, &[i64]); 44] = [
    // `agent_type` names an agent here, not a chain.
    ("agent_type=KubernetesAgent", &[4, 1]),
    ("agent_type=kubernetes", &[4, 1]),
    ("agent_type=chain:k8s", &[4, 1]),
    ("agent_type=k8s", &[]),
    ("agent=DatabaseAgent", &[3, 2]),
    ("agent=Reporter&sort_order=asc", &[1, 2, 3, 4]),
    (
        "agent=Reporter&sort_by=completed_at_us&status=completed",
        &[3, 2, 1],
    ),
    ("cluster=eu-1", &[2, 1]),
    ("cluster=us-2&agent=DatabaseAgent", &[3]),
    ("cluster=us-2&agent=KubernetesAgent", &[]),
    ("environment=production", &[3, 1]),
    ("source=api", &[4, 1]),
    ("source=grafana&environment=production", &[3]),
    ("assignee=ada", &[2]),
    ("rating=wrong&cluster=eu-1", &[2]),
    ("rating=right", &[]),
    ("incident=01900000-0000-7000-8000-000000000001", &[2, 1]),
    ("incident=01900000-0000-7000-8000-000000000002", &[]),
    ("lead=true", &[4, 3, 1]),
    ("lead=false&cluster=eu-1", &[2]),
    ("verdict=unsupported", &[2]),
    ("verdict=supported", &[]),
    ("label=noise", &[2]),
    ("label=action", &[]),
    ("search=label:noise cluster:eu-1", &[2]),
    ("search=verdict:unsupported cluster:eu-1", &[2]),
    ("namespace=shop", &[2, 1]),
    (
        "search=namespace:shop cluster:eu-1 environment:staging",
        &[2],
    ),
    ("severity=>=high", &[]),
    ("severity=>=warning&cluster=us-2", &[3]),
    ("severity=<critical", &[4, 3, 2, 1]),
    ("search=severity:<=info", &[]),
    // Any value of a repeated filter matches.
    ("cluster=eu-1&cluster=us-2", &[3, 2, 1]),
    ("cluster=us-2&cluster=us-2&agent=KubernetesAgent", &[]),
    ("source=api&source=grafana&environment=production", &[3, 1]),
    ("severity=warning&severity=odd&namespace=shop", &[2, 1]),
    ("assignee=ada&assignee=grace", &[2]),
    ("verdict=unsupported&verdict=supported", &[2]),
    ("outcome=completed&outcome=failed", &[3, 2, 1]),
    ("search=cluster:us-2 cluster:eu-1", &[3, 2, 1]),
    ("cost=>1", &[3]),
    ("cost=<=1", &[2]),
    ("search=cost:>0.5 cluster:eu-1", &[]),
    ("search=cost:>=0.5", &[3, 2]),
];

#[tokio::test]
async fn sessions_are_found_by_the_fields_of_their_alert() {
    let server = Server::start().await;
    scattered(&server).await;
    // Before the traits of any session are stored.
    for (query, expected) in FOUND {
        assert_eq!(starts(&server, query).await, expected, "{query}");
    }
    let mut conn = server.db().acquire().await.unwrap();
    let (limit, settled) = (3, Duration::from_secs(1));
    let first = tarsy_store::history::write_session_traits(&mut conn, limit, settled).await;
    assert_eq!(first.unwrap(), 3);
    // Some traits are read from the table, and some from the sessions.
    for (query, expected) in FOUND {
        assert_eq!(starts(&server, query).await, expected, "{query}");
    }
    let rest = tarsy_store::history::write_session_traits(&mut conn, limit, settled).await;
    assert_eq!(rest.unwrap(), 1);
    for (query, expected) in FOUND {
        assert_eq!(starts(&server, query).await, expected, "{query}");
    }
    let clusters = tarsy_store::history::trait_values(&mut conn, SessionField::Cluster).await;
    assert_eq!(clusters.unwrap(), ["eu-1", "us-2", "{\"no\": \"text\"}"]);
}

#[tokio::test]
async fn a_session_that_committed_late_is_found_and_a_deleted_one_leaves_nothing() {
    let server = Server::start().await;
    scattered(&server).await;
    let mut conn = server.db().acquire().await.unwrap();
    let none = Duration::ZERO;
    tarsy_store::history::write_session_traits(&mut conn, 10, none)
        .await
        .unwrap();
    execute(
        &server,
        "delete from session_traits where started_at_us = 3000000",
    )
    .await;
    assert_eq!(starts(&server, "cluster=us-2").await, [0; 0]);
    let late = tarsy_store::history::late_session_traits(&mut conn, 10).await;
    assert_eq!(late.unwrap(), 1);
    assert_eq!(starts(&server, "cluster=us-2").await, [3]);

    execute(
        &server,
        "delete from alert_sessions where started_at_us < 3000000",
    )
    .await;
    let pruned = tarsy_store::history::prune_session_traits(&mut conn, 10).await;
    assert_eq!(pruned.unwrap(), 6 + 6);
    assert_eq!(starts(&server, "agent=Reporter").await, [4, 3]);
}

#[tokio::test]
async fn every_filter_is_offered_and_works_for_many_at_once() {
    let server = Server::start().await;
    scattered(&server).await;
    let mut conn = server.db().acquire().await.unwrap();
    tarsy_store::history::write_session_traits(&mut conn, 10, Duration::ZERO)
        .await
        .unwrap();
    let options = server.get("/api/v1/history/filter-options").await.body;
    assert_eq!(
        options["sources"],
        json!(["alertmanager", "api", "grafana"])
    );
    assert_eq!(options["environments"], json!(["production", "staging"]));
    assert_eq!(
        options["rating_options"],
        json!(["right", "partly_right", "wrong"])
    );
    let agents = options["agents"].as_array().unwrap();
    assert!(agents.contains(&json!("DatabaseAgent")), "{agents:?}");
    let facets = server
        .get("/api/v1/history/facets?agent=DatabaseAgent")
        .await;
    assert_eq!(
        facets.body["cluster"],
        json!({"values": {"eu-1": 1, "us-2": 1}, "is_exact": true})
    );
    assert_eq!(facets.body["namespace"]["values"], json!({"shop": 1}));
    assert_eq!(
        facets.body["source"]["values"],
        json!({"alertmanager": 1, "grafana": 1})
    );
    assert_eq!(facets.body["assignee"]["values"], json!({"ada": 1}));
    assert_eq!(facets.body["rating"]["values"], json!({"wrong": 1}));
    // The counts of a facet ignore its own filter.
    let agents = json!({"DatabaseAgent": 2, "KubernetesAgent": 2, "Reporter": 4});
    assert_eq!(facets.body["agent"]["values"], agents);
    assert_eq!(facets.body["chain_id"]["values"], json!({"db": 2}));
    assert_eq!(facets.body["label"]["values"], json!({"noise": 1}));

    let matched = async |path: &str, filter: Value| {
        let body = json!({"filter": filter, "reason": "a test"});
        let path = format!("/api/v1/admin/sessions/{path}");
        let answer = server.post(&path, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["matched"].as_i64().unwrap()
    };
    assert_eq!(
        matched("cancel", json!({"agent": "KubernetesAgent"})).await,
        1
    );
    assert_eq!(
        matched("cancel", json!({"agent": "DatabaseAgent"})).await,
        0
    );
    assert_eq!(matched("replay", json!({"cluster": "eu-1"})).await, 0);
    let refused = json!({"filter": {"rating": "great"}, "reason": "a test"});
    let refused = server.post("/api/v1/admin/sessions/cancel", &refused).await;
    assert_eq!(refused.body["errors"][0]["field"], "filter.rating");

    // Each documented field is accepted.
    for field in SessionField::ALL {
        let value = match field.name() {
            "status" | "outcome" => "completed",
            "acknowledged" | "reviewed" | "lead" => "false",
            "cost" => ">1",
            "rating" => "wrong",
            "verdict" => "supported",
            "progress" => "queued",
            "follow_ups" => "show",
            "start_date" | "end_date" | "ended_since" => "2026-11-20T08:00:00Z",
            "start_date_us" | "end_date_us" => "5",
            _ => "some text",
        };
        starts(&server, &format!("{}={value}", field.name())).await;
    }
}

#[tokio::test]
async fn a_filter_takes_a_hundred_values_and_no_more() {
    let server = Server::start().await;
    let labels = |many: usize| {
        let labels: Vec<String> = (0..many).map(|number| format!("label=l{number}")).collect();
        format!("{SESSIONS}?label=l0&{}", labels.join("&"))
    };
    assert_eq!(server.get(&labels(100)).await.status, 200);
    let refused = server.get(&labels(101)).await;
    assert_eq!(refused.status, 400);
    let error = &refused.body["errors"][0];
    assert_eq!(
        (&error["field"], &error["detail"]),
        (&json!("label"), &json!("takes at most 100 values"))
    );
}
