//! `/api/v1/incidents`: which sessions belong together, why, and that a person's decision is final.

mod side_by_side;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::join_all;
use proptest::prelude::{Strategy as _, any};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tarsy_store::incidents::{CAUSE_GAP, LONGEST_INCIDENT, TARGET_GAP};
use uuid::Uuid;

use crate::server::Server;

const NONE: Duration = Duration::ZERO;
const INCIDENTS: &str = "/api/v1/incidents";
const SESSIONS: &str = "/api/v1/history/sessions";
/// A secret that must be masked wherever it is shown.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// Creates a live session that started this many seconds ago.
async fn session(server: &Server, ago_s: i64, data: &Value) -> Uuid {
    let id = Uuid::now_v7();
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint,
             status, chain_id, chain_definition, started_at_us)
         values ($1, $1, 'Errors', $2, 'critical', 0, 'api', $1::text, 'in_progress', 'c', '{}', now_us() - $3 * 1000000)",
    )
    .bind(id)
    .bind(data)
    .bind(ago_s)
    .execute(server.db())
    .await
    .unwrap();
    id
}

/// Ends the session now with a verdict, the names of its root cause, and a cost.
async fn end(server: &Server, id: Uuid, verdict: &str, names: &[&str], cost_usd: f64) {
    let ended = "with ended as (
            update alert_sessions set status = 'completed', outcome = 'completed', completed_at_us = now_us(), verdict = $2,
                verdict_check = $3, final_analysis = 'Answer: ' || $2
            where session_id = $1 returning session_id, completed_at_us)
        insert into session_tallies (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, cost_usd)
        select session_id, completed_at_us, 1, 0, 1, 0, $4 from ended";
    sqlx::query(ended)
        .bind(id)
        .bind(verdict)
        .bind(json!({"cause_names": names}))
        .bind(cost_usd)
        .execute(server.db())
        .await
        .unwrap();
}

/// Groups the sessions that started and ended, as a chain worker does.
async fn group(server: &Server) {
    let mut conn = server.db().acquire().await.unwrap();
    tarsy_store::incidents::group_started_sessions(&mut conn, 100, NONE)
        .await
        .unwrap();
    tarsy_store::incidents::group_ended_sessions(&mut conn, 100, NONE)
        .await
        .unwrap();
}

fn shop(pod: &str) -> Value {
    json!({"cluster": "eu-1", "labels": {"namespace": "shop", "alertname": "HTTPErrors", "pod": pod}})
}

fn id_of(line: &Value) -> Uuid {
    line["session_id"].as_str().unwrap().parse().unwrap()
}

async fn line_ids(server: &Server, query: &str) -> Vec<Uuid> {
    let list = server.get(&format!("{SESSIONS}?{query}")).await;
    assert_eq!(list.status, 200, "{list:?}");
    let lines = list.body["sessions"].as_array().unwrap().iter();
    lines.map(id_of).collect()
}

/// Returns the only incident.
async fn only_incident(server: &Server) -> Value {
    let list = server.get(INCIDENTS).await.body;
    let [incident] = &list["incidents"].as_array().unwrap()[..] else {
        panic!("{list}");
    };
    let id = incident["incident_id"].as_str().unwrap();
    server.get(&format!("{INCIDENTS}/{id}")).await.body
}

fn member_ids(incident: &Value) -> Vec<Uuid> {
    let members = incident["members"].as_array().unwrap().iter();
    members.map(id_of).collect()
}

#[tokio::test]
async fn a_storm_is_one_incident_with_one_answer() {
    let server = Server::start().await;
    let mut storm = Vec::new();
    for (at, pod) in ["cart-0", "cart-1", "search-0", "pay-0"].iter().enumerate() {
        storm.push(session(&server, 900 - 100 * at as i64, &shop(pod)).await);
    }
    let other = session(
        &server,
        700,
        &json!({"cluster": "us-2", "namespace": "shop"}),
    )
    .await;
    let earlier = session(&server, 3_000, &shop("cart-0")).await;
    let nowhere = session(&server, 650, &json!({"message": "no place"})).await;
    let question = session(&server, 640, &shop("cart-0")).await;
    sqlx::query("update alert_sessions set parent_session_id = $1, conversation_id = $1, chain_id = 'follow-up' where session_id = $2")
        .bind(storm[0])
        .bind(question)
        .execute(server.db())
        .await
        .unwrap();
    end(&server, storm[0], "unsupported", &[], 0.5).await;
    end(&server, storm[1], "supported", &[], 0.25).await;
    group(&server).await;

    let found = only_incident(&server).await;
    assert_eq!(member_ids(&found), storm, "in order of time");
    let incident = &found["incident"];
    assert_eq!(incident["lead_id"], json!(storm[0]));
    assert_eq!(incident["answer_id"], json!(storm[1]), "the best verdict");
    assert_eq!(incident["headline"], "Answer: supported");
    assert_eq!(incident["verdict"], "supported");
    assert_eq!(incident["members"], 4);
    assert_eq!(incident["running"], 2);
    assert_eq!(incident["cost_usd"], 0.75);
    assert_eq!(incident["name"], "HTTPErrors");
    let reasons = json!([{"kind": "target", "shared": "eu-1 / shop"}]);
    assert_eq!(found["reasons"], reasons);

    // With `lead=true` the list has one row for the incident, with the summary of its sessions.
    let leads = server.get(&format!("{SESSIONS}?lead=true")).await.body;
    let rows: Vec<Uuid> = leads["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(id_of)
        .collect();
    assert_eq!(rows, [nowhere, other, storm[0], earlier]);
    assert_eq!(leads["sessions"][2]["incident"]["summary"]["members"], 4);
    assert_eq!(leads["sessions"][0]["incident"], Value::Null);
    let id = incident["incident_id"].as_str().unwrap();
    let query = format!("incident={id}&sort_order=asc");
    assert_eq!(line_ids(&server, &query).await, storm);
    let of = server.get(&format!("{SESSIONS}/{}", storm[2])).await.body;
    assert_eq!(of["incident"]["incident_id"], json!(id));
    assert!(line_ids(&server, "incident=none").await.is_empty());
    let missing = server.get(&format!("{INCIDENTS}/{other}")).await;
    assert_eq!(missing.status, 404, "{missing:?}");

    // The members in pages of two.
    let first = server.get(&format!("{INCIDENTS}/{id}?limit=2")).await.body;
    let next = first["next"].as_str().unwrap();
    let second = server
        .get(&format!("{INCIDENTS}/{id}?limit=2&after={next}"))
        .await
        .body;
    assert_eq!([member_ids(&first), member_ids(&second)].concat(), storm);
    assert_eq!(second["next"], Value::Null);

    // Retention deletes the oldest session. The next one becomes the lead.
    sqlx::query("delete from alert_sessions where session_id = $1 or parent_session_id = $1")
        .bind(storm[0])
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        only_incident(&server).await["incident"]["lead_id"],
        json!(storm[1])
    );
}

#[tokio::test]
async fn sessions_with_one_root_cause_belong_together_wherever_their_alerts_are() {
    let server = Server::start().await;
    let place = |namespace: &str| json!({"cluster": TOKEN, "namespace": namespace});
    let shop = session(&server, 3_000, &place("shop")).await;
    let bank = session(&server, 900, &place("bank")).await;
    let other = session(&server, 890, &place("mail")).await;
    let unproven = session(&server, 880, &place("news")).await;
    let elsewhere = session(
        &server,
        870,
        &json!({"cluster": "us-2", "namespace": "shop"}),
    )
    .await;
    let names = ["cart-config", "config-sync"];
    end(&server, shop, "supported", &names, 0.1).await;
    end(&server, bank, "partly_supported", &names, 0.1).await;
    end(&server, other, "supported", &names[..1], 0.1).await;
    end(&server, unproven, "unsupported", &names, 0.1).await;
    end(&server, elsewhere, "supported", &names, 0.1).await;
    group(&server).await;
    let found = only_incident(&server).await;
    assert_eq!(member_ids(&found), [shop, bank]);
    assert_eq!(found["reasons"][0]["kind"], "cause");
    let shared = found["reasons"][0]["shared"].as_str().unwrap();
    assert!(shared.ends_with("cart-config, config-sync"), "{shared}");
    assert!(!found.to_string().contains(TOKEN), "{found}");
}

/// Takes a session out of its incident, or puts it back.
async fn regroup(server: &Server, id: Uuid, is_member: bool) {
    let path = format!("/api/v1/admin/sessions/{id}/care");
    let body = json!({"incident_member": is_member, "reason": "another fault"});
    let answer = server.post(&path, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn a_person_has_the_last_word_on_who_belongs_to_an_incident() {
    let server = Server::start().await;
    let first = session(&server, 900, &shop("cart-0")).await;
    let second = session(&server, 800, &shop("cart-1")).await;
    let third = session(&server, 700, &shop("cart-2")).await;
    group(&server).await;
    let refused = json!({"incident_member": false});
    let alone = session(&server, 90_000, &shop("cart-9")).await;
    let path = format!("/api/v1/admin/sessions/{alone}/care");
    assert_eq!(server.post(&path, &refused).await.status, 404);

    regroup(&server, first, false).await;
    let found = only_incident(&server).await;
    assert_eq!(member_ids(&found), [second, third]);
    assert_eq!(id_of(&found["removed"][0]["session"]), first);
    assert_eq!(found["removed"][0]["removed_by"], "api-client");
    let of = server.get(&format!("{SESSIONS}/{first}")).await.body;
    assert!(of["incident"]["removed_at_us"].is_i64(), "{of}");
    assert!(line_ids(&server, "lead=true").await.contains(&first));

    // The session stays out, even if it later shares a root cause, or a neighbour that started
    // before and after it.
    end(&server, first, "supported", &["cart-config"], 0.1).await;
    end(&server, second, "supported", &["cart-config"], 0.1).await;
    let fourth = session(&server, 600, &shop("cart-3")).await;
    group(&server).await;
    let mut conn = server.db().acquire().await.unwrap();
    sqlx::query("update incidents_cursor set started_at_us = 0, completed_at_us = 0")
        .execute(&mut *conn)
        .await
        .unwrap();
    group(&server).await;
    assert_eq!(
        member_ids(&only_incident(&server).await),
        [second, third, fourth]
    );

    regroup(&server, first, true).await;
    let found = only_incident(&server).await;
    assert_eq!(member_ids(&found), [first, second, third, fourth]);
    assert_eq!(found["incident"]["lead_id"], json!(first));
    let log = server
        .get("/api/v1/admin/audit-log?action=session.incident")
        .await
        .body;
    let entries: Vec<_> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (&entry["subject"], &entry["reason"], &entry["details"]))
        .collect();
    assert_eq!(entries.len(), 2, "{log}");

    // An incident needs two members. A session that was taken out can still be put back.
    for id in [second, third, fourth] {
        regroup(&server, id, false).await;
    }
    assert_eq!(server.get(INCIDENTS).await.body["incidents"], json!([]));
    let of = server.get(&format!("{SESSIONS}/{first}")).await.body;
    assert_eq!(of["incident"], Value::Null);
    regroup(&server, third, true).await;
    assert_eq!(member_ids(&only_incident(&server).await), [first, third]);
}

#[tokio::test]
async fn workers_that_group_at_once_make_one_incident() {
    let server = Server::start().await;
    let mut storm = Vec::new();
    for at in 0..20 {
        storm.push(session(&server, 500 - at, &shop("cart-0")).await);
    }
    for id in &storm {
        end(&server, *id, "supported", &["cart-config"], 0.1).await;
    }
    join_all((0..6).map(|_| group(&server))).await;
    assert_eq!(member_ids(&only_incident(&server).await), storm);
    let leads: i64 = sqlx::query_scalar("select count(*) from incident_members where is_lead")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(leads, 1);
}

#[tokio::test]
async fn a_session_that_committed_late_joins_and_what_repeats_all_day_is_not_one_incident() {
    let server = Server::start().await;
    let first = session(&server, 200, &shop("cart-0")).await;
    let last = session(&server, 100, &shop("cart-1")).await;
    group(&server).await;
    let late = session(&server, 150, &shop("cart-2")).await;
    group(&server).await;
    assert_eq!(member_ids(&only_incident(&server).await), [first, last]);
    let mut conn = server.db().acquire().await.unwrap();
    let seen = tarsy_store::incidents::group_late_sessions(&mut conn, 100).await;
    assert_eq!(seen.unwrap(), 1);
    assert_eq!(
        member_ids(&only_incident(&server).await),
        [first, late, last]
    );

    let bank = json!({"namespace": "bank"});
    for at in 0..80 {
        session(&server, 80_000 - 540 * at, &bank).await;
    }
    sqlx::query("update incidents_cursor set started_at_us = 0")
        .execute(&mut *conn)
        .await
        .unwrap();
    group(&server).await;
    let longest: i64 = sqlx::query_scalar(
        "select max(span) from (select max(started_at_us) - min(started_at_us) as span from incident_members group by incident_id) s",
    )
    .fetch_one(&mut *conn)
    .await
    .unwrap();
    let most = i64::try_from(LONGEST_INCIDENT.as_micros()).unwrap();
    assert!(longest <= most && longest > most / 2, "{longest}");
}

/// A generated session: its start in seconds, its target and its cause.
type Drawn = (i64, u8, Option<u8>);

/// Groups sessions by the rule: joins neighbours in time that have the same key.
fn expected(drawn: &[Drawn]) -> BTreeSet<Vec<usize>> {
    let mut group: Vec<usize> = (0..drawn.len()).collect();
    let mut by_key: BTreeMap<(bool, u8), Vec<(i64, usize)>> = BTreeMap::new();
    for (at, (start, target, cause)) in drawn.iter().enumerate() {
        by_key
            .entry((false, *target))
            .or_default()
            .push((*start, at));
        if let Some(cause) = cause {
            by_key.entry((true, *cause)).or_default().push((*start, at));
        }
    }
    for ((is_cause, _), mut of) in by_key {
        of.sort_unstable();
        let gap = if is_cause { CAUSE_GAP } else { TARGET_GAP };
        for pair in of.windows(2) {
            if (pair[1].0 - pair[0].0).unsigned_abs() <= gap.as_secs() {
                let (kept, dropped) = (group[pair[0].1], group[pair[1].1]);
                group
                    .iter_mut()
                    .filter(|of| **of == dropped)
                    .for_each(|of| *of = kept);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, of) in group.into_iter().enumerate() {
        groups.entry(of).or_default().push(at);
    }
    groups.into_values().filter(|of| of.len() > 1).collect()
}

#[tokio::test]
async fn groups_do_not_depend_on_the_order_in_which_sessions_come() {
    let server = Server::start().await;
    let mut conn = server.db().acquire().await.unwrap();
    let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap();
    let drawn = (0..9_000_i64, 0..3_u8, proptest::option::of(0..3_u8));
    let keys = proptest::collection::vec((drawn, any::<u32>(), any::<u32>()), 2..12);
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let all = keys.new_tree(&mut runner).unwrap().current();
        sqlx::query("delete from alert_sessions; ")
            .execute(&mut *conn)
            .await
            .unwrap();
        sqlx::query("delete from session_traits")
            .execute(&mut *conn)
            .await
            .unwrap();
        let mut ids = Vec::new();
        let mut steps = Vec::new();
        for (at, ((start, target, cause), when, later)) in all.iter().enumerate() {
            let id = Uuid::from_u128(1 + at as u128);
            ids.push(id);
            sqlx::query(
                "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint,
                     chain_id, chain_definition, started_at_us)
                 values ($1, $1, 't', '{}', 'info', 0, 'api', $1::text, 'c', '{}', $2)",
            )
            .bind(id)
            .bind(start * 1_000_000)
            .execute(&mut *conn)
            .await
            .unwrap();
            steps.push((*when, id, format!("target={target}"), *start, TARGET_GAP));
            if let Some(cause) = cause {
                steps.push((*later, id, format!("cause={cause}"), *start, CAUSE_GAP));
            }
        }
        steps.sort();
        for (_, id, key, start, gap) in steps {
            sqlx::query("select add_incident_key($1, $2, $3, $4, $5)")
                .bind(id)
                .bind(key)
                .bind(start * 1_000_000)
                .bind(micros(gap))
                .bind(micros(LONGEST_INCIDENT))
                .execute(&mut *conn)
                .await
                .unwrap();
        }
        let grouped: Vec<Vec<Uuid>> = sqlx::query_scalar(
            "select array_agg(session_id order by session_id) from incident_members group by incident_id",
        )
        .fetch_all(&mut *conn)
        .await
        .unwrap();
        let place = |id: &Uuid| ids.iter().position(|known| known == id).unwrap();
        let grouped: BTreeSet<Vec<usize>> = grouped
            .iter()
            .map(|of| of.iter().map(place).collect())
            .collect();
        let drawn: Vec<Drawn> = all.iter().map(|(drawn, ..)| *drawn).collect();
        assert_eq!(grouped, expected(&drawn), "{all:?}");
    }
}
