//! Input of an agent: the alert, its runbook and earlier stages' results.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{SessionId, StageStatus, UnixMicros};

/// The outcome of an earlier stage (its current attempt).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreviousStage {
    /// Name within the chain.
    pub stage_name: String,
    /// Position within the chain, from 0.
    pub stage_index: i32,
    /// Agent that ran it.
    pub agent: String,
    /// How it ended.
    pub status: StageStatus,
    /// Result of the stage if it completed: `{"result": text, ..}`.
    pub output: Option<Value>,
    /// Reason for its failure, if it failed. A later agent sees it as data.
    pub error: Option<String>,
}

impl PreviousStage {
    /// The stage's text result, if it has one.
    #[must_use]
    pub fn result_text(&self) -> Option<&str> {
        self.output.as_ref()?.get("result")?.as_str()
    }
}

/// The branch of a stage that an agent runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BranchInput {
    /// Name of the branch.
    pub name: String,
    /// Position among the branches, from 0.
    pub index: i32,
    /// Number of branches of the stage, which run concurrently.
    pub count: i32,
    /// Item of the branch, in a stage that has a branch for each item of a list.
    pub item: Option<Value>,
}

/// Input of a stage's agent, rebuilt from rows for each stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AlertProcessingData {
    /// The session this is about.
    pub session_id: SessionId,
    /// Selects the chain that investigates it.
    pub alert_type: String,
    /// Free text, e.g. `critical`.
    pub severity: String,
    /// When the alert happened.
    pub timestamp_us: UnixMicros,
    /// The alert's data as accepted, defaults filled in.
    pub alert_data: Value,
    /// Location that the runbook was requested from.
    pub runbook_url: Option<String>,
    /// Text of the runbook, if fetching it succeeded.
    pub runbook_content: Option<String>,
    /// Reason why fetching the runbook failed.
    pub runbook_error: Option<String>,
    /// Chain of the session.
    pub chain_id: String,
    /// Name of the stage that runs now.
    pub current_stage: String,
    /// The branch that runs now; `None` in a stage without branches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchInput>,
    /// Earlier stages, in order, failed ones included.
    pub stage_outputs: Vec<PreviousStage>,
}

impl AlertProcessingData {
    /// Returns the runbook's text, or an empty text if there is none.
    #[must_use]
    pub fn runbook_content(&self) -> &str {
        self.runbook_content.as_deref().unwrap_or_default()
    }

    /// Returns the alert's data as accepted.
    #[must_use]
    pub const fn original_alert_data(&self) -> &Value {
        &self.alert_data
    }

    /// Returns the earlier stage with this name.
    #[must_use]
    pub fn stage_result(&self, stage_name: &str) -> Option<&PreviousStage> {
        self.stage_outputs
            .iter()
            .find(|s| s.stage_name == stage_name)
    }

    /// Returns the earlier stages that completed, in order.
    pub fn completed_stages(&self) -> impl Iterator<Item = &PreviousStage> {
        self.stage_outputs
            .iter()
            .filter(|s| s.status == StageStatus::Completed)
    }

    /// Returns the alert's environment, or the default one.
    #[must_use]
    pub fn environment(&self) -> &str {
        self.alert_data
            .get("environment")
            .and_then(Value::as_str)
            .unwrap_or(crate::AlertDefaults::ENVIRONMENT)
    }

    /// The session's severity.
    #[must_use]
    pub fn severity(&self) -> &str {
        &self.severity
    }
}
