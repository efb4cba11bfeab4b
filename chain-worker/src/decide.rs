//! What comes next for a session: a pure function of its rows.
//!
//! Deliver a chain job twice, late or never: the rows are the same, and so is the answer.

use tarsy_model::{
    ExecutionId, IterationStrategy, OnRunbookError, SessionId, SessionOutcome, SessionStatus,
    StageStatus,
};
use tarsy_store::{ChainRow, FinishSession, StageRow};

/// The next transition of a session.
#[derive(Clone, Debug)]
pub enum Next {
    /// The session has ended, or a stage is under way, whose end hands on or brings a new chain job.
    Nothing,
    /// The runbook is asked for once, before the first stage.
    FetchRunbook {
        /// Where it is.
        url: String,
    },
    /// A stage is due.
    Start(DueStage),
    /// Every stage has ended, or the chain can't go on.
    Finish(FinishSession),
}

/// A stage that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueStage {
    /// Position in the chain.
    pub index: usize,
    /// Attempt to make, from 1.
    pub attempt: i32,
    /// Replay round it belongs to.
    pub round: i32,
}

/// Decide what comes next.
#[must_use]
pub fn decide(row: &ChainRow) -> Next {
    if row.status.is_terminal() {
        return Next::Nothing;
    }
    if row.stages.is_empty()
        && let Some(next) = decide_runbook(row)
    {
        return next;
    }

    let mut round = 0;
    let mut ended: Vec<&StageRow> = Vec::with_capacity(row.chain.stages.len());
    for index in 0..row.chain.stages.len() {
        match current(row, index) {
            // An attempt older than its predecessor was made before that one was replayed.
            Some(stage) if stage.round >= round => {
                if !stage.status.is_terminal() {
                    return Next::Nothing;
                }
                round = stage.round;
                ended.push(stage);
            }
            other => {
                let attempt = other.map_or(1, |superseded| superseded.attempt + 1);
                return Next::Start(DueStage {
                    index,
                    attempt,
                    round,
                });
            }
        }
    }
    Next::Finish(conclude(row, &ended))
}

/// A session that can't go on because its chain job kills workers.
#[must_use]
pub(crate) fn give_up(session_id: SessionId, reason: &str) -> FinishSession {
    FinishSession {
        session_id,
        status: SessionStatus::Failed,
        outcome: Some(SessionOutcome::Failed),
        analysis_from: None,
        error: Some(reason.to_owned()),
    }
}

fn current(row: &ChainRow, index: usize) -> Option<&StageRow> {
    row.stages
        .iter()
        .find(|s| usize::try_from(s.stage_index) == Ok(index))
}

fn decide_runbook(row: &ChainRow) -> Option<Next> {
    let url = row.runbook_url.clone()?;
    if !row.runbook_settled {
        return Some(Next::FetchRunbook { url });
    }
    let error = row.runbook_error.as_deref()?;
    (row.chain.on_runbook_error == OnRunbookError::Fail).then(|| {
        Next::Finish(give_up(
            row.session_id,
            &format!("the runbook could not be had: {error}"),
        ))
    })
}

/// The end of a session whose stages have all ended.
///
/// The answer is the last analysis that completed. When stages failed and no analysis is
/// left, the session has failed, whatever was collected: data is not an analysis.
fn conclude(row: &ChainRow, stages: &[&StageRow]) -> FinishSession {
    let completed: Vec<&&StageRow> = stages
        .iter()
        .filter(|s| s.status == StageStatus::Completed)
        .collect();
    let outcome = match completed.len() {
        0 => SessionOutcome::Failed,
        n if n == stages.len() => SessionOutcome::Completed,
        _ => SessionOutcome::Partial,
    };
    let analysis = completed.iter().rev().find(|s| !collects_only(s));
    // A chain that only collects, and did, has what it was made for.
    let collection = completed
        .last()
        .filter(|_| outcome == SessionOutcome::Completed);
    let analysis_from: Option<ExecutionId> = analysis.or(collection).map(|s| s.execution_id);
    let error = analysis_from
        .is_none()
        .then(|| why_no_analysis(row, stages));
    FinishSession {
        session_id: row.session_id,
        status: if analysis_from.is_some() {
            SessionStatus::Completed
        } else {
            SessionStatus::Failed
        },
        outcome: Some(outcome),
        analysis_from,
        error,
    }
}

fn collects_only(stage: &StageRow) -> bool {
    let strategy = stage
        .iteration_strategy
        .as_deref()
        .and_then(|s| s.parse().ok());
    strategy == Some(IterationStrategy::ReactTools)
}

fn why_no_analysis(row: &ChainRow, stages: &[&StageRow]) -> String {
    let reasons: Vec<String> = stages
        .iter()
        .filter_map(|s| {
            let name = usize::try_from(s.stage_index)
                .ok()
                .and_then(|i| row.chain.stages.get(i));
            let name = name.map_or("?", |d| d.name.as_str());
            Some(format!("{name}: {}", s.error_message.as_deref()?))
        })
        .collect();
    format!("no stage reached an analysis ({})", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsy_model::{ChainDefinition, StageDefinition};

    /// Stages written as `(strategy, [(status, round), ..attempts])`.
    type Sketch<'a> = (&'a str, &'a [(StageStatus, i32)]);

    fn row(stages: &[Sketch<'_>]) -> ChainRow {
        let definition = |i: usize| StageDefinition {
            name: format!("stage-{i}"),
            agent: "KubernetesAgent".into(),
            iteration_strategy: None,
            pool: tarsy_model::Pool::default(),
            llm_provider: None,
            schedule_timeout_ms: None,
            timeout_ms: None,
        };
        let current = |(i, (strategy, attempts)): (usize, &Sketch<'_>)| {
            let (status, round) = *attempts.last()?;
            Some(StageRow {
                execution_id: ExecutionId::generate(),
                stage_index: i32::try_from(i).ok()?,
                attempt: i32::try_from(attempts.len()).ok()?,
                round,
                status,
                iteration_strategy: Some((*strategy).to_owned()),
                error_message: (status == StageStatus::Failed).then(|| "the model is down".into()),
            })
        };
        ChainRow {
            session_id: SessionId::generate(),
            status: SessionStatus::InProgress,
            chain: ChainDefinition {
                chain_id: "c".into(),
                alert_types: vec!["t".into()],
                stages: (0..stages.len()).map(definition).collect(),
                description: None,
                llm_provider: None,
                on_runbook_error: OnRunbookError::Continue,
            },
            runbook_url: None,
            runbook_settled: false,
            runbook_error: None,
            severity: "warning".into(),
            traceparent: None,
            stages: stages.iter().enumerate().filter_map(current).collect(),
        }
    }

    use StageStatus::{Active, Completed, Failed, Pending};

    fn due(next: &Next) -> DueStage {
        match next {
            Next::Start(due) => *due,
            other => panic!("expected a due stage, got {other:?}"),
        }
    }

    fn end(next: Next) -> FinishSession {
        match next {
            Next::Finish(finish) => finish,
            other => panic!("expected an end, got {other:?}"),
        }
    }

    #[test]
    fn a_fresh_session_starts_its_first_stage() {
        let next = decide(&row(&[("react", &[]), ("react", &[])]));
        assert_eq!(
            due(&next),
            DueStage {
                index: 0,
                attempt: 1,
                round: 0
            }
        );
    }

    #[test]
    fn the_runbook_comes_first_and_only_once() {
        let mut row = row(&[("react", &[])]);
        row.runbook_url = Some("local:x".into());
        assert!(matches!(decide(&row), Next::FetchRunbook { .. }));
        row.runbook_settled = true;
        assert_eq!(due(&decide(&row)).index, 0);
    }

    #[test]
    fn a_missing_runbook_ends_only_a_chain_that_says_so() {
        let mut row = row(&[("react", &[])]);
        (row.runbook_url, row.runbook_settled) = (Some("local:x".into()), true);
        row.runbook_error = Some("404".into());
        assert_eq!(due(&decide(&row)).index, 0);
        row.chain.on_runbook_error = OnRunbookError::Fail;
        let end = end(decide(&row));
        assert_eq!(end.status, SessionStatus::Failed);
        assert!(end.error.unwrap().contains("404"));
    }

    #[test]
    fn nothing_happens_while_a_stage_waits_or_runs() {
        for status in [Pending, Active] {
            assert!(matches!(
                decide(&row(&[("react", &[(status, 0)])])),
                Next::Nothing
            ));
        }
    }

    #[test]
    fn nothing_happens_to_an_ended_session() {
        for status in [
            SessionStatus::Completed,
            SessionStatus::Failed,
            SessionStatus::Cancelled,
        ] {
            let mut row = row(&[("react", &[(Completed, 0)])]);
            row.status = status;
            assert!(matches!(decide(&row), Next::Nothing));
        }
    }

    #[test]
    fn a_failed_stage_hands_on_to_the_next() {
        let next = decide(&row(&[("react", &[(Failed, 0)]), ("react", &[])]));
        assert_eq!(
            due(&next),
            DueStage {
                index: 1,
                attempt: 1,
                round: 0
            }
        );
    }

    #[test]
    fn all_completed_is_completed_by_the_last() {
        let row = row(&[("react", &[(Completed, 0)]), ("react", &[(Completed, 0)])]);
        let end = end(decide(&row));
        assert_eq!(
            (end.status, end.outcome),
            (SessionStatus::Completed, Some(SessionOutcome::Completed))
        );
        assert_eq!(end.analysis_from, Some(row.stages[1].execution_id));
    }

    #[test]
    fn some_failed_is_partial_by_the_last_that_made_it() {
        let row = row(&[("react", &[(Completed, 0)]), ("react", &[(Failed, 0)])]);
        let end = end(decide(&row));
        assert_eq!(
            (end.status, end.outcome),
            (SessionStatus::Completed, Some(SessionOutcome::Partial))
        );
        assert_eq!(end.analysis_from, Some(row.stages[0].execution_id));
    }

    #[test]
    fn all_failed_is_failed_and_says_why() {
        let end = end(decide(&row(&[
            ("react", &[(Failed, 0)]),
            ("react", &[(Failed, 0)]),
        ])));
        assert_eq!(
            (end.status, end.outcome),
            (SessionStatus::Failed, Some(SessionOutcome::Failed))
        );
        assert_eq!(
            end.error.unwrap(),
            "no stage reached an analysis (stage-0: the model is down; stage-1: the model is down)"
        );
    }

    #[test]
    fn collected_data_without_an_analysis_is_no_analysis() {
        let end = end(decide(&row(&[
            ("react-tools", &[(Completed, 0)]),
            ("react", &[(Failed, 0)]),
        ])));
        assert_eq!(
            (end.status, end.outcome),
            (SessionStatus::Failed, Some(SessionOutcome::Partial))
        );
        assert_eq!(end.analysis_from, None);
    }

    #[test]
    fn a_replayed_stage_makes_later_ones_run_again_on_top() {
        let replayed = row(&[
            ("react", &[(Completed, 0)]),
            ("react", &[(Failed, 0), (Completed, 1)]),
            ("react", &[(Completed, 0)]),
        ]);
        assert_eq!(
            due(&decide(&replayed)),
            DueStage {
                index: 2,
                attempt: 2,
                round: 1
            }
        );

        let again = row(&[
            ("react", &[(Completed, 0)]),
            ("react", &[(Failed, 0), (Completed, 1)]),
            ("react", &[(Completed, 0), (Completed, 1)]),
        ]);
        assert_eq!(end(decide(&again)).status, SessionStatus::Completed);
    }
}
