//! The chain that answers a question about an ended session.

use tarsy_model::{FOLLOW_UP_CHAIN, IterationStrategy, StageStatus};

use crate::conclude::collects_only;
use crate::{ChainDefinition, OnRunbookError, StageAttempt, StageDefinition};

/// Name of its only stage.
pub const FOLLOW_UP_STAGE: &str = "answer";

/// The chain of one stage that answers questions about sessions of `chain`.
///
/// Its agent is the chain's `chat`, else the one of the last stage that uses tools: with its tools, it can look again.
/// It runs where that stage ran. `None`: the chain has no stage.
#[must_use]
pub fn follow_up(chain: &ChainDefinition) -> Option<ChainDefinition> {
    let last = chain.stages.last()?;
    let asks = |stage: &&StageDefinition| {
        let strategy = stage.iteration_strategy.unwrap_or_default();
        strategy.uses_tools()
    };
    let like = chain.stages.iter().rev().find(asks).unwrap_or(last);
    let stage = match &chain.chat {
        Some(agent) => StageDefinition {
            pool: like.pool.clone(),
            ..StageDefinition::new(FOLLOW_UP_STAGE, agent)
        },
        None => StageDefinition {
            name: FOLLOW_UP_STAGE.to_owned(),
            needs: None,
            when: None,
            iteration_strategy: Some(answering(like.iteration_strategy)),
            ..like.clone()
        },
    };
    Some(ChainDefinition {
        chain_id: FOLLOW_UP_CHAIN.to_owned(),
        alert_types: Vec::new(),
        stages: vec![stage],
        description: None,
        llm_provider: chain.llm_provider.clone(),
        on_runbook_error: OnRunbookError::Continue,
        chat: None,
    })
}

/// The strategy that answers: the stage's own form of calling tools, without collecting or handing on.
fn answering(strategy: Option<IterationStrategy>) -> IterationStrategy {
    match strategy {
        Some(IterationStrategy::Regular) => IterationStrategy::Regular,
        _ => IterationStrategy::React,
    }
}

/// The attempt whose result is a session's analysis: the last that completed and does not only collect, else the
/// last that completed. `attempts` are the current ones, in the order of the chain.
#[must_use]
pub fn conclusion_of(attempts: &[StageAttempt]) -> Option<&StageAttempt> {
    let completed = || {
        let attempts = attempts.iter().rev();
        attempts.filter(|attempt| attempt.status == StageStatus::Completed)
    };
    completed()
        .find(|attempt| !collects_only(attempt))
        .or_else(|| completed().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(strategies: &[IterationStrategy]) -> ChainDefinition {
        let stages = strategies.iter().enumerate().map(|(index, strategy)| {
            let name = index.to_string();
            StageDefinition {
                iteration_strategy: Some(*strategy),
                needs: Some(vec![]),
                when: Some("true".into()),
                timeout_ms: Some(7),
                ..StageDefinition::new(name.clone(), format!("agent-{name}"))
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
            (stage.name.as_str(), stage.agent.as_str()),
            ("answer", "agent-1")
        );
        assert_eq!(stage.iteration_strategy, Some(IterationStrategy::React));
        assert_eq!((&stage.needs, &stage.when), (&None, &None));
        assert_eq!(of(&[Regular]).stages[0].iteration_strategy, Some(Regular));
        assert_eq!(of(&[ReactFinalAnalysis]).stages[0].agent, "agent-0");
        assert_eq!(follow_up(&chain(&[])), None);
    }

    #[test]
    fn the_chat_agent_of_the_chain_answers_first() {
        let mut chain = chain(&[IterationStrategy::Regular]);
        chain.chat = Some("talker".into());
        let stage = &follow_up(&chain).expect("one").stages[0];
        assert_eq!(stage.agent, "talker");
        assert!(!stage.is_resolved(), "as its agent is configured");
    }
}
