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

/// What a stage waits for, and how that was decided.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Wait)]
pub(crate) struct WaitDetail {
    /// Of an approval it is the `approval_id`.
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
    /// Who submitted the alert or asked the question; null if nobody is known.
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
    /// What is known, in one line: the newest conclusion of the session, else the alert's summary, masked.
    pub(crate) headline: Option<String>,
    /// The incident that the session belongs to.
    pub(crate) incident: Option<LineIncident>,
    /// Agent that asks: of a tool call and of spending.
    agent: Option<String>,
    /// Of an open gate: what the stages that it needs concluded.
    pub(crate) evidence: Vec<WaitEvidence>,
    /// Of an open gate: what the chain does next if it is approved.
    pub(crate) on_approve: Option<WaitConsequence>,
    /// Of an open gate: what the chain does next if it is denied, or expires.
    pub(crate) on_deny: Option<WaitConsequence>,
    /// `approval`, `tool_call`, `spending`, `timer`, `signal` or `children`.
    #[schema(value_type = String, example = "approval")]
    sort: WaitSort,
    /// What is asked, in a sentence.
    question: String,
    /// Role that may decide; null where no person does.
    role: Option<String>,
    /// Signal that it waits for.
    signal: Option<String>,
    /// The tool call that is asked about: `server`, `tool`, `arguments` (masked), `effect`, `thought`, and `shown`: all of
    /// it as text, in which what can't be seen is written out. Show that to whoever decides.
    #[schema(value_type = Option<Object>)]
    call: Option<Value>,
    /// `open`, or how it ended: `approved`, `denied`, `signalled`, `elapsed`, `expired`, `cancelled` or `children_ended`.
    #[schema(example = "open")]
    status: &'static str,
    asked_at_us: i64,
    expires_at_us: i64,
    decided_at_us: Option<i64>,
    /// Who decided; null while it is open, and if it expired or elapsed.
    decided_by: Option<String>,
    decided_role: Option<String>,
    /// How they showed who they are: `key`, `forwarded`, `oidc` or `off`.
    means: Option<String>,
    /// The API key, if one was used.
    key_id: Option<Uuid>,
    reason: Option<String>,
}

/// What a stage that a gate needs concluded.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitEvidence {
    pub(crate) stage_name: String,
    /// Name of the branch; none in a stage without branches.
    pub(crate) branch_name: Option<String>,
    #[schema(value_type = String, example = "completed")]
    pub(crate) status: StageStatus,
    /// Its result, at most 4,000 characters; none if it failed.
    pub(crate) conclusion: Option<String>,
}

/// What a chain does next.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitConsequence {
    /// Stages that run next.
    pub(crate) runs: Vec<NextStage>,
    /// Names of the stages that are skipped.
    pub(crate) skips: Vec<String>,
    /// Whether the session ends, because no stage is left.
    pub(crate) ends: bool,
}

/// A stage that runs next.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NextStage {
    pub(crate) name: String,
    /// Its agent, or what else runs it.
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
