//! People can't approve what they requested themselves by a message, unless the configuration allows it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/waits.yaml");

/// A person with an operator's key.
struct Person {
    name: &'static str,
    key: String,
}

impl Person {
    async fn new(fleet: &Fleet, name: &'static str) -> Self {
        let create = format!("keys create {name} --role operator --reason test");
        let made = tarsy(&create, &[("DATABASE_URL", fleet.database_url())]).await;
        let key = made.out.trim().to_owned();
        Self { name, key }
    }

    async fn post(&self, api: &Ingest, path: &str, body: &Value) -> (u16, Value) {
        let request = reqwest::Client::new().post(format!("{}{path}", api.url));
        let request = request.bearer_auth(&self.key).json(body);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn decide(&self, api: &Ingest, wait: Uuid, decision: &str) -> (u16, Value) {
        let body = json!({"decision": decision, "reason": "a test"});
        self.post(api, &format!("/api/v1/approvals/{wait}"), &body)
            .await
    }

    /// Creates a session that this person asked for, or its child session, and returns the wait at its gate.
    async fn request_gate(&self, fleet: &Fleet, api: &Ingest, is_child: bool) -> Uuid {
        let alert = json!({"alert_type": "Gated", "runbook": "local:none.md", "data": {"n": Uuid::now_v7()}});
        let (status, accepted) = self.post(api, "/alerts", &alert).await;
        assert_eq!(status, 202, "{accepted}");
        let session: Uuid = accepted["session_id"].as_str().unwrap().parse().unwrap();
        let gate = wait::up_to(SOON, async || {
            let open = "select wait_id from waits where session_id = $1 and decision is null";
            let found = sqlx::query_scalar::<_, Uuid>(open).bind(session);
            found.fetch_optional(fleet.rows.pool()).await.unwrap()
        })
        .await
        .expect("it waits at its gate");
        // Simulates a question to the knowledge store, the first of its conversation.
        let simulate_question = match is_child {
            false => "update alert_sessions set conversation_id = session_id, author = $2 where session_id = $1",
            true => {
                "with question as (
                     insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author, fingerprint,
                                                 chain_id, chain_definition, conversation_id, status, outcome, completed_at_us)
                     select gen_random_uuid(), gen_random_uuid(), alert_type, alert_data, severity, 0, 'follow-up', $2, 'asked',
                            chain_id, chain_definition, session_id, 'completed', 'completed', now_us()
                     from alert_sessions where session_id = $1
                     returning session_id
                 )
                 update alert_sessions a set parent_session_id = q.session_id from question q where a.session_id = $1"
            }
        };
        let changed = sqlx::query(simulate_question).bind(session).bind(self.name);
        let changed = changed.execute(fleet.rows.pool()).await.unwrap();
        assert_eq!(changed.rows_affected(), 1);
        gate
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asked_by_a_message_may_deny_and_not_approve() {
    let fleet = Fleet::new(scene::play).await;
    let fleet = fleet
        .with("TARSY_AUTH", "on")
        .with("AGENT_CONFIG_FILE", CONFIG);
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let (ada, bob) = (
        Person::new(&fleet, "ada").await,
        Person::new(&fleet, "bob").await,
    );
    for is_child in [false, true] {
        let gate = ada.request_gate(&fleet, &api, is_child).await;
        let (status, refused) = ada.decide(&api, gate, "approve").await;
        assert_eq!((status, &refused["code"]), (403, &json!("own_request")));
        let (status, approved) = bob.decide(&api, gate, "approve").await;
        assert_eq!(status, 200, "{approved}");
    }
    let gate = ada.request_gate(&fleet, &api, false).await;
    assert_eq!(ada.decide(&api, gate, "deny").await.0, 200);

    // By the configuration, Bob's key is another name of Ada.
    let same = configured(&fleet, "{same_person: {Ada: [slack-ada, bob]}}").await;
    let gate = ada.request_gate(&fleet, &api, false).await;
    assert_eq!(bob.decide(&same, gate, "approve").await.0, 403);
    assert_eq!(bob.decide(&api, gate, "approve").await.0, 200);

    // The configuration may allow it.
    let allowing = configured(&fleet, "{own_requests: true}").await;
    let gate = ada.request_gate(&fleet, &api, false).await;
    assert_eq!(ada.decide(&allowing, gate, "approve").await.0, 200);
}

/// Starts another API of the fleet, with this section `approvals` in its configuration.
async fn configured(fleet: &Fleet, approvals: &str) -> Ingest {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agents.yaml");
    let text = std::fs::read_to_string(CONFIG).unwrap();
    std::fs::write(&file, format!("{text}\napprovals: {approvals}\n")).unwrap();
    let program = fleet.program("ingest-api");
    let program = program.env("AGENT_CONFIG_FILE", file.to_str().unwrap());
    // The file is read at the start. If it is missing later, the API keeps its configuration.
    fleet.ingest_with(program).await
}
