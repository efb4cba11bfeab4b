//! Chains: the stages of an alert type.

use std::collections::BTreeSet;

use tarsy_chain::{ChainDefinition, Graph, Join, MistakeKind, OnRunbookError, StageDefinition};
use tarsy_model::{FOLLOW_UP_CHAIN, Pool};

use crate::agent::bare_name;
use crate::context::Place;
use crate::fields::{Fields, Text};
use crate::references::Kind;
use crate::settings::{SCHEDULE_TIMEOUTS, is_pool_name};
use crate::suggest;

/// Read the entry `chain_id` of `agent_chains`.
pub(crate) fn read(chain_id: &str, fields: &Fields<'_>) -> Option<ChainDefinition> {
    let alert_types = fields.texts("alert_types");
    for alert_type in alert_types.iter().flatten() {
        define_alert_type(fields, alert_type);
    }
    let sections = fields.list_of_sections("stages", "stage");
    let mut names = BTreeSet::new();
    let stages: Vec<StageDefinition> = sections
        .iter()
        .filter_map(|section| read_stage(section, &mut names))
        .collect();
    let description = fields.string("description");
    let llm_provider = fields.reference("llm_provider", Kind::Provider);
    let on_runbook_error = match fields.choice("on_runbook_error", &["continue", "fail"]) {
        Some("fail") => OnRunbookError::Fail,
        _ => OnRunbookError::Continue,
    };
    let chat = chat(fields);
    fields.finish();
    if chain_id == FOLLOW_UP_CHAIN {
        fields.problem_here(
            format!("`{FOLLOW_UP_CHAIN}` is the chain of follow-up questions"),
            "choose another name for the chain",
        );
    }
    let all_read = stages.len() == sections.len();
    if sections.is_empty() {
        fields.problem_here(
            "there are no stages".to_owned(),
            "list at least one under `stages`: `- {name: analysis, agent: KubernetesAgent}`",
        );
    }
    if !fields.has("alert_types") {
        fields.problem_here(
            "`alert_types` is missing".to_owned(),
            "list the alert types that this chain answers",
        );
    }
    fields
        .context()
        .references
        .define(Kind::Chain, chain_id, fields.key_at());
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
    };
    // Positions match the sections only if every stage could be read.
    if all_read {
        report_mistakes(&chain, &sections);
    }
    Some(chain)
}

/// Report what the graph of the chain can't mean, at the key that says it.
fn report_mistakes(chain: &ChainDefinition, sections: &[Fields<'_>]) {
    for mistake in Graph::new(chain).err().unwrap_or_default() {
        let (key, hint) = match &mistake.kind {
            MistakeKind::UnknownNeed(name) => {
                let names: Vec<&str> = chain.stages.iter().map(|s| s.name.as_str()).collect();
                ("needs", suggest::known(name, &names))
            }
            MistakeKind::LaterNeed(_) => (
                "needs",
                "list a stage after those that it needs; a cycle can't be run".to_owned(),
            ),
            MistakeKind::RepeatedNeed(_) => ("needs", "name each stage once".to_owned()),
            MistakeKind::NoAncestor(name) => (
                "when",
                format!(
                    "add `{name}` to `needs`: only then it has settled when the condition is read"
                ),
            ),
            MistakeKind::Condition(_) => (
                "when",
                "e.g. `stages.triage.status == 'completed' and 'OOM' in stages.triage.text`"
                    .to_owned(),
            ),
        };
        if let Some(section) = sections.get(mistake.stage) {
            let name = &chain.stages[mistake.stage].name;
            section.problem(key, format!("stage `{name}`: {}", mistake.kind), &hint);
        }
    }
}

/// The chain of an agent that names alert types itself: one stage, called `analysis`.
pub(crate) fn of_agent(agent: &str, fields: &Fields<'_>, alert_types: &[Text]) -> ChainDefinition {
    let chain_id = format!("{agent}-chain");
    for alert_type in alert_types {
        define_alert_type(fields, alert_type);
    }
    fields
        .context()
        .references
        .define(Kind::Chain, &chain_id, fields.key_at());
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
    }
}

fn define_alert_type(fields: &Fields<'_>, alert_type: &Text) {
    fields.context().references.define(
        Kind::AlertType,
        alert_type.value(),
        fields.place_of(alert_type),
    );
}

fn read_stage(fields: &Fields<'_>, names: &mut BTreeSet<String>) -> Option<StageDefinition> {
    let name = fields.required_text(
        "name",
        "it names the stage on screens and its result in later stages",
    );
    let agent = fields.required_text("agent", "set it to a built-in or configured agent");
    let iteration_strategy = fields.strategy("iteration_strategy");
    let llm_provider = fields.reference("llm_provider", Kind::Provider);
    let pool = fields.text("pool").map_or_else(Pool::default, |text| {
        if !is_pool_name(text.value()) {
            fields.problem(
                "pool",
                format!("invalid pool name `{}`", text.shown()),
                "use a-z, 0-9, `-` and `_`, at most 63 characters, e.g. `default`",
            );
        }
        Pool::from(text.value())
    });
    let schedule_timeout_ms = schedule_timeout(fields);
    let needs = fields.texts_or_empty("needs");
    let needs = needs.iter().map(|name| name.value().to_owned()).collect();
    let needs = fields.has("needs").then_some(needs);
    let when = fields.string("when");
    let join = match fields.choice("join", &["all", "any"]) {
        Some("any") => Join::Any,
        _ => Join::All,
    };
    fields.finish();
    if let Some(name) = &name
        && !names.insert(name.value().to_owned())
    {
        fields.problem(
            "name",
            format!("duplicate stage `{}`", name.shown()),
            "stage names must be unique in a chain: later stages look results up by name",
        );
    }
    let agent = agent?;
    let place = Place {
        written: Some(bare_name(agent.shown()).to_owned()),
        ..fields.place(agent.at)
    };
    fields
        .context()
        .references
        .mention(Kind::Agent, bare_name(agent.value()), place);
    Some(StageDefinition {
        name: name?.value().to_owned(),
        agent: bare_name(agent.value()).to_owned(),
        needs,
        when,
        join,
        iteration_strategy,
        pool,
        llm_provider,
        schedule_timeout_ms,
        timeout_ms: None,
    })
}

/// The agent that answers questions about ended sessions of the chain.
fn chat(fields: &Fields<'_>) -> Option<String> {
    let agent = fields.text("chat")?;
    let place = Place {
        written: Some(bare_name(agent.shown()).to_owned()),
        ..fields.place(agent.at)
    };
    let name = bare_name(agent.value());
    fields
        .context()
        .references
        .mention(Kind::Agent, name, place);
    Some(name.to_owned())
}

/// How long a stage may wait while no worker can run it.
fn schedule_timeout(fields: &Fields<'_>) -> Option<u64> {
    const KEY: &str = "schedule_timeout";
    let timeout = fields.duration(KEY)?;
    let (shortest, longest) = SCHEDULE_TIMEOUTS;
    if timeout < shortest || timeout > longest {
        fields.problem(
            KEY,
            format!("`{KEY}` ({timeout:?}) is not between {shortest:?} and {longest:?}"),
            "it is how long the stage may wait while no worker can run it, e.g. `15m`",
        );
    }
    u64::try_from(timeout.as_millis()).ok()
}
