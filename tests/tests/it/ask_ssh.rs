//! Questions that are answered by a command on a host, after an admin has approved it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use tarsy_testing::Sshd;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_tests::SOON;

use crate::ask_knowledge::{ROUTING, answer, evidence_ids, fleet, id, post};
use crate::waits::{decide, pending_approval};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/knowledge_ssh.yaml");

/// Routes each question to a command on `box`, and answers from its output.
fn model(request: &SeenRequest) -> Behaviour {
    let reply = match request.contains(ROUTING) {
        true => {
            assert!(request.contains("unit_state") && request.contains("a word of letters"));
            json!({
                "intent": "state of a host", "route": ["retrieval", "live"], "statement": null, "steps": [],
                "command": command_of(request),
            })
        }
        false => match evidence_ids(request).contains(&"live") {
            true => json!({"answer": "It is active [live].", "citations": ["live"]}),
            false => json!({"answer": "", "citations": []}),
        },
    };
    Behaviour::text(reply.to_string())
}

/// Returns the command for a question: one that runs, or one that its host refuses.
fn command_of(request: &SeenRequest) -> Value {
    let (host, command, value) = match request {
        _ if request.contains("Is the unit on nowhere") => ("nowhere", "unit_state", "tc-10000"),
        _ if request.contains("Is the denied unit") => ("box", "unit_state", "denied"),
        _ if request.contains("Restart the unit") => ("box", "unit_restart", "tc-10000"),
        _ => ("box", "unit_state", "tc-10000"),
    };
    json!({"host": host, "command": command, "arguments": [{"name": "unit", "value": value}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_answers_after_its_approval_and_never_without() {
    let (sshd, folder) = (Sshd::start().unwrap(), tempfile::tempdir().unwrap());
    let (program, runs) = (folder.path().join("state"), folder.path().join("runs"));
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    // The output exceeds the limit of 20,000 bytes. As JSON, that many bytes are more than the evidence may have.
    fs::write(
        &program,
        format!(
            "#!/bin/sh\necho \"$1\" >> {}\necho \"$1 is active with {token}\"\nfor n in $(seq 9000); do echo \"$n\"; done\n",
            runs.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = || fs::read_to_string(&runs).unwrap_or_default();
    let hosts = json!({
        "deny": ["denied"],
        "templates": {
            "unit_state": {"effect": "read_only", "command": [program, "{unit}"], "arguments": {"unit": {"type": "word"}}},
            "unit_restart": {"effect": "idempotent", "command": [program, "{unit}"], "arguments": {"unit": {"type": "word"}}},
        },
        "groups": {"lab": {
            "user": sshd.user(), "key": {"file": sshd.user_key()}, "allow": [[program, "{word}"]],
            "hosts": {"box": {"address": "127.0.0.1", "port": sshd.port(), "host_keys": [sshd.host_key().unwrap()]}},
        }},
    });
    let file = folder.path().join("ssh.yaml");
    fs::write(&file, hosts.to_string()).unwrap();
    let fleet = fleet(model).await;
    let fleet = fleet
        .with("AGENT_CONFIG_FILE", CONFIG)
        .with("TARSY_TEST_SSH", file.display().to_string());
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let question = json!({"question": "Is the unit of tc-10000 active?"});

    let (_, accepted) = post(&ingest, question.clone()).await;
    let session = id(&accepted, "session_id");
    let approval = pending_approval(&ingest, session).await;
    let call = &approval["call"];
    assert_eq!(
        (&approval["role"], &call["server"], &call["tool"]),
        (&json!("admin"), &json!("hosts"), &json!("run")),
        "{approval}"
    );
    let shown: &Value = &call["arguments"];
    assert_eq!(
        (
            &shown["host"],
            &shown["command"],
            &shown["arguments"][0]["value"]
        ),
        (&json!("box"), &json!("unit_state"), &json!("tc-10000"))
    );
    assert_eq!(ran(), "", "not before its approval");
    assert_eq!(decide(&ingest, &approval, "approve").await.0, 200);
    let answered = answer(&fleet, &ingest, session).await;
    assert_eq!(ran(), "tc-10000\n");
    assert_eq!(answered["supported"], true, "{answered}");
    let citation = &answered["citations"][0];
    assert_eq!(
        (&citation["id"], &citation["key"]),
        (&json!("live"), &json!("box")),
        "{answered}"
    );
    assert!(
        citation["text"]
            .as_str()
            .unwrap()
            .contains("tc-10000 is active"),
        "{answered}"
    );
    // The findings include secrets that masking replaced before the guardrails.
    let masked =
        json!({"policy": "masking", "action": "redact", "kind": "github_token", "count": 1});
    assert!(
        answered["redaction_flags"]
            .as_array()
            .unwrap()
            .contains(&masked),
        "{answered}"
    );
    let cut = reqwest::get(format!("{}/api/v1/ask/{session}?debug=true", ingest.url))
        .await
        .unwrap();
    let cut: Value = cut.json().await.unwrap();
    assert_eq!(cut["trace"]["cut"], json!(["live"]), "{cut}");

    let (_, accepted) = post(&ingest, question).await;
    let session = id(&accepted, "session_id");
    let approval = pending_approval(&ingest, session).await;
    assert_eq!(decide(&ingest, &approval, "deny").await.0, 200);
    let answered = answer(&fleet, &ingest, session).await;
    assert_eq!(
        (&answered["supported"], ran()),
        (&json!(false), "tc-10000\n".to_owned()),
        "{answered}"
    );
    let why = answered["error_message"].as_str().unwrap_or_default();
    assert!(
        why.starts_with("Command: the call was not made: ") && why.contains(" denied it. Reason: "),
        "{answered}"
    );
    assert!(
        answered["text"].as_str().unwrap().contains(why),
        "{answered}"
    );
    let denied = "select count(*) from stage_executions where stage_name = 'execution-agent' and status = 'failed'
                  and error_class = 'tool_refused'";
    assert_eq!(fleet.rows.count(denied).await, 1);
    fleet.rows.ended(session, SOON).await;

    // No person is asked about a command that can't be run.
    for (question, refusal) in [
        (
            "Is the unit on nowhere of tc-10000 active?",
            "there is no host `nowhere`",
        ),
        (
            "Is the denied unit of tc-10000 active?",
            "the denylist refuses this command",
        ),
        (
            "Restart the unit of tc-10000.",
            "it changes the host, and questions only run commands that read",
        ),
    ] {
        let (_, accepted) = post(&ingest, json!({"question": question})).await;
        let answered = answer(&fleet, &ingest, id(&accepted, "session_id")).await;
        let why = answered["error_message"].as_str().unwrap_or_default();
        assert!(why.contains(&format!("Command: {refusal}")), "{answered}");
    }
    assert_eq!(fleet.rows.count("select count(*) from waits").await, 2);
    fleet.assert_sound().await;
}
