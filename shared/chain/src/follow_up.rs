//! Builds the chain that answers a question about an ended session.

use tarsy_model::{FOLLOW_UP_CHAIN, IterationStrategy, StageStatus};

use crate::conclude::analyses;
use crate::{
    AgentStage, ChainDefinition, OnRunbookError, StageAttempt, StageDefinition, StageKind,
};

/// Name of the chain's only stage.
pub const FOLLOW_UP_STAGE: &str = "answer";

/// Builds the one-stage chain that answers questions about sessions of `chain`.
///
/// Its agent is the chain's `chat`, or else the agent of the last stage that uses tools, so that it can use them
/// again. It runs in the pool of that stage. Returns `None` if the chain has no agent.
#[must_use]
pub fn follow_up(chain: &ChainDefinition) -> Option<ChainDefinition> {
    let agents = || {
        let stages = chain.stages.iter().rev();
        let agents = stages.filter_map(|stage| Some((stage, stage.kind.as_agent()?)));
        agents.filter(|(_, agent)| agent.verifies.is_none())
    };
    let uses_tools = |(_, agent): &(&StageDefinition, &AgentStage)| {
        agent.iteration_strategy.unwrap_or_default().uses_tools()
    };
    let like = agents().find(uses_tools).or_else(|| agents().next());
    let stage = match (&chain.chat, like) {
        (Some(agent), like) => StageDefinition {
            pool: like
                .map(|(stage, _)| stage.pool.clone())
                .unwrap_or_default(),
            ..StageDefinition::new(FOLLOW_UP_STAGE, agent)
        },
        (None, Some((stage, agent))) => StageDefinition {
            name: FOLLOW_UP_STAGE.to_owned(),
            kind: StageKind::Agent(AgentStage {
                iteration_strategy: Some(answering(agent.iteration_strategy)),
                output_schema: None,
                labels: Vec::new(),
                ..agent.clone()
            }),
            needs: None,
            when: None,
            ..stage.clone()
        },
        (None, None) => return None,
    };
    Some(ChainDefinition {
        chain_id: FOLLOW_UP_CHAIN.to_owned(),
        alert_types: Vec::new(),
        stages: vec![stage],
        description: None,
        llm_provider: chain.llm_provider.clone(),
        on_runbook_error: OnRunbookError::Continue,
        chat: None,
        labels: Vec::new(),
    })
}

/// Returns the strategy for answering. It calls tools in the same way as the stage did, but neither only collects nor
/// hands on.
fn answering(strategy: Option<IterationStrategy>) -> IterationStrategy {
    match strategy {
        Some(IterationStrategy::Regular) => IterationStrategy::Regular,
        _ => IterationStrategy::React,
    }
}

/// Returns the attempt whose result is a session's analysis: the last completed attempt that can be an analysis, or
/// else the last completed one. `attempts` are the current ones, in the order of the chain.
#[must_use]
pub fn conclusion_of<'a>(
    chain: &ChainDefinition,
    attempts: &'a [StageAttempt],
) -> Option<&'a StageAttempt> {
    let completed = || {
        let attempts = attempts.iter().rev();
        attempts.filter(|attempt| attempt.status == StageStatus::Completed)
    };
    let stage = |attempt: &StageAttempt| {
        let index = usize::try_from(attempt.stage_index).ok()?;
        chain.stages.get(index)
    };
    completed()
        .find(|attempt| stage(attempt).is_some_and(|stage| analyses(stage, attempt)))
        .or_else(|| completed().next())
}

#[cfg(test)]
mod tests {
    use tarsy_model::ModelOptions;

    use super::*;

    fn chain(strategies: &[IterationStrategy]) -> ChainDefinition {
        let stages = strategies.iter().enumerate().map(|(index, strategy)| {
            let name = index.to_string();
            StageDefinition {
                kind: StageKind::Agent(AgentStage {
                    agent: format!("agent-{name}"),
                    iteration_strategy: Some(*strategy),
                    llm_provider: None,
                    output_schema: None,
                    sub_agents: None,
                    labels: Vec::new(),
                    verifies: None,
                    model_options: ModelOptions::default(),
                }),
                needs: Some(vec![]),
                when: Some("true".into()),
                timeout_ms: Some(7),
                ..StageDefinition::new(name.clone(), "")
            }
        });
        ChainDefinition {
            chain_id: "c".into(),
            alert_types: vec!["t".into()],
            stages: stages.collect(),
            description: None,
            llm_provider: Some("p".into()),
            on_runbook_error: OnRunbookError::Fail,
            chat: None,
            labels: Vec::new(),
        }
    }

    #[test]
    fn the_last_agent_with_tools_answers() {
        use IterationStrategy::{ReactFinalAnalysis, ReactTools, Regular};
        let of = |strategies: &[IterationStrategy]| follow_up(&chain(strategies)).expect("one");
        let answers = of(&[Regular, ReactTools, ReactFinalAnalysis]);
        assert_eq!(answers.chain_id, FOLLOW_UP_CHAIN);
        let [stage] = &answers.stages[..] else {
            panic!("one stage: {answers:?}");
        };
        assert_eq!(
            (stage.name.as_str(), stage.agent()),
            ("answer", Some("agent-1"))
        );
        let strategy =
            |stage: &StageDefinition| stage.kind.as_agent().and_then(|a| a.iteration_strategy);
        assert_eq!(strategy(stage), Some(IterationStrategy::React));
        assert_eq!((&stage.needs, &stage.when), (&None, &None));
        assert_eq!(strategy(&of(&[Regular]).stages[0]), Some(Regular));
        assert_eq!(of(&[ReactFinalAnalysis]).stages[0].agent(), Some("agent-0"));
        assert_eq!(follow_up(&chain(&[])), None);
    }

    #[test]
    fn the_chat_agent_of_the_chain_answers_first() {
        let mut chain = chain(&[IterationStrategy::Regular]);
        chain.chat = Some("talker".into());
        let stage = &follow_up(&chain).expect("one").stages[0];
        assert_eq!(stage.agent(), Some("talker"));
        assert!(!stage.is_resolved(), "as its agent is configured");
    }
}
