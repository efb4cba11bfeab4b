//! A question is answered no matter which process is killed in the middle of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::postgres::{Cluster, Installation, Stop};
use tarsy_testing::{TestDb, wait};
use tarsy_tests::{Fleet, Ingest, SOON};
use url::Url;
use uuid::Uuid;

use crate::ask_knowledge::{ANSWERING, ROUTING, answer, id, model, post, with_store};

/// Text of the next request that the model answers slowly, so that a process can be killed during it.
type Slow = Arc<Mutex<Option<&'static str>>>;

fn slow_model(slow: &Slow) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    let slow = Arc::clone(slow);
    let answers =
        model(|ids| json!({"answer": format!("So [{}].", ids[1]), "citations": [ids[1]]}));
    move |request| {
        let mut slow = slow.lock().unwrap();
        let is_slow = slow.is_some_and(|part| request.contains(part));
        match answers(request) {
            Behaviour::Answer(answer) if is_slow => {
                *slow = None;
                Behaviour::Drip {
                    answer,
                    every_ms: 5,
                }
            }
            other => other,
        }
    }
}

/// Asks a question. Returns when the model has received the request with `part`, which it answers slowly.
async fn ask(ingest: &Ingest, slow: &Slow, part: &'static str) -> Uuid {
    *slow.lock().unwrap() = Some(part);
    let (status, accepted) = post(ingest, json!({"question": "tc-10000?"})).await;
    assert_eq!(status, 202, "{accepted}");
    wait::until("the model to be asked", SOON, async || {
        slow.lock().unwrap().is_none()
    })
    .await;
    id(&accepted, "session_id")
}

async fn assert_answered(fleet: &Fleet, ingest: &Ingest, session: Uuid, killed: &str) {
    let answered = answer(fleet, ingest, session).await;
    assert_eq!(answered["supported"], true, "{killed}: {answered}");
    assert_eq!(
        answered["citations"][0]["key"], "TC-10000",
        "{killed}: {answered}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_despite_crashes() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let installation = Installation::find_or_install(&tools, &|_| ()).unwrap();
    let mut cluster = Cluster::start(&installation, folder.path(), &|_| ()).unwrap();
    let admin = Url::parse(&cluster.url("postgres")).unwrap();
    let db = TestDb::create_on(&admin).await.unwrap();
    let slow = Slow::default();
    let fleet = with_store(Fleet::on(db, slow_model(&slow)).await).await;
    let fleet = fleet.with("TARSY_LEASE_TTL", "10s");
    let mut ingest = fleet.ingest().await;
    let chain = fleet.chain_worker();
    let mut stage = fleet.stage_worker();
    fleet.workers(2).await;

    let session = ask(&ingest, &slow, ANSWERING).await;
    ingest.process.kill();
    ingest = fleet.ingest().await;
    assert_answered(&fleet, &ingest, session, "ingest-api").await;

    let session = ask(&ingest, &slow, ANSWERING).await;
    chain.kill();
    let _chain = fleet.chain_worker();
    assert_answered(&fleet, &ingest, session, "chain-worker").await;

    // Up to now the model was called once for each answer: for the routing, then for the answer.
    assert_eq!(fleet.llm.requests().len(), 4);

    // The MCP server was started for the list of collections, before the router was asked. The search needs it again.
    let session = ask(&ingest, &slow, ROUTING).await;
    assert!(stage.kill_children("mcp") > 0);
    assert_answered(&fleet, &ingest, session, "tarsy mcp knowledge").await;
    assert_eq!(fleet.llm.requests().len(), 6);

    let session = ask(&ingest, &slow, ROUTING).await;
    stage.kill();
    stage = fleet.stage_worker();
    assert_answered(&fleet, &ingest, session, "stage-worker").await;

    let session = ask(&ingest, &slow, ANSWERING).await;
    tokio::task::block_in_place(|| cluster.restart(Stop::Immediate)).unwrap();
    assert_answered(&fleet, &ingest, session, "Postgres").await;
    fleet.assert_sound().await;
    drop(stage);
}
