//! External services that stages call (LLM providers and MCP servers): their configuration and recent calls.

pub(crate) mod handlers;
pub(crate) mod pools;

use serde::Serialize;
use tarsy_config::{Config, Connection, ProviderKind};
use tarsy_queue::WorkerStats;
use tarsy_store::calls::{Calls, PoolCalls};
use utoipa::ToSchema;

use self::pools::{PoolSources, pool_sources};

/// LLM providers and MCP servers.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Upstreams {
    /// Start of the period in which calls are counted, in Unix microseconds.
    pub(crate) since_us: i64,
    /// Configured providers first, then those that occur only in the history.
    pub(crate) providers: Vec<Provider>,
    /// Configured servers first, then those that occur only in the history.
    pub(crate) mcp_servers: Vec<McpServer>,
    /// The MCP servers of each pool of stage workers.
    pub(crate) pools: Vec<PoolSources>,
}

/// An LLM provider.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LlmProvider)]
pub(crate) struct Provider {
    name: String,
    /// Null if the provider is no longer configured.
    configured: Option<ProviderEntry>,
    /// Null if the provider was not called recently.
    #[schema(value_type = Option<CallFigures>)]
    calls: Option<Calls>,
}

/// Configuration of a provider.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProviderEntry {
    /// Wire format.
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "openai")]
    kind: ProviderKind,
    model: String,
    /// Whether the provider can be called: its key is set, or it needs none.
    available: bool,
    /// Environment variable with the provider's API key.
    api_key_env: Option<String>,
    /// Whether this is the default provider.
    is_default: bool,
    /// Fallback providers, in order.
    fallbacks: Vec<String>,
}

/// An MCP server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct McpServer {
    name: String,
    /// Null if the server is no longer configured, or is the built-in server `tarsy`.
    configured: Option<ServerEntry>,
    /// Null if the server was not called recently.
    #[schema(value_type = Option<CallFigures>)]
    calls: Option<Calls>,
}

/// Configuration of an MCP server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ServerEntry {
    server_type: String,
    #[schema(example = "stdio")]
    transport: &'static str,
    /// A disabled server is never started.
    enabled: bool,
    /// Agents that use the server's tools, sorted.
    agents: Vec<String>,
}

/// Figures of recent calls. On a busy fleet, only the newest 5,000 model calls and the newest 5,000 tool calls are
/// counted.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape of the OpenAPI document")]
struct CallFigures {
    /// Calls since `since_us`, without refused tool calls.
    calls: i64,
    /// Failed calls among them.
    failed: i64,
    /// Median duration in milliseconds.
    p50_ms: Option<i64>,
    p95_ms: Option<i64>,
    /// Start of the newest call, even if it was before `since_us`.
    last_call_us: i64,
    last_success_us: Option<i64>,
    last_failure_us: Option<i64>,
    /// Error of the newest failed call.
    last_error: Option<String>,
    /// Models that answered, or tools that were called.
    used: Vec<String>,
}

impl Upstreams {
    /// Lists the configured upstreams, without calls.
    pub(crate) fn from_config(config: &Config) -> Self {
        let default = config
            .default_provider()
            .map(|provider| provider.name.as_str());
        let providers = config.providers.values().map(|provider| Provider {
            name: provider.name.clone(),
            configured: Some(ProviderEntry {
                kind: provider.kind,
                model: provider.model.clone(),
                available: provider.available,
                api_key_env: provider.api_key_env.clone(),
                is_default: default == Some(provider.name.as_str()),
                fallbacks: provider.fallbacks.clone(),
            }),
            calls: None,
        });
        let servers = config.servers.values().map(|server| McpServer {
            name: server.server_id.clone(),
            configured: Some(ServerEntry {
                server_type: server.server_type.clone(),
                transport: match &server.connection {
                    Connection::Stdio { .. } => "stdio",
                    Connection::Http { sse: true, .. } => "sse",
                    Connection::Http { sse: false, .. } => "http",
                },
                enabled: server.enabled,
                agents: agents_with(config, &server.server_id),
            }),
            calls: None,
        });
        Self {
            since_us: 0,
            providers: providers.collect(),
            mcp_servers: servers.collect(),
            pools: Vec::new(),
        }
    }

    /// Adds the calls since `since_us`, and the upstreams that are known only from calls.
    pub(crate) fn with_calls(
        mut self,
        since_us: i64,
        mut models: Vec<Calls>,
        mut servers: Vec<Calls>,
    ) -> Self {
        self.since_us = since_us;
        for provider in &mut self.providers {
            provider.calls = taken(&mut models, &provider.name);
        }
        for server in &mut self.mcp_servers {
            server.calls = taken(&mut servers, &server.name);
        }
        self.providers
            .extend(models.into_iter().map(|calls| Provider {
                name: calls.name.clone(),
                configured: None,
                calls: Some(calls),
            }));
        self.mcp_servers
            .extend(servers.into_iter().map(|calls| McpServer {
                name: calls.name.clone(),
                configured: None,
                calls: Some(calls),
            }));
        self
    }

    /// Adds the MCP servers that the workers of each pool offer, and the pools' calls.
    pub(crate) fn with_pools(mut self, workers: &[WorkerStats], calls: Vec<PoolCalls>) -> Self {
        let is_enabled = |entry: &ServerEntry| entry.enabled;
        let enabled = self.mcp_servers.iter();
        let enabled = enabled.filter(|server| server.configured.as_ref().is_some_and(is_enabled));
        let enabled: Vec<String> = enabled.map(|server| server.name.clone()).collect();
        self.pools = pool_sources(workers, calls, &enabled);
        self
    }
}

fn agents_with(config: &Config, server: &str) -> Vec<String> {
    let agents = config.agents.values();
    let with = agents.filter(|agent| agent.mcp_servers.iter().any(|id| id == server));
    let mut names: Vec<_> = with.map(|agent| agent.name.clone()).collect();
    names.sort_unstable();
    names
}

/// Removes the calls of this name, and returns them.
fn taken(calls: &mut Vec<Calls>, name: &str) -> Option<Calls> {
    let place = calls.iter().position(|one| one.name == name)?;
    Some(calls.remove(place))
}
