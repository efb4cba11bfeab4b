//! A chain definition with its edges resolved.

use std::collections::BTreeSet;

use crate::branches::MAX_BRANCHES;
use crate::condition::{Condition, ConditionError};
use crate::{ChainDefinition, Join, StageDefinition, TemplateError};

/// A chain whose needs are resolved to positions.
///
/// Stages are in topological order. A definition lists a stage after those that it needs, so it can't contain a cycle.
#[derive(Debug)]
pub struct Graph<'a> {
    chain: &'a ChainDefinition,
    /// Positions of direct needs, by stage.
    needs: Vec<Vec<usize>>,
}

/// A mistake in a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Position of the stage.
    pub stage: usize,
    /// Kind of the mistake.
    pub kind: MistakeKind,
}

/// Kind of a mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MistakeKind {
    /// The needed stage doesn't exist.
    #[error("it needs `{0}`, which is not a stage of this chain")]
    UnknownNeed(String),
    /// The needed stage is listed later, or is the stage itself.
    #[error("it needs `{0}`, which is not listed before it")]
    LaterNeed(String),
    /// A need is repeated.
    #[error("it needs `{0}` twice")]
    RepeatedNeed(String),
    /// Invalid condition.
    #[error("its condition can't be used: {0}")]
    Condition(ConditionError),
    /// Invalid template, with the key that contains it, e.g. `args.host`.
    #[error("`{0}` can't be used: {1}")]
    Template(String, TemplateError),
    /// A template reads a stage that may not have settled.
    #[error("`{0}` reads stage `{1}`, which it does not need, directly or through others")]
    TemplateNoAncestor(String, String),
    /// Invalid output schema.
    #[error("its `output_schema` can't be used: {0}")]
    Schema(String),
    /// Unknown function, or wrong arguments.
    #[error("{0}")]
    Function(String),
    /// The condition reads a stage that may not have settled.
    #[error("its condition reads stage `{0}`, which it does not need, directly or through others")]
    NoAncestor(String),
    /// Invalid list of branches.
    #[error("the list of its branches can't be used: {0}")]
    Each(ConditionError),
    /// The list of branches reads a stage that may not have settled.
    #[error(
        "the list of its branches reads stage `{0}`, which it does not need, directly or through others"
    )]
    EachNoAncestor(String),
    /// No branch, or too many.
    #[error("it has {0} branches; 1 to {MAX_BRANCHES} are possible")]
    BranchCount(usize),
    /// The stage whose claims it verifies is missing, or does not make claims.
    #[error("it verifies no stage: {0}")]
    Verifies(String),
    /// The session's answer is not given by an agent, so it gets none of the chain's labels.
    #[error(
        "its answer is the session's, and only the answer of an agent gets one of the chain's `labels`"
    )]
    NoLabel,
    /// No later stage reads the branches' results.
    #[error("no later stage needs it, so nothing brings its branches together")]
    BranchesWithoutEnd,
}

impl<'a> Graph<'a> {
    /// Resolves a definition and checks all of it.
    ///
    /// # Errors
    ///
    /// All mistakes, by position of the stage.
    pub fn new(chain: &'a ChainDefinition) -> Result<Self, Vec<Mistake>> {
        let (graph, mut mistakes) = Self::resolve(chain);
        for (stage, definition) in chain.stages.iter().enumerate() {
            let kinds = [
                condition_mistakes(chain, stage),
                branch_mistakes(&graph, stage, definition),
            ];
            let found = kinds.into_iter().flatten();
            mistakes.extend(found.map(|kind| Mistake { stage, kind }));
        }
        mistakes.sort_by_key(|mistake| mistake.stage);
        match mistakes.is_empty() {
            true => Ok(graph),
            false => Err(mistakes),
        }
    }

    /// Resolves the edges of a definition that was already checked when it was configured. Expressions are parsed only
    /// when they are evaluated.
    ///
    /// # Errors
    ///
    /// All mistakes in its needs, by position of the stage.
    pub(crate) fn edges(chain: &'a ChainDefinition) -> Result<Self, Vec<Mistake>> {
        let (graph, mistakes) = Self::resolve(chain);
        match mistakes.is_empty() {
            true => Ok(graph),
            false => Err(mistakes),
        }
    }

    fn resolve(chain: &'a ChainDefinition) -> (Self, Vec<Mistake>) {
        let mut mistakes = Vec::new();
        let needs = chain.stages.iter().enumerate().map(|(index, stage)| {
            let mut report = |kind| mistakes.push(Mistake { stage: index, kind });
            resolve_needs(chain, index, stage, &mut report)
        });
        let needs = needs.collect();
        (Self { chain, needs }, mistakes)
    }

    /// Returns the definition.
    #[must_use]
    pub fn chain(&self) -> &'a ChainDefinition {
        self.chain
    }

    /// Returns the number of stages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.needs.len()
    }

    /// Returns whether there are no stages. Configurations don't allow that.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// Returns the stage at a position.
    #[must_use]
    pub fn stage(&self, index: usize) -> &'a StageDefinition {
        &self.chain.stages[index]
    }

    /// Positions of a stage's direct needs.
    #[must_use]
    pub fn needs(&self, index: usize) -> &[usize] {
        &self.needs[index]
    }

    /// Returns how many of its needs make a stage due.
    #[must_use]
    pub fn join(&self, index: usize) -> Join {
        self.chain.stages[index].join
    }

    /// Returns the positions of a stage's direct dependents.
    pub fn dependents(&self, index: usize) -> impl Iterator<Item = usize> {
        (index + 1..self.needs.len()).filter(move |other| self.needs[*other].contains(&index))
    }
}

/// Returns the positions of all stages that the stage at `index` needs, directly or indirectly. Ignores invalid needs.
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

fn condition_mistakes(chain: &ChainDefinition, index: usize) -> Vec<MistakeKind> {
    let Some(source) = chain.stages[index].when.as_deref() else {
        return Vec::new();
    };
    match Condition::parse(source) {
        Ok(condition) => strangers(chain, index, &condition)
            .map(MistakeKind::NoAncestor)
            .collect(),
        Err(error) => vec![MistakeKind::Condition(error)],
    }
}

fn branch_mistakes(graph: &Graph<'_>, index: usize, stage: &StageDefinition) -> Vec<MistakeKind> {
    let Some(branches) = &stage.branches else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Some(count) = branches.fixed_count()
        && !(1..=MAX_BRANCHES).contains(&count)
    {
        found.push(MistakeKind::BranchCount(count));
    }
    match branches.each().map(Condition::parse) {
        None => {}
        Some(Ok(list)) => {
            let strangers = strangers(graph.chain, index, &list);
            found.extend(strangers.map(MistakeKind::EachNoAncestor));
        }
        Some(Err(error)) => found.push(MistakeKind::Each(error)),
    }
    if graph.dependents(index).next().is_none() {
        found.push(MistakeKind::BranchesWithoutEnd);
    }
    found
}

/// Returns the stages that an expression reads but that may not have settled when it is evaluated.
fn strangers(
    chain: &ChainDefinition,
    index: usize,
    expression: &Condition,
) -> impl Iterator<Item = String> {
    let ancestors = ancestors(&chain.stages, index);
    let is_known = move |name: &String| ancestors.iter().any(|at| chain.stages[*at].name == *name);
    let unknown: Vec<String> = expression
        .stages()
        .filter(|name| !is_known(name))
        .cloned()
        .collect();
    unknown.into_iter()
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

    /// Builds a chain of stages written as `(name, needs, when)`. `"-"` as needs means the previous stage.
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
            labels: Vec::new(),
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
        assert!(found[1].contains("`z`, which is not a stage"));
        assert!(found[2].contains("`c`, which is not listed before it"));
        assert!(found[3].starts_with("1: its condition can't be used"));
        assert!(found[4].contains("`a` twice"));
        assert!(found[5].contains("stage `b`, which it does not need"));
    }
}
