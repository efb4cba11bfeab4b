//! Sets the provider of the stages after a replayed one.

use crate::graph::ancestors;
use crate::{
    AgentStage, AskStage, BranchSource, Branches, ChainDefinition, StageDefinition, StageKind,
};

impl ChainDefinition {
    /// Sets `provider` for every stage that needs the one at `index`, directly or indirectly. Stages that verify keep
    /// their provider, because they are meant to use a second model.
    pub fn set_provider_after(&mut self, index: usize, provider: &str) {
        let needs = |stage: &usize| ancestors(&self.stages, *stage).contains(&index);
        let later: Vec<usize> = (0..self.stages.len()).filter(needs).collect();
        for at in later {
            if let Some(stage) = self.stages.get_mut(at) {
                stage.set_provider(provider);
            }
        }
    }
}

impl StageDefinition {
    /// Sets the provider, also for each branch. Does nothing to a stage that calls no model.
    fn set_provider(&mut self, provider: &str) {
        match &mut self.kind {
            StageKind::Agent(stage) if stage.verifies.is_some() => return,
            StageKind::Agent(AgentStage { llm_provider, .. })
            | StageKind::SubAgent(AgentStage { llm_provider, .. })
            | StageKind::Ask(AskStage { llm_provider, .. }) => {
                *llm_provider = Some(provider.to_owned());
            }
            StageKind::Tool(_) | StageKind::Function(_) | StageKind::Wait(_) => {}
        }
        if let Some(Branches {
            source: BranchSource::Agents(agents),
            ..
        }) = &mut self.branches
        {
            for agent in agents {
                agent.llm_provider = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_set_for_the_stages_that_need_one_and_their_branches() {
        let stored = r#"{"chain_id": "c", "alert_types": [], "stages": [
            {"name": "a", "agent": "x", "llm_provider": "old"},
            {"name": "parallel", "agent": "x", "needs": []},
            {"name": "b", "agent": "", "needs": ["a"], "branches": {"agents": [{"agent": "y", "llm_provider": "old", "replicas": 1}]}},
            {"name": "v", "agent": "z", "needs": ["b"], "verifies": "b", "llm_provider": "other"},
            {"name": "t", "agent": "tool:s.t", "needs": ["b"], "work": {"tool": {"server": "s", "tool": "t"}}},
            {"name": "c", "agent": "ask:model", "needs": ["t"], "work": {"ask": {"prompt": "?"}}}]}"#;
        let mut chain: ChainDefinition = serde_json::from_str(stored).expect("readable");
        chain.set_provider_after(0, "new");
        let provider = |stage: &StageDefinition| match &stage.for_branch(0).kind {
            StageKind::Agent(stage) => stage.llm_provider.clone(),
            StageKind::Ask(stage) => stage.llm_provider.clone(),
            _ => None,
        };
        let providers: Vec<_> = chain.stages.iter().map(provider).collect();
        let providers: Vec<_> = providers.iter().map(Option::as_deref).collect();
        assert_eq!(
            providers,
            [
                Some("old"),
                None,
                Some("new"),
                Some("other"),
                None,
                Some("new")
            ]
        );
    }
}
