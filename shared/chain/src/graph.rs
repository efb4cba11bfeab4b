//! A chain definition with its edges resolved.

use std::collections::BTreeSet;

use crate::condition::{Condition, ConditionError};
use crate::{ChainDefinition, Join, StageDefinition, TemplateError};

/// A chain whose needs are positions and whose conditions are parsed.
///
/// Stages are in topological order: a definition lists a stage after those that it needs, so a cycle can't be written.
#[derive(Debug)]
pub struct Graph<'a> {
    chain: &'a ChainDefinition,
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    /// Positions of the stages that it needs directly.
    needs: Vec<usize>,
    when: Option<Condition>,
}

/// Something that a definition says and that can't be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Position of the stage that says it.
    pub stage: usize,
    /// What is wrong.
    pub kind: MistakeKind,
}

/// What is wrong with a stage of a definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MistakeKind {
    /// No stage has that name.
    #[error("it needs `{0}`, which is no stage of this chain")]
    UnknownNeed(String),
    /// The stage is listed later, or is the stage itself.
    #[error("it needs `{0}`, which is not listed before it")]
    LaterNeed(String),
    /// A stage is named twice.
    #[error("it needs `{0}` twice")]
    RepeatedNeed(String),
    /// The condition can't be parsed or reads what it may not.
    #[error("its condition can't be used: {0}")]
    Condition(ConditionError),
    /// A template can't be parsed or reads what it may not: the key that holds it, e.g. `args.host`.
    #[error("`{0}` can't be used: {1}")]
    Template(String, TemplateError),
    /// A template reads a stage that need not have settled.
    #[error("`{0}` reads stage `{1}`, which it does not need, directly or through others")]
    TemplateNoAncestor(String, String),
    /// The output schema is no JSON Schema.
    #[error("its `output_schema` can't be used: {0}")]
    Schema(String),
    /// The function does not exist, or takes other arguments.
    #[error("{0}")]
    Function(String),
    /// The condition reads a stage that need not have settled.
    #[error("its condition reads stage `{0}`, which it does not need, directly or through others")]
    NoAncestor(String),
}

impl<'a> Graph<'a> {
    /// Resolve a definition.
    ///
    /// # Errors
    ///
    /// All mistakes, by position of the stage.
    pub fn new(chain: &'a ChainDefinition) -> Result<Self, Vec<Mistake>> {
        let mut graph = Self {
            chain,
            nodes: Vec::with_capacity(chain.stages.len()),
        };
        let mut mistakes = Vec::new();
        for (index, stage) in chain.stages.iter().enumerate() {
            let mut report = |kind| mistakes.push(Mistake { stage: index, kind });
            let needs = resolve_needs(chain, index, stage, &mut report);
            let when = match stage.when.as_deref().map(Condition::parse).transpose() {
                Ok(when) => when,
                Err(error) => {
                    report(MistakeKind::Condition(error));
                    None
                }
            };
            graph.nodes.push(Node { needs, when });
            let ancestors = ancestors(&chain.stages, index);
            for name in graph.condition(index).iter().flat_map(|c| c.stages()) {
                if !ancestors.iter().any(|at| chain.stages[*at].name == *name) {
                    report(MistakeKind::NoAncestor(name.clone()));
                }
            }
        }
        if mistakes.is_empty() {
            Ok(graph)
        } else {
            Err(mistakes)
        }
    }

    /// The definition.
    #[must_use]
    pub fn chain(&self) -> &'a ChainDefinition {
        self.chain
    }

    /// How many stages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no stage, which no configuration allows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The stage at a position.
    #[must_use]
    pub fn stage(&self, index: usize) -> &'a StageDefinition {
        &self.chain.stages[index]
    }

    /// Positions of the stages that a stage needs directly.
    #[must_use]
    pub fn needs(&self, index: usize) -> &[usize] {
        &self.nodes[index].needs
    }

    /// How many of a stage's needs have to settle.
    #[must_use]
    pub fn join(&self, index: usize) -> Join {
        self.chain.stages[index].join
    }

    /// The condition of a stage, if it has one.
    #[must_use]
    pub fn condition(&self, index: usize) -> Option<&Condition> {
        self.nodes[index].when.as_ref()
    }

    /// Positions of the stages that need a stage directly.
    pub fn dependents(&self, index: usize) -> impl Iterator<Item = usize> {
        (index + 1..self.nodes.len()).filter(move |other| self.nodes[*other].needs.contains(&index))
    }
}

/// Positions of all stages that the stage at `index` needs, directly or through others. What is no stage before it
/// is left out.
#[must_use]
pub fn ancestors(stages: &[StageDefinition], index: usize) -> BTreeSet<usize> {
    let direct = |index: usize| -> Vec<usize> {
        match stages.get(index).map(|stage| &stage.needs) {
            None => Vec::new(),
            Some(None) => index.checked_sub(1).into_iter().collect(),
            Some(Some(names)) => (0..index)
                .filter(|at| names.contains(&stages[*at].name))
                .collect(),
        }
    };
    let mut found = BTreeSet::new();
    let mut open = direct(index);
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(direct(next));
        }
    }
    found
}

fn resolve_needs(
    chain: &ChainDefinition,
    index: usize,
    stage: &StageDefinition,
    report: &mut impl FnMut(MistakeKind),
) -> Vec<usize> {
    let Some(names) = &stage.needs else {
        return index.checked_sub(1).into_iter().collect();
    };
    let mut needs = Vec::with_capacity(names.len());
    for name in names {
        let at = chain.stages.iter().position(|other| other.name == *name);
        match at {
            Some(at) if at < index && needs.contains(&at) => {
                report(MistakeKind::RepeatedNeed(name.clone()));
            }
            Some(at) if at < index => needs.push(at),
            Some(_) => report(MistakeKind::LaterNeed(name.clone())),
            None => report(MistakeKind::UnknownNeed(name.clone())),
        }
    }
    needs
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::OnRunbookError;

    /// A chain of stages written as `(name, needs, when)`; needs `"-"` means the stage before it.
    pub(crate) fn chain(stages: &[(&str, &str, &str)]) -> ChainDefinition {
        let stages = stages.iter().map(|(name, needs, when)| StageDefinition {
            needs: (*needs != "-").then(|| {
                let names = needs.split(' ').filter(|name| !name.is_empty());
                names.map(str::to_owned).collect()
            }),
            when: (!when.is_empty()).then(|| (*when).to_owned()),
            ..StageDefinition::new(*name, "agent")
        });
        ChainDefinition {
            chain_id: "c".into(),
            alert_types: vec!["t".into()],
            stages: stages.collect(),
            description: None,
            llm_provider: None,
            on_runbook_error: OnRunbookError::Continue,
            chat: None,
        }
    }

    #[test]
    fn without_needs_a_stage_follows_the_one_before_it() {
        let chain = chain(&[("a", "-", ""), ("b", "-", ""), ("c", "a", "")]);
        let graph = Graph::new(&chain).expect("no mistake");
        assert_eq!(graph.needs(0), &[] as &[usize]);
        assert_eq!(graph.needs(1), [0]);
        assert_eq!(graph.dependents(0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(ancestors(&chain.stages, 2), BTreeSet::from([0]));
    }

    #[test]
    fn every_mistake_is_found() {
        let chain = chain(&[
            ("a", "a", ""),
            ("b", "z c", "stages.a.data.x =="),
            ("c", "a a", "stages.b.status == 'completed'"),
        ]);
        let mistakes = Graph::new(&chain).expect_err("mistakes");
        let found: Vec<String> = mistakes
            .iter()
            .map(|m| format!("{}: {}", m.stage, m.kind))
            .collect();
        assert_eq!(found.len(), 6, "{found:#?}");
        assert!(found[0].contains("`a`, which is not listed before it"));
        assert!(found[1].contains("`z`, which is no stage"));
        assert!(found[2].contains("`c`, which is not listed before it"));
        assert!(found[3].starts_with("1: its condition can't be used"));
        assert!(found[4].contains("`a` twice"));
        assert!(found[5].contains("stage `b`, which it does not need"));
    }
}
