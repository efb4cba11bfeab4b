//! Chains: the stages of an alert type.

use std::collections::BTreeSet;

use tarsy_chain::{
    ChainDefinition, Graph, MistakeKind, OnRunbookError, StageDefinition, StageKind, kind_mistakes,
};
use tarsy_model::{FOLLOW_UP_CHAIN, SUB_AGENT_CHAIN};

use crate::agent;
use crate::fields::{Fields, List, Required, Text, Texts, Word, choice, section};
use crate::hold::HoldFields;
use crate::references::NameKind;
use crate::spending::SpendingFields;
use crate::stage::{self, StageFields};
use crate::suggest;
use crate::suppression::SuppressFields;

section! {
    /// A chain of stages.
    struct ChainFields("Chain", "chain") {
        /// Alert types that the chain handles. An alert type belongs to exactly one chain.
        alert_types: Required<Texts>,
        /// Stages. List a stage after the stages that it needs.
        stages: Required<List<StageFields>>,
        /// Description, for people only.
        description: Text,
        /// LLM provider for stages and agents that set none.
        llm_provider: Text,
        /// Whether the chain continues or fails if its runbook can't be fetched. Default: continue.
        on_runbook_error: Word<OnRunbookError>,
        /// Agent that answers questions about ended sessions. Default: the agent of the last stage that uses tools.
        chat: Text,
        /// Labels, at most 20, each matching `[a-z][a-z0-9_-]{0,39}`. The agent that concludes gives the session one of
        /// them.
        labels: Texts,
        /// Spending limit of the chain. Default: unlimited.
        spending: SpendingFields,
        /// Alerts that are investigated only after a person approves. Default: none.
        hold: HoldFields,
        /// Repeated alerts that are counted on the earlier session instead of being investigated again. Default: none.
        suppress: SuppressFields,
    }
}

choice!(OnRunbookError: Self = [
    ("continue", OnRunbookError::Continue),
    ("fail", OnRunbookError::Fail),
]);

/// Maximum number of labels of a chain.
const MAX_LABELS: usize = 20;

/// Whether `text` is a valid label: `[a-z][a-z0-9_-]{0,39}`.
pub(crate) fn is_label(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(is_part)
}

/// Reads the entry `chain_id` of `agent_chains`.
pub(crate) fn read(chain_id: &str, fields: &Fields<'_>) -> Option<ChainDefinition> {
    let keys = ChainFields::FIELDS;
    let alert_types = fields.require(
        keys.alert_types,
        "list the alert types that this chain answers",
    );
    for alert_type in alert_types.iter().flatten() {
        define_alert_type(fields, alert_type);
    }
    let sections = fields.get(keys.stages).unwrap_or_default();
    let mut names = BTreeSet::new();
    let mut stages: Vec<StageDefinition> = sections
        .iter()
        .filter_map(|section| stage::read(section, &mut names))
        .collect();
    name_verified_stages(&mut stages);
    let description = fields.string(keys.description);
    let llm_provider = fields.reference(keys.llm_provider, NameKind::Provider);
    let on_runbook_error = fields
        .get(keys.on_runbook_error)
        .unwrap_or(OnRunbookError::Continue);
    let chat = chat(fields);
    let labels = labels(fields);
    if chain_id == FOLLOW_UP_CHAIN {
        fields.problem_here(
            format!("`{FOLLOW_UP_CHAIN}` is the chain of follow-up questions"),
            "choose another name for the chain",
        );
    }
    if chain_id == SUB_AGENT_CHAIN {
        fields.problem_here(
            format!("`{SUB_AGENT_CHAIN}` is the chain of sub-agents"),
            "choose another name for the chain",
        );
    }
    let all_read = stages.len() == sections.len();
    if !fields.has(keys.stages) {
        fields.problem_here(
            "there are no stages".to_owned(),
            "list at least one under `stages`: `- {name: analysis, agent: KubernetesAgent}`",
        );
    }
    fields
        .context()
        .references
        .define(NameKind::Chain, chain_id, fields.key_at());
    let alert_types = alert_types?
        .iter()
        .map(|text| text.value().to_owned())
        .collect();
    let chain = ChainDefinition {
        chain_id: chain_id.to_owned(),
        alert_types,
        stages,
        description,
        llm_provider,
        on_runbook_error,
        chat,
        labels,
    };
    // Positions of stages match the sections only if every stage could be read.
    if all_read {
        report_mistakes(&chain, &sections);
    }
    Some(chain)
}

/// Reports the mistakes in the chain's graph, each at the key that causes it.
fn report_mistakes(chain: &ChainDefinition, sections: &[Fields<'_>]) {
    let keys = StageFields::FIELDS;
    let mistakes = Graph::new(chain).err().unwrap_or_default();
    for mistake in mistakes.into_iter().chain(kind_mistakes(chain)) {
        let (key, hint) = match &mistake.kind {
            MistakeKind::UnknownNeed(name) => {
                let names: Vec<&str> = chain.stages.iter().map(|s| s.name.as_str()).collect();
                (keys.needs.name(), suggest::known(name, &names))
            }
            MistakeKind::LaterNeed(_) => (
                keys.needs.name(),
                "list a stage after those that it needs; a cycle can't be run".to_owned(),
            ),
            MistakeKind::RepeatedNeed(_) => (keys.needs.name(), "name each stage once".to_owned()),
            MistakeKind::NoAncestor(name) => (
                keys.when.name(),
                format!(
                    "add `{name}` to `needs`: only then it has settled when the condition is read"
                ),
            ),
            MistakeKind::Template(key, _) => (
                first_segment(key),
                "templates read `alert` and `stages.<name>.{status,text,data,error}`, e.g. `{{ alert.data.host }}`"
                    .to_owned(),
            ),
            MistakeKind::TemplateNoAncestor(key, name) => (
                first_segment(key),
                format!("add `{name}` to `needs`: only then it has settled when the stage begins"),
            ),
            MistakeKind::Schema(_) => (
                keys.output_schema.name(),
                "write `claims` (agents only), or a JSON Schema, e.g. `{type: object, properties: {severity: {type: string}}}`"
                    .to_owned(),
            ),
            MistakeKind::Function(_) => (
                keys.call.name(),
                "e.g. `call: rank` with `args: {items: \"{{ stages.triage.data.hosts }}\", by: load}`"
                    .to_owned(),
            ),
            MistakeKind::EachNoAncestor(name) => (
                keys.each.name(),
                format!("add `{name}` to `needs`: only then it has settled when the list is read"),
            ),
            MistakeKind::Each(_) => (keys.each.name(), "e.g. `stages.triage.data.hosts`".to_owned()),
            MistakeKind::BranchCount(_) => (
                "branches",
                "count the replicas of all agents together".to_owned(),
            ),
            MistakeKind::BranchesWithoutEnd => (
                "branches",
                format!(
                    "add a stage with `needs: [{}]` that reads what all branches found",
                    chain.stages[mistake.stage].name
                ),
            ),
            MistakeKind::Verifies(_) => (
                keys.of.name(),
                "name a stage of an agent that it needs, e.g. `of: analysis`".to_owned(),
            ),
            MistakeKind::NoLabel => (
                keys.kind.name(),
                "let an agent conclude the chain, or remove `labels`".to_owned(),
            ),
            MistakeKind::Condition(_) => (
                keys.when.name(),
                "e.g. `stages.triage.status == 'completed' and 'OOM' in stages.triage.text`"
                    .to_owned(),
            ),
        };
        let Some(section) = sections.get(mistake.stage) else {
            continue;
        };
        let key = match key {
            "branches" => stage::source_key(section),
            key => key,
        };
        let name = &chain.stages[mistake.stage].name;
        section.problem(key, format!("stage `{name}`: {}", mistake.kind), &hint);
    }
}

/// A stage of kind `verify` without `of` verifies the only stage that it needs.
fn name_verified_stages(stages: &mut [StageDefinition]) {
    let mut before: Option<String> = None;
    for stage in stages {
        let needed = match stage.needs.as_deref() {
            None => before.take(),
            Some([one]) => Some(one.clone()),
            Some(_) => None,
        };
        if let StageKind::Agent(kind) = &mut stage.kind
            && let Some(of) = kind.verifies.as_mut().filter(|of| of.is_empty())
        {
            *of = needed.unwrap_or_default();
        }
        before = Some(stage.name.clone());
    }
}

fn first_segment(key: &str) -> &str {
    key.split_once('.').map_or(key, |(first, _)| first)
}

/// Returns the chain of an agent that lists alert types itself: one stage, called `analysis`.
pub(crate) fn of_agent(agent: &str, fields: &Fields<'_>, alert_types: &[Text]) -> ChainDefinition {
    let chain_id = format!("{agent}-chain");
    for alert_type in alert_types {
        define_alert_type(fields, alert_type);
    }
    fields
        .context()
        .references
        .define(NameKind::Chain, &chain_id, fields.key_at());
    ChainDefinition {
        chain_id,
        alert_types: alert_types
            .iter()
            .map(|text| text.value().to_owned())
            .collect(),
        stages: vec![StageDefinition::new("analysis", agent)],
        description: None,
        llm_provider: None,
        on_runbook_error: OnRunbookError::default(),
        chat: None,
        labels: Vec::new(),
    }
}

fn define_alert_type(fields: &Fields<'_>, alert_type: &Text) {
    fields.context().references.define(
        NameKind::AlertType,
        alert_type.value(),
        fields.place_of(alert_type),
    );
}

/// Reads the labels, of which each session of the chain gets one.
fn labels(fields: &Fields<'_>) -> Vec<String> {
    let field = ChainFields::FIELDS.labels;
    let labels = fields.strings(field).unwrap_or_default();
    if labels.len() > MAX_LABELS {
        fields.problem(
            field,
            format!("there are {} `labels`", labels.len()),
            &format!("list {MAX_LABELS} at most"),
        );
    }
    let mut seen = BTreeSet::new();
    for label in &labels {
        if !is_label(label) {
            fields.problem(
                field,
                format!("`labels`: invalid label `{label}`"),
                "start with a-z; use a-z, 0-9, `-` and `_`, at most 40 characters, e.g. `noise`",
            );
        }
        if !seen.insert(label) {
            fields.problem(
                field,
                format!("`labels`: duplicate `{label}`"),
                "list each label once",
            );
        }
    }
    labels
}

/// Reads the agent that answers questions about ended sessions of the chain.
fn chat(fields: &Fields<'_>) -> Option<String> {
    let agent = fields.get(ChainFields::FIELDS.chat)?;
    Some(agent::mention(fields, &agent).0)
}
