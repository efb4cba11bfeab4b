//! Branches of stages: `agents`, `replicas`, `each` and `success`.

use tarsy_chain::{BranchAgent, BranchSource, Branches, MAX_BRANCHES, Success};

use super::kind::agent_name;
use crate::fields::Fields;
use crate::references::NameKind;
use crate::schema::scalars::Whole;

/// Keys that define the branches of a stage.
const SOURCES: [&str; 3] = ["agents", "replicas", "each"];

/// Number of replicas of a stage, at most that of branches.
pub(crate) type Replicas = Whole<1, { MAX_BRANCHES as i64 }>;

/// When a stage with branches has succeeded.
pub(crate) const SUCCESSES: [(&str, Success); 2] = [("all", Success::All), ("any", Success::Any)];

/// Reads `agents`.
pub(super) fn agents(fields: &Fields<'_>) -> Vec<BranchAgent> {
    let sections = fields.list_of_sections("agents", "agent");
    if sections.is_empty() && fields.has("agents") {
        fields.problem(
            "agents",
            "`agents` is empty".to_owned(),
            "list at least one, e.g. `agents: [{agent: logs}, {agent: metrics}]`",
        );
    }
    let agent = |section: &Fields<'_>| {
        let agent = agent_name(section);
        let llm_provider = section.reference("llm_provider", NameKind::Provider);
        let iteration_strategy = section.strategy("iteration_strategy");
        let replicas = section.integer("replicas", Replicas::RANGE).unwrap_or(1);
        section.finish();
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
    let replicas = fields.integer("replicas", Replicas::RANGE);
    let each = fields.string("each");
    let success = fields
        .meaning("success", &SUCCESSES)
        .unwrap_or(Success::All);
    let written: Vec<&str> = SOURCES
        .into_iter()
        .filter(|source| fields.has(source))
        .collect();
    if let [_, second, ..] = written.as_slice() {
        fields.problem(
            key_of(second),
            format!("a stage has one of `{}`", written.join("`, `")),
            "`replicas` of a single agent stand in its entry of `agents`",
        );
        return None;
    }
    if written.is_empty() && fields.has("success") {
        fields.problem(
            "success",
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
        .unwrap_or("agents")
}

fn key_of(word: &str) -> &'static str {
    let mut sources = SOURCES.into_iter();
    sources.find(|source| *source == word).unwrap_or("agents")
}
