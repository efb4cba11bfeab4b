//! Agents: tools, instructions, strategy and limits.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::{IterationStrategy, ModelOptions};

use crate::AgentLimits;
use crate::context::NamePosition;
use crate::fields::{Fields, Text};
use crate::references::NameKind;
use crate::{limits, model_options, suggest};

/// Prefix with which older documents name configured agents.
const CONFIGURABLE: &str = "ConfigurableAgent:";

/// One entry of `agents`.
#[derive(Clone, Debug, Serialize)]
pub struct AgentConfig {
    /// Its key. Chains refer to it by the bare name or by `ConfigurableAgent:<name>`.
    pub name: String,
    /// For people.
    pub description: Option<String>,
    /// The only servers that it can reach, in the order of its prompt. May be empty.
    pub mcp_servers: Vec<String>,
    /// Its own instructions, the third of three tiers. May be empty.
    pub custom_instructions: String,
    /// Its strategy if a stage names none; `None`: the system's default.
    pub iteration_strategy: Option<IterationStrategy>,
    /// Its provider if a stage names none.
    pub llm_provider: Option<String>,
    /// Options for its model calls that a stage does not set itself.
    #[serde(skip_serializing_if = "ModelOptions::is_empty")]
    pub model_options: ModelOptions,
    /// Its limits, with the system's defaults filled in.
    pub limits: AgentLimits,
    /// The only tools that it may see, by server. A server that is not listed offers all its tools.
    pub tools: BTreeMap<String, Vec<String>>,
    /// Tools that it may call although they may change something, by server.
    pub allow_writes: BTreeMap<String, Vec<String>>,
    /// Whether it may call any tool that is not read-only. Default false.
    pub allow_destructive: bool,
    /// Agents that it may dispatch as child sessions. May be empty.
    pub sub_agents: Vec<String>,
    /// The code agent that decides its steps. `None`: the model decides them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl AgentConfig {
    /// Whether this agent may see a tool of a server. Does not consider the tool's side effects.
    #[must_use]
    pub fn offers(&self, server: &str, tool: &str) -> bool {
        self.mcp_servers.iter().any(|name| name == server)
            && self
                .tools
                .get(server)
                .is_none_or(|tools| tools.iter().any(|name| name == tool))
    }

    /// Reads the entry `name`. The second value lists alert types that the agent itself investigates. Documents from
    /// before chains have this form.
    pub(crate) fn read(
        name: &str,
        fields: &Fields<'_>,
        defaults: AgentLimits,
    ) -> (Self, Vec<Text>) {
        let servers = fields.texts("mcp_servers").unwrap_or_default();
        for server in &servers {
            fields.mention(NameKind::Server, server);
        }
        let mcp_servers: Vec<String> = servers.iter().map(|text| text.value().to_owned()).collect();
        let tools = tools_by_server(fields, "tools", &mcp_servers);
        let allow_writes = tools_by_server(fields, "allow_writes", &mcp_servers);
        let limits = fields
            .section("limits")
            .map_or(defaults, |section| limits::read(&section, defaults));
        let alert_types = fields.texts("alert_types").unwrap_or_default();
        let agent = Self {
            name: name.to_owned(),
            description: fields.string("description"),
            mcp_servers,
            custom_instructions: fields.string("custom_instructions").unwrap_or_default(),
            iteration_strategy: fields.strategy("iteration_strategy"),
            llm_provider: fields.reference("llm_provider", NameKind::Provider),
            model_options: model_options::read(fields),
            limits,
            tools,
            allow_writes,
            allow_destructive: fields.bool("allow_destructive").unwrap_or(false),
            sub_agents: sub_agents(name, fields),
            code: fields
                .choice("code", &tarsy_code_agents::names())
                .map(str::to_owned),
        };
        fields.finish();
        if name.contains(':') {
            fields.problem_here(
                "a name must not contain `:`".to_owned(),
                "chains reference agents as `ConfigurableAgent:<name>`",
            );
        }
        fields
            .context()
            .references
            .define(NameKind::Agent, name, fields.key_at());
        (agent, alert_types)
    }
}

/// Reads the agents that `agent` may dispatch.
fn sub_agents(agent: &str, fields: &Fields<'_>) -> Vec<String> {
    let listed = fields.texts("sub_agents").unwrap_or_default();
    let dispatches = &fields.context().references.dispatches;
    let names = listed.iter().map(|text| {
        let (name, place) = mention(fields, text);
        dispatches.by_agent(agent, &name, place);
        name
    });
    names.collect()
}

/// Reads the agents that a stage run by `agents` may dispatch. `None`: each of `agents` may dispatch those of its own
/// list.
pub(crate) fn sub_agents_of_stage(agents: &[String], fields: &Fields<'_>) -> Option<Vec<String>> {
    let listed = fields.texts_or_empty("sub_agents");
    let dispatches = &fields.context().references.dispatches;
    let names = listed.iter().map(|text| {
        let (name, place) = mention(fields, text);
        dispatches.by_stage(agents.to_vec(), &name, place);
        name
    });
    let names = names.collect();
    fields.has("sub_agents").then_some(names)
}

/// Records that an agent is mentioned here, and returns its bare name and the position.
fn mention(fields: &Fields<'_>, text: &Text) -> (String, NamePosition) {
    let name = bare_name(text.value());
    let place = NamePosition {
        written: Some(bare_name(text.shown()).to_owned()),
        ..fields.place(text.at)
    };
    let references = &fields.context().references;
    references.mention(NameKind::Agent, name, place.clone());
    (name.to_owned(), place)
}

/// Returns the bare name of an agent that may be written as `ConfigurableAgent:<name>`.
pub(crate) fn bare_name(written: &str) -> &str {
    written.strip_prefix(CONFIGURABLE).unwrap_or(written)
}

/// Reads the lists of tools, by server, under `key`. Only servers of the agent may be listed.
fn tools_by_server(
    fields: &Fields<'_>,
    key: &'static str,
    mcp_servers: &[String],
) -> BTreeMap<String, Vec<String>> {
    fields
        .lists_by_key(key)
        .into_iter()
        .map(|(server, tools)| {
            if !mcp_servers.contains(&server.text) {
                let known: Vec<&str> = mcp_servers.iter().map(String::as_str).collect();
                let message = format!(
                    "`{key}` names `{}`, which is not among the agent's `mcp_servers`",
                    server.text
                );
                fields.context().report(
                    server.at,
                    message,
                    Some(suggest::known(&server.text, &known)),
                );
            }
            (
                server.text.clone(),
                tools.iter().map(|tool| tool.value().to_owned()).collect(),
            )
        })
        .collect()
}
