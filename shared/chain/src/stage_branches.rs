//! The branches of a stage.

use std::borrow::Cow;

use serde_json::Value;

use crate::StageDefinition;
use crate::branches::{Branch, Branches, MAX_BRANCHES, name_of};
use crate::kind::{AgentStage, StageKind};

impl StageDefinition {
    /// Returns the stage as one of its branches runs it, i.e. with the branch's agent.
    #[must_use]
    pub fn for_branch(&self, branch: i32) -> Cow<'_, Self> {
        let index = usize::try_from(branch).unwrap_or_default();
        let agent = self.branches.as_ref().and_then(|b| b.agent_of(index));
        let (Some(agent), StageKind::Agent(stage)) = (agent, &self.kind) else {
            return Cow::Borrowed(self);
        };
        Cow::Owned(Self {
            kind: StageKind::Agent(AgentStage {
                agent: agent.agent.clone(),
                iteration_strategy: agent.iteration_strategy.or(stage.iteration_strategy),
                llm_provider: agent
                    .llm_provider
                    .clone()
                    .or_else(|| stage.llm_provider.clone()),
                output_schema: stage.output_schema.clone(),
                sub_agents: stage.sub_agents.clone(),
                labels: stage.labels.clone(),
                verifies: None,
                model_options: stage.model_options.clone(),
            }),
            timeout_ms: agent.timeout_ms.or(self.timeout_ms),
            ..self.clone()
        })
    }

    /// Returns the branches if they don't depend on a list; one branch without a name if the stage has none.
    pub(crate) fn fixed_branches(&self) -> Vec<Branch> {
        let Some(branches) = &self.branches else {
            return vec![Branch::SOLE];
        };
        let names = self.branch_names(branches);
        let count = i32::try_from(names.len()).unwrap_or(i32::MAX);
        (0..count)
            .zip(names)
            .map(|(index, name)| Branch {
                index,
                count,
                name: Some(name),
                item: None,
            })
            .collect()
    }

    /// Creates a branch for each item of a list.
    pub(crate) fn branches_for(items: Vec<Value>) -> Vec<Branch> {
        let count = i32::try_from(items.len()).unwrap_or(i32::MAX);
        (0..count)
            .zip(items)
            .map(|(index, item)| Branch {
                index,
                count,
                name: Some(name_of(&item, index)),
                item: Some(item),
            })
            .collect()
    }

    /// Returns the branch names: the agents, numbered if an agent has several branches.
    fn branch_names(&self, branches: &Branches) -> Vec<String> {
        let count = branches.fixed_count().unwrap_or_default().min(MAX_BRANCHES);
        let actor = |index: usize| match branches.agent_of(index) {
            Some(agent) => agent.agent.clone(),
            None => self.kind.shown_actor().into_owned(),
        };
        let actors: Vec<String> = (0..count).map(actor).collect();
        let name = |(index, actor): (usize, &String)| {
            let same = |actors: &[String]| actors.iter().filter(|other| *other == actor).count();
            match same(&actors) {
                1 => actor.clone(),
                _ => format!("{actor}-{}", same(&actors[..=index])),
            }
        };
        actors.iter().enumerate().map(name).collect()
    }
}
