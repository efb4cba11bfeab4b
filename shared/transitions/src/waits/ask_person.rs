//! Makes a running stage wait for a person.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{
    ClaimRef, ExecutionId, Role, WAIT_JOB, WAIT_NOTICE_JOB, WaitId, WaitSort, job_requirement,
    wait_requirement,
};
use tarsy_store::Error;

use super::suspend::{NextJob, Subject, Suspension, suspend};

/// Subject of a running stage's question to a person.
#[derive(Clone, Debug)]
pub enum About {
    /// A tool call: server, tool, arguments, effect, thought and position, without secrets.
    Call(Value),
    /// Whether to continue beyond a spending limit.
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

    /// Returns what a chain worker must offer to run a job of kind `kind` about this wait. Older versions can't read
    /// new kinds of waits.
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
pub struct PersonQuestion {
    /// Identifies the wait in the API and in its jobs.
    pub wait_id: WaitId,
    /// The stage that asks.
    pub execution_id: ExecutionId,
    /// Number of stages of its chain, for event readers.
    pub stage_count: i32,
    /// Text of the question, without secrets.
    pub question: String,
    /// Subject of the question.
    pub about: About,
    /// Lowest role that may decide.
    pub role: Role,
    /// Maximum duration of the wait, in ms.
    pub expires_ms: u64,
    /// Priority of the jobs that end the wait.
    pub priority: i16,
}

/// Makes an active stage wait under `claim`, and ends its job. Returns false if the claim was lost and nothing was
/// changed.
///
/// If the stage has already ended in another way (an operator cancelled it), only its job is deleted. The people who
/// may decide are notified after this commit.
pub async fn ask_person(
    conn: &mut PgConnection,
    claim: ClaimRef,
    question: &PersonQuestion,
) -> Result<bool, Error> {
    let stage = Suspension {
        claim,
        execution_id: question.execution_id,
        stage_count: question.stage_count,
        wait_id: question.wait_id,
        sort: question.about.sort(),
        question: &question.question,
        role: Some(question.role),
        call: question.about.call(),
        expires_ms: question.expires_ms as f64,
        priority: question.priority,
        requires: question.about.requires(WAIT_JOB),
        next: NextJob {
            kind: WAIT_NOTICE_JOB,
            subject: Subject::Wait,
            priority: question.priority,
            requires: question.about.requires(WAIT_NOTICE_JOB),
        },
    };
    suspend(conn, &stage).await
}
