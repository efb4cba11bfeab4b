//! Labels of chains, and the agents that are asked for one.

use tarsy_model::IterationStrategy;

use crate::conclude::can_analyse;
use crate::graph::{MistakeKind, ancestors};
use crate::{BranchSource, ChainDefinition, Mistake, StageDefinition, StageKind};

impl ChainDefinition {
    /// Makes every agent whose answer can be the session's give one of the labels: the agent of the last analysing
    /// stage and, if that stage may be skipped, those of the ones before it. Strategies must be resolved.
    pub fn assign_labels(&mut self) {
        if self.labels.is_empty() {
            return;
        }
        let always_runs = |index: usize| {
            let of_stages = ancestors(&self.stages, index);
            let mut of_stages = of_stages.iter().chain([&index]);
            !of_stages.any(|at| self.stages[*at].has_expression())
        };
        let mut concluding = Vec::new();
        for index in (0..self.stages.len()).rev() {
            if analyses(&self.stages[index]) {
                concluding.push(index);
                if always_runs(index) {
                    break;
                }
            }
        }
        for index in concluding {
            if let StageKind::Agent(stage) = &mut self.stages[index].kind {
                stage.labels.clone_from(&self.labels);
            }
        }
    }
}

/// Returns the mistake of a chain with labels if no agent gives its answer.
pub(crate) fn label_mistake(chain: &ChainDefinition) -> Option<Mistake> {
    if chain.labels.is_empty() || chain.stages.is_empty() {
        return None;
    }
    let last = chain.stages.iter().rposition(analyses);
    if last.is_some_and(|index| chain.stages[index].kind.as_agent().is_some()) {
        return None;
    }
    Some(Mistake {
        stage: last.unwrap_or(chain.stages.len() - 1),
        kind: MistakeKind::NoLabel,
    })
}

fn analyses(stage: &StageDefinition) -> bool {
    let own = stage
        .kind
        .as_agent()
        .and_then(|kind| kind.iteration_strategy);
    let can = |strategy: Option<IterationStrategy>| can_analyse(&stage.kind, strategy);
    match stage.branches.as_ref().map(|branches| &branches.source) {
        Some(BranchSource::Agents(agents)) => agents
            .iter()
            .any(|agent| can(agent.iteration_strategy.or(own))),
        _ => can(own),
    }
}

#[cfg(test)]
mod tests {
    use tarsy_model::ModelOptions;

    use super::*;
    use crate::{AskStage, OnRunbookError};

    fn chain(stages: Vec<StageDefinition>) -> ChainDefinition {
        ChainDefinition {
            chain_id: "c".into(),
            alert_types: vec!["t".into()],
            stages,
            description: None,
            llm_provider: None,
            on_runbook_error: OnRunbookError::Continue,
            chat: None,
            labels: vec!["noise".into(), "action".into()],
        }
    }

    fn stage(name: &str, strategy: IterationStrategy, when: Option<&str>) -> StageDefinition {
        let mut stage = StageDefinition::new(name, "A");
        if let StageKind::Agent(agent) = &mut stage.kind {
            agent.iteration_strategy = Some(strategy);
        }
        stage.when = when.map(str::to_owned);
        stage
    }

    fn labelled(chain: &ChainDefinition) -> Vec<&str> {
        let has_labels = |stage: &&StageDefinition| {
            let agent = stage.kind.as_agent();
            agent.is_some_and(|agent| !agent.labels.is_empty())
        };
        let stages = chain.stages.iter().filter(has_labels);
        stages.map(|stage| stage.name.as_str()).collect()
    }

    #[test]
    fn agents_whose_answer_can_be_the_sessions_are_asked_for_a_label() {
        use IterationStrategy::{React, ReactTools};
        let mut plain = chain(vec![
            stage("triage", React, None),
            stage("report", React, None),
            stage("collect", ReactTools, None),
        ]);
        plain.assign_labels();
        assert_eq!(labelled(&plain), ["report"]);

        let mut skipped = chain(vec![
            stage("collect", ReactTools, None),
            stage("triage", React, None),
            stage("deep", React, Some("true")),
            stage("report", React, None),
        ]);
        skipped.assign_labels();
        assert_eq!(labelled(&skipped), ["triage", "deep", "report"]);

        let mut none = chain(skipped.stages.clone());
        none.labels.clear();
        none.assign_labels();
        assert_eq!(label_mistake(&none), None);
    }

    #[test]
    fn a_chain_whose_answer_no_agent_gives_can_have_no_labels() {
        let mut ask = StageDefinition::new("report", "");
        ask.kind = StageKind::Ask(AskStage {
            prompt: "?".into(),
            llm_provider: None,
            output_schema: None,
            draft: None,
            model_options: ModelOptions::default(),
        });
        let triage = || stage("triage", IterationStrategy::React, None);
        let mistake = label_mistake(&chain(vec![triage(), ask.clone()]));
        assert_eq!(mistake.map(|mistake| mistake.stage), Some(1));
        assert_eq!(label_mistake(&chain(vec![ask, triage()])), None);
        let collects = stage("collect", IterationStrategy::ReactTools, None);
        let mistake = label_mistake(&chain(vec![collects]));
        assert_eq!(mistake.map(|mistake| mistake.stage), Some(0));
    }
}
