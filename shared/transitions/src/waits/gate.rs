//! What a gate asks.

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
    /// What it waits for.
    pub sort: WaitSort,
    /// What is asked, for people.
    pub question: String,
    /// Who may decide; `None`: no person does.
    pub role: Option<Role>,
    /// The signal it waits for.
    pub signal: Option<String>,
    /// How long it waits, in ms.
    pub expires_ms: u64,
}

impl Gate {
    /// The wait of a stage of the chain `chain_id`; `None` if the stage doesn't wait.
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
