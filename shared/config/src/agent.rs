//! Agents: tools, instructions, strategy and limits.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::{IterationStrategy, ModelOptions, ReasoningEffort};

use crate::AgentLimits;
use crate::context::NamePosition;
use crate::fields::{ByName, Field, Fields, Flag, Text, Texts, Word, section};
use crate::limits::{self, LimitsFields};
use crate::model_options::{self, Temperature};
use crate::references::NameKind;
use crate::suggest;

/// Prefix with which older documents name configured agents.
const CONFIGURABLE: &str = "ConfigurableAgent:";

section! {
    /// An agent.
    struct AgentFields("Agent", "agent") {
        /// Description, for people only.
        description: Text,
        /// MCP servers that the agent can use. It can't use any others.
        mcp_servers: Texts,
        /// Instructions for the agent, added to the built-in ones.
        custom_instructions: Text,
        /// Iteration strategy for stages that set none.
        iteration_strategy: Word<IterationStrategy>,
        /// LLM provider for stages that set none.
        llm_provider: Text,
        /// Sampling temperature. Default: the provider's.
        temperature: Temperature,
        /// Reasoning effort of the model. Default: the provider's.
        reasoning_effort: Word<ReasoningEffort>,
        /// Whether to ask the model for its thoughts. Default: the provider's.
        thinking: Flag,
        /// Providers or `fallback_lists` to try in this order when the first provider fails. Default: the provider's.
        fallbacks: Vec<Text>,
        /// Limits of the agent's stages. Those that are not set come from the top-level `limits`.
        limits: LimitsFields,
        /// Tools that the agent sees, by server. The agent sees all tools of a server that is not listed.
        tools: ByName<Texts>,
        /// Tools with side effects that the agent may call, by server.
        allow_writes: ByName<Texts>,
        /// Allow all tools, including those with side effects. Default: false.
        allow_destructive: Flag,
        /// Agents that the agent may dispatch as sub-agents, each in a separate session.
        sub_agents: Texts,
        /// Name of the agent in code that decides the steps. Default: the model decides.
        code: Text,
        /// Alert types that the agent handles in a chain with a single stage.
        alert_types: Texts,
    }
}

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
        let keys = AgentFields::FIELDS;
        let servers = fields.get(keys.mcp_servers).unwrap_or_default();
        for server in &servers {
            fields.mention(NameKind::Server, server);
        }
        let mcp_servers: Vec<String> = servers.iter().map(|text| text.value().to_owned()).collect();
        let tools = tools_by_server(fields, keys.tools, &mcp_servers);
        let allow_writes = tools_by_server(fields, keys.allow_writes, &mcp_servers);
        let limits = fields
            .get(keys.limits)
            .map_or(defaults, |section| limits::read(&section, defaults));
        let alert_types = fields.get(keys.alert_types).unwrap_or_default();
        let agent = Self {
            name: name.to_owned(),
            description: fields.string(keys.description),
            mcp_servers,
            custom_instructions: fields.string(keys.custom_instructions).unwrap_or_default(),
            iteration_strategy: fields.get(keys.iteration_strategy),
            llm_provider: fields.reference(keys.llm_provider, NameKind::Provider),
            model_options: ModelOptions {
                temperature: fields.get(keys.temperature),
                reasoning_effort: fields.get(keys.reasoning_effort),
                thinking: fields.get(keys.thinking),
                fallbacks: model_options::fallbacks(fields, keys.fallbacks),
            },
            limits,
            tools,
            allow_writes,
            allow_destructive: fields.get(keys.allow_destructive).unwrap_or(false),
            sub_agents: sub_agents(name, fields),
            code: code_agent(fields),
        };
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

/// Reads the name of the agent in code that decides the steps.
fn code_agent(fields: &Fields<'_>) -> Option<String> {
    let field = AgentFields::FIELDS.code;
    let name = fields.get(field)?;
    let known = tarsy_code_agents::names();
    if !known.contains(&name.value()) {
        fields.problem(
            field,
            format!("`{field}`: invalid value `{}`", name.shown()),
            &suggest::known(name.value(), &known),
        );
        return None;
    }
    Some(name.into_string())
}

/// Reads the agents that `agent` may dispatch.
fn sub_agents(agent: &str, fields: &Fields<'_>) -> Vec<String> {
    let listed = fields
        .get(AgentFields::FIELDS.sub_agents)
        .unwrap_or_default();
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
pub(crate) fn sub_agents_of_stage(
    agents: &[String],
    fields: &Fields<'_>,
    sub_agents: Field<Vec<Text>>,
) -> Option<Vec<String>> {
    let listed = fields.get(sub_agents)?;
    let dispatches = &fields.context().references.dispatches;
    let names = listed.iter().map(|text| {
        let (name, place) = mention(fields, text);
        dispatches.by_stage(agents.to_vec(), &name, place);
        name
    });
    Some(names.collect())
}

/// Records that an agent is mentioned here, and returns its bare name and the position.
pub(crate) fn mention(fields: &Fields<'_>, text: &Text) -> (String, NamePosition) {
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

/// Reads the lists of tools, by server. Only servers of the agent may be listed.
fn tools_by_server(
    fields: &Fields<'_>,
    field: Field<ByName<Texts>>,
    mcp_servers: &[String],
) -> BTreeMap<String, Vec<String>> {
    let lists = fields.get(field).into_iter().flatten();
    lists
        .map(|(server, tools)| {
            if !mcp_servers.contains(&server.text) {
                let known: Vec<&str> = mcp_servers.iter().map(String::as_str).collect();
                let message = format!(
                    "`{field}` names `{}`, which is not among the agent's `mcp_servers`",
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
