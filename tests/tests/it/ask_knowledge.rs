//! Questions to the knowledge store, answered by a fleet.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::process::binary;
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/knowledge.yaml");

pub(crate) const ROUTING: &str = "Decide how a question";
pub(crate) const REWRITING: &str = "Rewrite the question";
pub(crate) const ANSWERING: &str = "Answer the question from the evidence alone";

/// Answer of the model, by the ids of its evidence.
pub(crate) type Answer = fn(&[&str]) -> Value;

/// Creates a fleet whose knowledge store contains the demonstration's test cases.
pub(crate) async fn fleet(
    model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
) -> Fleet {
    with_store(Fleet::new(model).await).await
}

/// Adds a knowledge store with these test cases to a fleet.
pub(crate) async fn with_store(fleet: Fleet) -> Fleet {
    // Roles belong to the whole server, so each test has its own.
    let mut reader: url::Url = fleet.database_url().parse().unwrap();
    let name = Uuid::now_v7().simple().to_string();
    reader.set_username(&format!("reader_{name}")).unwrap();
    reader.set_password(Some("for-tests")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display();
    let store = [
        ("TARSY_KNOWLEDGE_URL", fleet.database_url()),
        ("TARSY_KNOWLEDGE_READER_URL", reader.as_str()),
    ];
    for command in [
        format!("demo {folder}"),
        "enable".to_owned(),
        format!(
            "load {folder}/test_cases.csv --collection test_cases --mapping {folder}/test_cases.mapping.yaml --rejects {folder}"
        ),
    ] {
        tarsy(&format!("knowledge {command}"), &store)
            .await
            .prints("");
    }
    fleet
        .with("AGENT_CONFIG_FILE", CONFIG)
        .with("TARSY_TEST_PROGRAM", binary("tarsy").display().to_string())
        .with("TARSY_TEST_READER_URL", reader.as_str())
}

/// A model that routes questions to both lookups, rewrites them, and answers by `answer`.
pub(crate) fn model(answer: Answer) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    move |request| {
        let reply = match () {
            () if request.contains(ROUTING) => json!({
                "intent": "find a test case", "route": ["retrieval", "sql"], "steps": ["say what it tests"],
                "statement": "select count(*) as cases from test_cases",
            }),
            () if request.contains(REWRITING) => json!({"search_query": "tc-10001 power"}),
            () => answer(&evidence_ids(request)),
        };
        Behaviour::text(reply.to_string())
    }
}

/// Returns the ids of the evidence in a prompt.
pub(crate) fn evidence_ids(request: &SeenRequest) -> Vec<&str> {
    let prompt = &request.messages.last().unwrap().text;
    let (_, evidence) = prompt.split_once("Evidence:").unwrap();
    let ids = evidence.lines().filter_map(|line| line.strip_prefix('['));
    ids.filter_map(|line| Some(line.split_once(']')?.0))
        .collect()
}

pub(crate) async fn post(ingest: &Ingest, question: Value) -> (u16, Value) {
    let request = reqwest::Client::new().post(format!("{}/api/v1/ask", ingest.url));
    let answer = request.json(&question).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

pub(crate) fn id(accepted: &Value, name: &str) -> Uuid {
    let id = accepted[name].as_str();
    id.unwrap_or_else(|| panic!("{accepted}")).parse().unwrap()
}

pub(crate) async fn answer(fleet: &Fleet, ingest: &Ingest, session: Uuid) -> Value {
    fleet.rows.ended(session, SOON).await;
    let url = format!("{}/api/v1/ask/{session}", ingest.url);
    reqwest::get(url).await.unwrap().json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_with_citations_that_exist_and_the_next_knows_it() {
    let fleet = fleet(model(|ids| {
        let text = format!("It runs at 10.20.30.40 [{}], one of 2000 [sql].", ids[1]);
        json!({"answer": text, "citations": [ids[1], "sql"]})
    }))
    .await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let output = tarsy(
        "ask --knowledge tc-10000? --json",
        &[("TARSY_URL", &ingest.url)],
    )
    .await;
    // The only line of output is the answer.
    let first = output.json();
    assert_eq!(
        (&first["status"], &first["supported"], &first["invented"]),
        (&json!("completed"), &json!(true), &json!([])),
        "{first}"
    );
    let citations = first["citations"].as_array().unwrap();
    assert_eq!(citations.len(), 2, "{first}");
    let (chunk, sql) = (&citations[0], &citations[1]);
    assert_eq!(
        (&chunk["key"], &sql["id"]),
        (&json!("TC-10000"), &json!("sql"))
    );
    assert!(sql["text"].as_str().unwrap().contains("2000"), "{sql}");
    let kept: i64 = chunk["id"].as_str().unwrap().parse().unwrap();
    let exists: i64 =
        sqlx::query_scalar("select count(*) from knowledge.chunks where chunk_id = $1")
            .bind(kept)
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
    assert_eq!(exists, 1);
    // The address is redacted in the answer, and the redaction is recorded.
    let text = first["text"].as_str().unwrap();
    assert!(
        text.contains("Sources:") && !text.contains("10.20.30.40"),
        "{text}"
    );
    let flags = first["redaction_flags"].as_array().unwrap();
    assert!(
        flags
            .iter()
            .any(|flag| flag["policy"] == "network" && flag["kind"] == "ipv4"),
        "{first}"
    );
    let routed = fleet.llm.requests();
    assert_eq!(
        routed.len(),
        2,
        "one question without a conversation is not rewritten"
    );
    assert_eq!(
        (&*routed[0].model, &*routed[1].model),
        ("fake-small", "fake-1")
    );
    assert!(
        routed[0].contains("\"identifier\""),
        "the router sees the collections"
    );

    // The conversation goes on.
    let conversation = id(&first, "session_id");
    let next = json!({"question": "And the next one?", "conversation": conversation, "debug": true, "collection": "test_cases"});
    let (status, accepted) = post(&ingest, next).await;
    assert_eq!(
        (status, id(&accepted, "conversation_id")),
        (202, conversation)
    );
    let second = answer(&fleet, &ingest, id(&accepted, "session_id")).await;
    assert_eq!(second["supported"], true, "{second}");
    assert_eq!(second["citations"][0]["key"], "TC-10001", "{second}");
    let requests = fleet.llm.requests().split_off(2);
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.contains("tc-10000?")));
    let traced = "select count(*) from stage_executions where stage_name = 'debug-trace' and status = 'completed'
                  and stage_output -> 'data' ->> 'search_query' = 'tc-10001 power'";
    assert_eq!(fleet.rows.count(traced).await, 1);
    let (status, problem) = post(
        &ingest,
        json!({"question": "x", "conversation": Uuid::now_v7()}),
    )
    .await;
    assert_eq!(
        (status, &problem["code"]),
        (404, &json!("session_not_found"))
    );
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_of_the_command_narrow_what_is_found() {
    let fleet = fleet(|request: &SeenRequest| {
        let reply = match request.contains(ROUTING) {
            true => {
                json!({"intent": "find", "route": ["retrieval"], "statement": null, "steps": []})
            }
            false => {
                let ids = evidence_ids(request);
                json!({"answer": format!("So [{}].", ids[0]), "citations": [ids[0]]})
            }
        };
        Behaviour::text(reply.to_string())
    })
    .await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let url = [("TARSY_URL", ingest.url.as_str())];
    let ask = async |filters: &str| {
        let command = format!("ask --knowledge tc-10000? --collection test_cases {filters} --json");
        let answer = tarsy(&command, &url).await.json();
        let key = answer["citations"][0]["key"].as_str();
        let key = key.unwrap_or_else(|| panic!("{answer}"));
        key.trim_start_matches("TC-").parse::<u32>().unwrap()
    };
    assert_eq!(ask("--filter component=power").await, 10_000);
    // Each scenario has fifty cases. The third to the eighth scenario test cooling and memory.
    let other = ask("--filter component=memory --filter component=cooling").await;
    assert!((2..=7).contains(&((other - 10_000) / 50)), "{other}");
    let wrong = tarsy("ask --knowledge x --filter component", &url).await;
    wrong.fails_with_error("FIELD=VALUE");
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invented_citation_is_no_support() {
    let fleet = fleet(model(|ids| match ids.contains(&"sql") {
        true => json!({"answer": "Surely it is so [999999].", "citations": [999_999]}),
        false => json!({"answer": "", "citations": []}),
    }))
    .await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let url = [("TARSY_URL", ingest.url.as_str())];
    let output = tarsy("ask --knowledge tc-10000?", &url).await;
    output.fails_with_error("");
    assert!(
        output.out.contains("I don't know") && !output.out.contains("Surely"),
        "{}",
        output.out
    );
    let session: Uuid = sqlx::query_scalar("select session_id from alert_sessions")
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap();
    let refused = answer(&fleet, &ingest, session).await;
    assert_eq!(
        (
            &refused["supported"],
            &refused["invented"],
            &refused["answer"]
        ),
        (&json!(false), &json!(["999999"]), &Value::Null),
        "{refused}"
    );
    // A question about this session is rejected, because its chain has no agent that could answer.
    let about = tarsy(&format!("ask {session} why?"), &url).await;
    about.fails_with_error("no_agent");
}

/// Routes to SQL with the statement in the question, and cites its result if there is one.
fn sql_model(request: &SeenRequest) -> Behaviour {
    let reply = match request.contains(ROUTING) {
        true => {
            let prompt = &request.messages.last().unwrap().text;
            let statement = prompt.split('`').nth(1).filter(|text| *text != "nothing");
            json!({"intent": "list", "route": ["sql", "retrieval"], "statement": statement, "steps": []})
        }
        false => match evidence_ids(request).contains(&"sql") {
            true => json!({"answer": "These are the cases [sql].", "citations": ["sql"]}),
            false => json!({"answer": "", "citations": []}),
        },
    };
    Behaviour::text(reply.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_is_reported_and_what_is_long_is_cut() {
    let fleet = fleet(sql_model).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let ask = async |question: Value| {
        let (status, accepted) = post(&ingest, question).await;
        assert_eq!(status, 202, "{accepted}");
        answer(&fleet, &ingest, id(&accepted, "session_id")).await
    };
    for (question, refused) in [
        (
            json!({"question": "`delete from test_cases` tc-10000"}),
            "SQL: the statement was refused: only SELECT is allowed",
        ),
        (
            json!({"question": "`drop` tc-10000", "collection": "nowhere"}),
            "Search: no collection is named `nowhere`",
        ),
        (
            json!({"question": "`select nothing from test_cases` tc-10000", "filters": {"colour": "red"}}),
            "Search: collection `test_cases` has no filter `colour`; it has: case_id, model",
        ),
        (
            json!({"question": "`nothing` tc-10000"}),
            "SQL: the router chose it and wrote no statement",
        ),
    ] {
        let answered = ask(question).await;
        assert_eq!(
            (&answered["status"], &answered["answer"]),
            (&json!("completed"), &Value::Null),
            "{answered}"
        );
        let why = answered["error_message"].as_str().unwrap_or_default();
        assert!(why.contains(refused), "{answered}");
        let text = answered["text"].as_str().unwrap();
        assert!(
            text.contains(refused) && !text.contains("I don't know"),
            "{text}"
        );
        assert!(
            answered["errors"]
                .as_array()
                .unwrap()
                .iter()
                .any(|error| error.as_str().unwrap().starts_with(refused)),
            "{answered}"
        );
        assert_eq!(answered["trace"], Value::Null);
    }
    // Two hundred rows are larger than the evidence may be.
    let answered =
        ask(json!({"question": "`select * from test_cases` tc-10000", "debug": true})).await;
    assert_eq!(
        (&answered["supported"], &answered["error_message"]),
        (&json!(true), &Value::Null),
        "{answered}"
    );
    let trace = &answered["trace"];
    assert_eq!(
        (&trace["cut"], &trace["left_out"]),
        (&json!(["sql"]), &json!(0)),
        "{trace}"
    );
    let prompts = fleet.llm.requests();
    let prompt = &prompts.last().unwrap().messages.last().unwrap().text;
    assert_eq!(prompt.matches(" bytes left out ..]").count(), 1);
    assert!(prompt.len() < 30_000, "{}", prompt.len());

    let url = [("TARSY_URL", ingest.url.as_str())];
    let command = "ask --knowledge tc-10000`delete`? --debug";
    let output = tarsy(command, &url).await;
    assert!(
        output.out.contains("\"name\": \"sql-agent\"")
            && output.out.contains("\"key\": \"TC-10000\""),
        "{}",
        output.out
    );
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_in_the_middle_buys_no_answer_twice() {
    let hangs = Arc::new(AtomicBool::new(true));
    let hang = Arc::clone(&hangs);
    let answers =
        model(|ids| json!({"answer": format!("So [{}].", ids[1]), "citations": [ids[1]]}));
    let fleet = fleet(move |request| {
        match request.contains(ANSWERING) && hang.swap(false, Ordering::SeqCst) {
            true => Behaviour::Hang,
            false => answers(request),
        }
    })
    .await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let (status, accepted) = post(&ingest, json!({"question": "tc-10000?"})).await;
    assert_eq!(status, 202, "{accepted}");
    let session = id(&accepted, "session_id");
    wait::until("the answer to be asked for", SOON, async || {
        !hangs.load(Ordering::SeqCst)
    })
    .await;
    let holder = fleet.rows.holder(session, SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();
    victim.kill();

    let answered = answer(&fleet, &ingest, session).await;
    assert_eq!(answered["supported"], true, "{answered}");
    fleet.assert_sound().await;
    let requests = fleet.llm.requests();
    let [_routing, lost, again] = &requests[..] else {
        panic!("{} questions to the model", requests.len());
    };
    assert_eq!(lost.fingerprint, again.fingerprint, "the same prompt");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_without_a_store_refuses_questions() {
    let fleet = Fleet::new(tarsy_tests::scene::play).await;
    let ingest = fleet.ingest().await;
    let (status, problem) = post(&ingest, json!({"question": "tc-10000?"})).await;
    assert_eq!(
        (status, &problem["code"]),
        (404, &json!("knowledge_disabled"))
    );
}
