//! Chains that wait for a person before they investigate.

use serde::Serialize;
use tarsy_model::{Role, StageStatus, severity_rank};

use crate::outcome::StageOutcome;
use crate::{ChainDefinition, SessionState, StageDefinition, StageKind, WaitStage};

/// Name of the stage that holds a session back.
pub const HOLD_STAGE: &str = "hold";

/// Rule for alerts of a chain that are investigated only after a person has approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hold {
    /// Only alerts less severe than this are held; `None`: all.
    pub below: Option<String>,
    /// Role required to decide.
    pub role: Role,
    /// Time until a held session ends as cancelled, in ms.
    pub expires_ms: u64,
}

impl Hold {
    /// Returns whether an alert of this severity is held.
    #[must_use]
    pub fn applies(&self, severity: &str) -> bool {
        let below = self.below.as_deref();
        below.is_none_or(|below| severity_rank(severity) < severity_rank(below))
    }
}

impl ChainDefinition {
    /// Returns the chain with a gate before all other stages. Stages that needed no other stage now need the gate, and
    /// run only if it is approved.
    ///
    /// The gate is added when a session is accepted, so sessions of other alerts don't have it.
    #[must_use]
    pub fn with_hold(&self, hold: &Hold) -> Self {
        let gate = StageDefinition {
            kind: StageKind::Wait(WaitStage::Approval {
                role: hold.role,
                expires_ms: hold.expires_ms,
            }),
            needs: Some(Vec::new()),
            ..StageDefinition::new(HOLD_STAGE, "")
        };
        let approved = format!("stages.{HOLD_STAGE}.data.approved");
        let stages = self.stages.iter().enumerate().map(|(index, stage)| {
            let is_first = match &stage.needs {
                None => index == 0,
                Some(needs) => needs.is_empty(),
            };
            let mut stage = stage.clone();
            if is_first {
                stage.needs = Some(vec![HOLD_STAGE.to_owned()]);
                stage.when = Some(match stage.when {
                    None => approved.clone(),
                    Some(when) => format!("{approved} and ({when})"),
                });
            }
            stage
        });
        Self {
            stages: std::iter::once(gate).chain(stages).collect(),
            ..self.clone()
        }
    }
}

/// Returns the reason if a session ends without an investigation because it was held and not approved.
pub(crate) fn why_not_investigated(
    state: &SessionState,
    settled: &[StageOutcome<'_>],
) -> Option<String> {
    let (hold, others) = settled.split_first()?;
    let is_hold = hold.stage.name == HOLD_STAGE && hold.stage.kind.as_wait().is_some();
    if !is_hold
        || others
            .iter()
            .any(|stage| stage.status != StageStatus::Skipped)
    {
        return None;
    }
    let outputs = state.facts.as_ref().map(|facts| &facts.outputs);
    let output = hold.fact(outputs).output;
    let result = output.as_ref().and_then(|output| output["result"].as_str());
    Some(format!(
        "held, and not investigated. {}",
        result.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use crate::graph::tests::chain;

    fn hold_below(below: Option<&str>) -> Hold {
        Hold {
            below: below.map(str::to_owned),
            role: Role::Operator,
            expires_ms: 1000,
        }
    }

    #[test]
    fn what_is_less_severe_is_held() {
        assert!(hold_below(Some("high")).applies("warning"));
        assert!(!hold_below(Some("high")).applies("P2"));
        assert!(hold_below(None).applies("critical"));
    }

    #[test]
    fn only_what_needed_no_stage_waits_for_the_gate() {
        let condition = "alert.severity == 'low' or true";
        let chain = chain(&[
            ("a", "-", ""),
            ("b", "-", ""),
            ("c", "", condition),
            ("d", "b c", ""),
        ]);
        let held = chain.with_hold(&hold_below(None));
        let needs: Vec<_> = held
            .stages
            .iter()
            .map(|s| s.needs.as_ref().map(|n| n.join(",")))
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            needs,
            [text(""), text("hold"), None, text("hold"), text("b,c")]
        );
        assert_eq!(
            held.stages[3].when,
            text("stages.hold.data.approved and (alert.severity == 'low' or true)")
        );
        assert_eq!(held.stages[2].when, None);
        assert!(Graph::new(&held).is_ok());
    }
}
