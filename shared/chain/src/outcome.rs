//! Outcome of a settled stage, over all its branches.

use std::collections::HashMap;

use serde_json::Value;
use tarsy_model::{ExecutionId, StageStatus};

use crate::branches::{BranchResult, merged_error, merged_output};
use crate::condition::StageFact;
use crate::{StageAttempt, StageDefinition};

pub(crate) struct StageOutcome<'a> {
    pub(crate) stage: &'a StageDefinition,
    pub(crate) status: StageStatus,
    /// Rows, one per branch, in order.
    pub(crate) rows: Vec<&'a StageAttempt>,
}

impl<'a> StageOutcome<'a> {
    pub(crate) const fn new(
        stage: &'a StageDefinition,
        status: StageStatus,
        rows: Vec<&'a StageAttempt>,
    ) -> Self {
        Self {
            stage,
            status,
            rows,
        }
    }

    /// Errors or skip reasons of its branches.
    pub(crate) fn error(&self) -> Option<String> {
        match self.rows.as_slice() {
            [row] if row.branch_name.is_none() => row.error_message.clone(),
            rows => merged_error(&results(rows, None)),
        }
    }

    pub(crate) fn fact(&self, outputs: Option<&HashMap<ExecutionId, Value>>) -> StageFact {
        let output = match self.rows.as_slice() {
            [row] if row.branch_name.is_none() => output_of(row, outputs).cloned(),
            rows => merged_output(&results(rows, outputs)),
        };
        StageFact {
            status: self.status,
            output,
            error: match self.status {
                StageStatus::Completed => None,
                _ => self.error(),
            },
        }
    }
}

fn results<'a>(
    rows: &'a [&StageAttempt],
    outputs: Option<&'a HashMap<ExecutionId, Value>>,
) -> Vec<BranchResult<'a>> {
    let result = |row: &&'a StageAttempt| BranchResult {
        name: row.branch_name.as_deref().unwrap_or_default(),
        status: row.status,
        output: output_of(row, outputs),
        error: row.error_message.as_deref(),
    };
    rows.iter().map(result).collect()
}

fn output_of<'a>(
    row: &StageAttempt,
    outputs: Option<&'a HashMap<ExecutionId, Value>>,
) -> Option<&'a Value> {
    let completed = row.status == StageStatus::Completed;
    outputs.filter(|_| completed)?.get(&row.execution_id)
}
