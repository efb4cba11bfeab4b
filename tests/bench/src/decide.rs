//! Time of one decision about a chain of thirty stages.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use tarsy_chain::{
    ChainDefinition, Decision, OnRunbookError, RunbookState, SessionState, StageAttempt,
    StageDefinition, StageFacts, decide,
};
use tarsy_model::{ExecutionId, SessionId, SessionStatus, StageStatus};

use crate::report::{Figure, percentile};

/// Goal of a decision, in us.
const GOAL: f64 = 20.0;

/// Number of decisions between two readings of the clock.
const GROUP: usize = 100;

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of stages of the chain
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(4..=200))]
    stages: u16,
    /// Number of groups of a hundred decisions
    #[arg(long, default_value_t = 500)]
    groups: usize,
}

/// Builds layers of three stages, each of which needs two stages of the previous layer.
fn graph(stages: usize, condition: Option<&str>) -> ChainDefinition {
    let stage = |index: usize| {
        let layer = index / 3;
        let before =
            (layer.saturating_sub(1) * 3..layer * 3).filter(|other| other % 3 != (index + 1) % 3);
        StageDefinition {
            needs: Some(before.map(|other| format!("stage-{other}")).collect()),
            when: condition.filter(|_| layer > 0).map(str::to_owned),
            ..StageDefinition::new(format!("stage-{index}"), "idle")
        }
    };
    ChainDefinition {
        chain_id: "bench".to_owned(),
        alert_types: Vec::new(),
        stages: (0..stages).map(stage).collect(),
        description: None,
        llm_provider: None,
        on_runbook_error: OnRunbookError::Continue,
        chat: None,
        labels: Vec::new(),
    }
}

/// Builds a session whose first `ended` stages have ended.
fn state(chain: &ChainDefinition, ended: usize) -> Result<SessionState> {
    let attempt = |index: usize| {
        anyhow::Ok(StageAttempt {
            execution_id: ExecutionId::generate(),
            stage_index: i32::try_from(index)?,
            branch: 0,
            branch_count: 1,
            branch_name: None,
            attempt: 1,
            round: 0,
            status: StageStatus::Completed,
            iteration_strategy: None,
            error_message: None,
        })
    };
    let stages = (0..ended).map(attempt).collect::<Result<Vec<_>>>()?;
    let outputs = stages.iter().map(|stage| {
        (
            stage.execution_id,
            serde_json::json!({"result": "x".repeat(1000)}),
        )
    });
    Ok(SessionState {
        session_id: SessionId::generate(),
        status: SessionStatus::InProgress,
        chain: chain.clone(),
        runbook: RunbookState::None,
        severity: "warning".to_owned(),
        traceparent: None,
        facts: chain.has_conditions().then(|| StageFacts {
            alert: serde_json::json!({}),
            outputs: outputs.collect(),
        }),
        stages,
    })
}

pub(crate) fn measure(options: &Options) -> Result<Vec<Figure>> {
    let stages = usize::from(options.stages);
    // One layer is left, so the decision reads nearly all stages as ended.
    let ended = stages / 3 * 3 - 3;
    let plain = millionths(&state(&graph(stages, None), ended)?, options.groups)?;
    let condition = "alert.severity != 'info'";
    let conditional = millionths(
        &state(&graph(stages, Some(condition)), ended)?,
        options.groups,
    )?;
    let figure = |name, value| Figure::new(name, value, "us", Some(GOAL));
    Ok(vec![
        figure("decide_30_stages_p50", percentile(&plain, 0.50)),
        figure("decide_30_stages_p99", percentile(&plain, 0.99)),
        figure("decide_30_conditions_p50", percentile(&conditional, 0.50)),
        figure("decide_30_conditions_p99", percentile(&conditional, 0.99)),
    ])
}

/// Returns the mean duration of a decision in each group, in microseconds, sorted.
fn millionths(state: &SessionState, groups: usize) -> Result<Vec<f64>> {
    ensure!(
        !matches!(decide(state), Decision::Nothing | Decision::Finish(_)),
        "nothing is due in the measured state"
    );
    let mut times = Vec::with_capacity(groups);
    for _ in 0..groups {
        let begun = Instant::now();
        for _ in 0..GROUP {
            black_box(decide(black_box(state)));
        }
        times.push(begun.elapsed().as_secs_f64() * 1e6 / GROUP as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}
