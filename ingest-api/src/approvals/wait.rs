//! A wait as the API shows it.

use serde::Serialize;
use serde_json::Value;
use tarsy_model::{
    ExecutionId, SessionId, StageStatus, WaitDecision, WaitId, WaitSort, shown_actor, shown_call,
    visible,
};
use tarsy_store::waits::WaitRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::incidents::LineIncident;

/// Approval, signal, timer or other event that a stage waits for, and its result.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Wait)]
pub(crate) struct WaitDetail {
    /// Id of the wait. For an approval, it is the `approval_id`.
    #[schema(value_type = Uuid)]
    pub(crate) wait_id: WaitId,
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    #[schema(value_type = Uuid)]
    pub(crate) execution_id: ExecutionId,
    stage_index: i32,
    stage_name: String,
    chain_id: String,
    alert_type: String,
    severity: String,
    /// Who submitted the alert or asked the question; null if unknown.
    author: Option<String>,
    /// The alert's `alertname`, masked.
    #[schema(example = "KubePodCrashLooping")]
    pub(crate) alert_name: Option<String>,
    /// Cluster of the alert, masked.
    #[schema(example = "prod-eu-1")]
    pub(crate) cluster: Option<String>,
    /// Namespace of the alert, masked.
    #[schema(example = "shop")]
    pub(crate) namespace: Option<String>,
    /// Pod, host, instance or service of the alert, masked.
    #[schema(example = "cart-0")]
    pub(crate) object: Option<String>,
    /// Findings so far in one line, masked: the newest conclusion of the session, or else the alert's summary.
    pub(crate) headline: Option<String>,
    /// The incident that the session belongs to.
    pub(crate) incident: Option<LineIncident>,
    /// Agent that asks. Only for tool calls and spending.
    agent: Option<String>,
    /// Conclusions of the stages that the gate needs. Only for an open gate.
    pub(crate) evidence: Vec<WaitEvidence>,
    /// What the chain does next if the gate is approved. Only for an open gate.
    pub(crate) on_approve: Option<WaitConsequence>,
    /// What the chain does next if the gate is denied or expires. Only for an open gate.
    pub(crate) on_deny: Option<WaitConsequence>,
    /// `approval`, `tool_call`, `spending`, `timer`, `signal` or `children`.
    #[schema(value_type = String, example = "approval")]
    sort: WaitSort,
    /// The question in one sentence.
    question: String,
    /// Role that may decide; null if no person decides.
    role: Option<String>,
    /// Signal that the stage waits for.
    signal: Option<String>,
    /// The tool call to decide about: `server`, `tool`, `arguments` (masked), `effect`, `thought`, and `shown`.
    /// `shown` is the whole call as text, with invisible characters written out. Show it to the person who decides.
    #[schema(value_type = Option<Object>)]
    call: Option<Value>,
    /// `open`, or how the wait ended: `approved`, `denied`, `signalled`, `elapsed`, `expired`, `cancelled` or
    /// `children_ended`.
    #[schema(example = "open")]
    status: &'static str,
    asked_at_us: i64,
    expires_at_us: i64,
    decided_at_us: Option<i64>,
    /// Who decided; null while the wait is open, and if it expired or elapsed.
    decided_by: Option<String>,
    decided_role: Option<String>,
    /// Authentication method of that person: `key`, `forwarded`, `oidc` or `off`.
    means: Option<String>,
    /// The API key, if one was used.
    key_id: Option<Uuid>,
    reason: Option<String>,
}

/// Conclusion of a stage that a gate needs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitEvidence {
    pub(crate) stage_name: String,
    /// Name of the branch; null for a stage without branches.
    pub(crate) branch_name: Option<String>,
    #[schema(value_type = String, example = "completed")]
    pub(crate) status: StageStatus,
    /// The stage's result, at most 4,000 characters; null if the stage failed.
    pub(crate) conclusion: Option<String>,
}

/// What a chain does after a decision.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitConsequence {
    /// Stages that run next.
    pub(crate) runs: Vec<NextStage>,
    /// Names of the stages that are skipped.
    pub(crate) skips: Vec<String>,
    /// Whether the session ends, because no stage is left.
    pub(crate) ends: bool,
}

/// A stage that runs after a decision.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NextStage {
    pub(crate) name: String,
    /// Agent of the stage, or what runs it instead.
    pub(crate) agent: String,
}

/// Status of a wait that is not decided.
const OPEN: &str = "open";

impl WaitDetail {
    /// Returns the status of a wait. A wait that was open when its session ended counts as cancelled.
    pub(crate) fn status(wait: &WaitRecord) -> &'static str {
        match wait.decision {
            Some(decision) => decision.as_str(),
            None if wait.is_live => OPEN,
            None => WaitDecision::Cancelled.as_str(),
        }
    }
}

/// Converts a row without the information that
/// [`WaitContexts`](crate::approvals::contexts::WaitContexts) adds.
impl From<WaitRecord> for WaitDetail {
    fn from(wait: WaitRecord) -> Self {
        Self {
            status: Self::status(&wait),
            wait_id: wait.wait_id,
            session_id: wait.session_id,
            execution_id: wait.execution_id,
            stage_index: wait.stage_index,
            stage_name: wait.stage_name,
            chain_id: wait.chain_id,
            alert_type: wait.alert_type,
            severity: wait.severity,
            author: wait.author,
            alert_name: None,
            cluster: None,
            namespace: None,
            object: None,
            headline: None,
            incident: None,
            agent: (wait.sort != WaitSort::Approval)
                .then(|| shown_actor(&wait.agent).to_owned())
                .filter(|_| wait.role.is_some()),
            evidence: Vec::new(),
            on_approve: None,
            on_deny: None,
            sort: wait.sort,
            question: wait.question,
            role: wait.role,
            signal: wait.signal,
            call: wait.call.map(with_text),
            asked_at_us: wait.asked_at_us,
            expires_at_us: wait.expires_at_us,
            decided_at_us: wait.decided_at_us,
            decided_by: wait.decided_by,
            decided_role: wait.decided_role,
            means: wait.means,
            key_id: wait.key_id,
            reason: wait.reason,
        }
    }
}

/// Adds the text of a stored call that people read before they decide. Also makes invisible
/// characters of the thought visible.
fn with_text(mut call: Value) -> Value {
    let shown = shown_call(&call);
    if let Some(members) = call.as_object_mut() {
        members.insert("shown".to_owned(), shown.into());
        if let Some(Value::String(thought)) = members.get_mut("thought") {
            *thought = visible(thought);
        }
    }
    call
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::with_text;

    #[test]
    fn a_thought_hides_nothing_from_who_decides() {
        let call = |thought| json!({"server": "hosts", "tool": "run", "effect": "destructive", "arguments": {}, "thought": thought});
        let thought = format!("Thought: clean up{}\u{202e} it\u{200b}", " ".repeat(21));
        let shown = with_text(call(json!(thought)));
        let expected = r"Thought: clean up⟨21 blanks⟩\u{202e} it\u{200b}";
        assert_eq!(shown["thought"], expected);
        assert_eq!(shown["arguments"], json!({}));
        assert_eq!(with_text(call(json!(null)))["thought"], json!(null));
    }
}
