//! The questions of gates.

use tarsy_chain::{HOLD_STAGE, StageDefinition, WaitStage};
use tarsy_model::{Role, WaitId, WaitSort};
use tarsy_store::stages::NewStage;

/// A stage of kind `wait` that becomes due.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Identifies the wait in the API and in its jobs.
    pub wait_id: WaitId,
    /// The stage's row.
    pub stage: NewStage,
    /// Kind of the wait.
    pub sort: WaitSort,
    /// Text of the question, for people.
    pub question: String,
    /// Lowest role that may decide; `None`: no person decides.
    pub role: Option<Role>,
    /// Name of the signal, if it waits for one.
    pub signal: Option<String>,
    /// Maximum duration of the wait, in ms.
    pub expires_ms: u64,
}

impl Gate {
    /// Builds the wait of a stage of the chain `chain_id`. Returns `None` if the stage is not of kind `wait`.
    #[must_use]
    pub fn from_stage(
        chain_id: &str,
        definition: &StageDefinition,
        stage: NewStage,
    ) -> Option<Self> {
        let name = &definition.name;
        let (sort, question, role, signal, expires_ms) = match definition.kind.as_wait()? {
            WaitStage::Approval { role, expires_ms } => (
                WaitSort::Approval,
                match name.as_str() {
                    HOLD_STAGE => {
                        format!("Chain `{chain_id}` holds this alert. Investigate it?")
                    }
                    _ => format!("Chain `{chain_id}` asks for approval at stage `{name}`"),
                },
                Some(*role),
                None,
                *expires_ms,
            ),
            WaitStage::Timer { after_ms } => (
                WaitSort::Timer,
                format!("Chain `{chain_id}` waits at stage `{name}` until the time is over"),
                None,
                None,
                *after_ms,
            ),
            WaitStage::Signal {
                name: signal,
                expires_ms,
            } => (
                WaitSort::Signal,
                format!("Chain `{chain_id}` waits at stage `{name}` for signal `{signal}`"),
                None,
                Some(signal.clone()),
                *expires_ms,
            ),
        };
        Some(Self {
            wait_id: WaitId::generate(),
            stage,
            sort,
            question,
            role,
            signal,
            expires_ms,
        })
    }
}
