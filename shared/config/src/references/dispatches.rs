//! Checks which agents may dispatch which: no agent may dispatch itself, directly or through others.

use std::cell::RefCell;

use tarsy_chain::MAX_SUB_AGENT_DEPTH;

use crate::context::{Context, NamePosition};

/// Entries of `sub_agents`. They are collected while sections are read and compared once all are known.
#[derive(Debug, Default)]
pub(crate) struct Dispatches {
    by_agents: RefCell<Vec<(String, String, NamePosition)>>,
    by_stages: RefCell<Vec<(Vec<String>, String, NamePosition)>>,
}

impl Dispatches {
    /// Records that `agent` may dispatch `sub_agent`, as listed here.
    pub(crate) fn by_agent(&self, agent: &str, sub_agent: &str, place: NamePosition) {
        self.by_agents
            .borrow_mut()
            .push((agent.to_owned(), sub_agent.to_owned(), place));
    }

    /// Records that a stage run by `agents` may dispatch `sub_agent`, as listed here.
    pub(crate) fn by_stage(&self, agents: Vec<String>, sub_agent: &str, place: NamePosition) {
        self.by_stages
            .borrow_mut()
            .push((agents, sub_agent.to_owned(), place));
    }

    /// Reports agents and stages that can dispatch themselves, and stages whose sub-agents nest too deeply.
    pub(crate) fn report(&self, context: &Context<'_>) {
        for (agent, sub_agent, place) in self.by_agents.borrow().iter() {
            if self.reached_from(sub_agent).contains(agent) {
                let shown = place.shown(sub_agent);
                context.report_name(
                    place,
                    format!("`sub_agents` of `{agent}` names `{shown}`, which can dispatch `{agent}` again"),
                    Some("leave one of the agents of the cycle out of `sub_agents`".to_owned()),
                );
            }
        }
        for (agents, sub_agent, place) in self.by_stages.borrow().iter() {
            self.report_stage(context, agents, sub_agent, place);
        }
    }

    fn report_stage(
        &self,
        context: &Context<'_>,
        agents: &[String],
        sub_agent: &String,
        place: &NamePosition,
    ) {
        let reference = format!(
            "`sub_agents` of {} names `{}`",
            place.owner,
            place.shown(sub_agent)
        );
        let reached = self.reached_from(sub_agent);
        let (why, hint) = if agents.contains(sub_agent) {
            (
                "which runs the stage itself".to_owned(),
                "leave it out of `sub_agents`".to_owned(),
            )
        } else if let Some(agent) = agents.iter().find(|agent| reached.contains(agent)) {
            (
                format!("which can dispatch `{agent}` again"),
                format!("leave it out, or take `{agent}` out of the `sub_agents` that lead back"),
            )
        } else if let Some(line) = self.too_deep(vec![sub_agent.clone()]) {
            (
                format!(
                    "below which sub-agents are nested too deep: {}",
                    line.join(" > ")
                ),
                format!(
                    "they may be nested {MAX_SUB_AGENT_DEPTH} deep; list an agent whose own `sub_agents` have none"
                ),
            )
        } else {
            return;
        };
        context.report_name(place, format!("{reference}, {why}"), Some(hint));
    }

    /// Returns `agent` and the agents that it can dispatch, directly or through others.
    fn reached_from(&self, agent: &str) -> Vec<String> {
        let mut reached = vec![agent.to_owned()];
        let mut next = 0;
        while let Some(from) = reached.get(next).cloned() {
            next += 1;
            for to in self.dispatched_by(&from) {
                if !reached.contains(&to) {
                    reached.push(to);
                }
            }
        }
        reached
    }

    /// Returns a line of descent that begins with `line` and is longer than allowed, if there is one.
    fn too_deep(&self, line: Vec<String>) -> Option<Vec<String>> {
        if line.len() > usize::try_from(MAX_SUB_AGENT_DEPTH).unwrap_or_default() {
            return Some(line);
        }
        let last = line.last()?;
        let longer = |to| [line.as_slice(), &[to]].concat();
        self.dispatched_by(last)
            .find_map(|to| self.too_deep(longer(to)))
    }

    /// Returns the agents that `agent` itself lists in `sub_agents`.
    fn dispatched_by(&self, agent: &str) -> impl Iterator<Item = String> + use<> {
        let edges = self.by_agents.borrow();
        let named = edges.iter().filter(|(from, _, _)| from == agent);
        let named: Vec<String> = named.map(|(_, to, _)| to.clone()).collect();
        named.into_iter()
    }
}
