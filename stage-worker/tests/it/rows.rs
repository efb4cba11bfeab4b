//! Rows that ingest and a chain worker would have created, for one session of the chain `watch`.

use serde_json::Value;
use serde_json::value::to_raw_value;
use tarsy_model::{ExecutionId, IterationStrategy, Pool, SessionId};
use tarsy_store::new_session::NewSession;
use tarsy_store::stages::NewStage;
use uuid::Uuid;

/// Returns a session with a runbook that its configuration keeps.
pub(crate) fn session(session_id: SessionId, alert: &Value, chain: &Value) -> NewSession {
    NewSession {
        session_id,
        alert_id: Uuid::now_v7(),
        alert_type: "Watch".to_owned(),
        data: to_raw_value(alert).expect("JSON"),
        severity: "warning".to_owned(),
        alert_timestamp_us: None,
        source: "api".to_owned(),
        author: None,
        fingerprint: session_id.to_string(),
        idempotency_key: None,
        chain_id: "watch".to_owned(),
        chain_definition: to_raw_value(chain).expect("JSON"),
        runbook_url: Some("local:watch".to_owned()),
        traceparent: None,
        suppressible: None,
    }
}

/// Returns the first attempt at the session's first stage.
pub(crate) fn stage(
    session_id: SessionId,
    name: &str,
    agent: &str,
    strategy: IterationStrategy,
) -> NewStage {
    NewStage {
        execution_id: ExecutionId::generate(),
        session_id,
        stage_index: 0,
        stage_name: name.to_owned(),
        agent: agent.to_owned(),
        strategy: Some(strategy),
        llm_provider: None,
        pool: Pool::default().as_str().to_owned(),
        branch: tarsy_chain::Branch::SOLE,
        attempt: 1,
        round: 0,
        timeout_ms: 60_000,
    }
}
