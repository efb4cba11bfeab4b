//! Makes a running stage wait for a person.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{
    ClaimRef, ExecutionId, Role, WAIT_JOB, WAIT_NOTICE_JOB, WaitId, WaitSort, job_requirement,
    wait_requirement,
};
use tarsy_store::Error;

use super::suspend::{NextJob, Subject, Suspension, suspend};

/// What a running stage asks a person about.
#[derive(Clone, Debug)]
pub enum About {
    /// A tool call: server, tool, arguments, effect, thought, position; without secrets.
    Call(Value),
    /// Going on beyond a spending limit.
    Spending,
}

impl About {
    const fn sort(&self) -> WaitSort {
        match self {
            Self::Call(_) => WaitSort::ToolCall,
            Self::Spending => WaitSort::Spending,
        }
    }

    const fn call(&self) -> Option<&Value> {
        match self {
            Self::Call(call) => Some(call),
            Self::Spending => None,
        }
    }

    /// What chain workers must offer to run a job of kind `kind` of this wait. Older versions can't read new sorts.
    fn requires(&self, kind: &str) -> Vec<String> {
        let job = job_requirement(kind);
        match self {
            Self::Call(_) => vec![job],
            Self::Spending => vec![job, wait_requirement(self.sort())],
        }
    }
}

/// A question of a running stage.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Identifies the wait in the API and in its jobs.
    pub wait_id: WaitId,
    /// The stage that waits.
    pub execution_id: ExecutionId,
    /// How many stages its chain has, for event readers.
    pub stage_count: i32,
    /// What is asked, for people; without secrets.
    pub question: String,
    /// What it is about.
    pub about: About,
    /// Least role that may decide.
    pub role: Role,
    /// How long it waits, in ms.
    pub expires_ms: u64,
    /// Priority of the jobs that end the wait.
    pub priority: i16,
}

/// Makes a stage wait that is active under `claim`, whose job ends; false when the claim was lost and nothing was changed.
///
/// A stage that somebody else has ended (an operator who cancelled) only loses its job. Whoever may decide is told after
/// this commit.
pub async fn ask_person(
    conn: &mut PgConnection,
    claim: ClaimRef,
    asked: &Asked,
) -> Result<bool, Error> {
    let stage = Suspension {
        claim,
        execution_id: asked.execution_id,
        stage_count: asked.stage_count,
        wait_id: asked.wait_id,
        sort: asked.about.sort(),
        question: &asked.question,
        role: Some(asked.role),
        call: asked.about.call(),
        expires_ms: asked.expires_ms as f64,
        priority: asked.priority,
        requires: asked.about.requires(WAIT_JOB),
        next: NextJob {
            kind: WAIT_NOTICE_JOB,
            subject: Subject::Wait,
            priority: asked.priority,
            requires: asked.about.requires(WAIT_NOTICE_JOB),
        },
    };
    suspend(conn, &stage).await
}
