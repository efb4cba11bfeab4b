//! Branches of stages: `agents`, `replicas`, `each` and `success`.

use tarsy_chain::{BranchAgent, BranchSource, Branches, Success};

use super::fields::{BranchAgentFields, StageFields};
use super::kind::agent_name;
use crate::fields::Fields;
use crate::references::NameKind;

/// The keys of stages.
const KEYS: StageFields = StageFields::FIELDS;

/// Keys that define the branches of a stage.
const SOURCES: [&str; 3] = [KEYS.agents.name(), KEYS.replicas.name(), KEYS.each.name()];

/// Reads `agents`.
pub(super) fn agents(fields: &Fields<'_>) -> Vec<BranchAgent> {
    let sections = fields.get(KEYS.agents).unwrap_or_default();
    let agent = |section: &Fields<'_>| {
        let keys = BranchAgentFields::FIELDS;
        let agent = agent_name(section, keys.agent);
        let llm_provider = section.reference(keys.llm_provider, NameKind::Provider);
        let iteration_strategy = section.get(keys.iteration_strategy);
        let replicas = section.get(keys.replicas).unwrap_or(1);
        Some(BranchAgent {
            agent: agent?,
            iteration_strategy,
            llm_provider,
            replicas,
            timeout_ms: None,
        })
    };
    sections.iter().filter_map(agent).collect()
}

/// Reads the other keys of branches.
pub(super) fn read(fields: &Fields<'_>, agents: Vec<BranchAgent>) -> Option<Branches> {
    let replicas = fields.get(KEYS.replicas);
    let each = fields.string(KEYS.each);
    let success = fields.get(KEYS.success).unwrap_or(Success::All);
    let written: Vec<&str> = SOURCES
        .into_iter()
        .filter(|source| fields.has(source))
        .collect();
    if let [_, second, ..] = written.as_slice() {
        fields.problem(
            second,
            format!("a stage has one of `{}`", written.join("`, `")),
            "`replicas` of a single agent stand in its entry of `agents`",
        );
        return None;
    }
    if written.is_empty() && fields.has(KEYS.success) {
        fields.problem(
            KEYS.success,
            "`success` says when a stage with branches has settled, and there are none".to_owned(),
            "remove it, or add `agents`, `replicas` or `each`",
        );
    }
    let source = match (replicas, each) {
        _ if !agents.is_empty() => BranchSource::Agents(agents),
        (Some(replicas), _) => BranchSource::Replicas(replicas),
        (None, Some(list)) => BranchSource::Each(list),
        (None, None) => return None,
    };
    Some(Branches { source, success })
}

/// Returns the key that defines the branches of a stage.
pub(crate) fn source_key(fields: &Fields<'_>) -> &'static str {
    let mut sources = SOURCES.into_iter();
    sources
        .find(|source| fields.has(source))
        .unwrap_or(SOURCES[0])
}
