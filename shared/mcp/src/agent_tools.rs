//! Servers and tools that one agent can reach.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tarsy_model::EffectClass;

use crate::catalog::{Catalog, Entry};
use crate::connection::Connection;
use crate::error::{CallError, Refusal};
use crate::names;
use crate::outcome::{CallOptions, ListedServer, ToolListing, ToolOutcome};
use crate::tool::ToolInfo;

/// The servers and tools that an agent may use, from its configuration.
#[derive(Clone, Debug, Default)]
pub struct AgentAccess {
    /// The agent's servers, in the configured order.
    pub servers: Vec<ServerGrant>,
    /// Whether all tools that can change something are allowed. Off by default; a grant can allow single tools.
    pub allow_destructive: bool,
}

/// A server that an agent may use.
#[derive(Clone, Debug)]
pub struct ServerGrant {
    /// Server id.
    pub server: String,
    /// The only tools the agent may use; `None`: all of them.
    pub tools: Option<BTreeSet<String>>,
    /// Allowed tools that can change something.
    pub writes: BTreeSet<String>,
}

impl ServerGrant {
    /// Grants all tools of a server.
    #[must_use]
    pub fn all(server: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            tools: None,
            writes: BTreeSet::new(),
        }
    }
}

/// The tools of one agent. Cheap to clone. Created by [`crate::McpPool::agent`].
///
/// Names that a model writes are only looked up here. So no text can reach a server or tool outside the agent's
/// configuration.
#[derive(Clone)]
pub struct AgentTools {
    pub(crate) granted: Arc<[Granted]>,
    pub(crate) allow_destructive: bool,
}

pub(crate) struct Granted {
    pub(crate) connection: Arc<Connection>,
    pub(crate) tools: Option<BTreeSet<String>>,
    pub(crate) writes: BTreeSet<String>,
}

/// Metric label for a tool that its server does not list, and for requests without a tool.
const NO_TOOL: &str = "-";

impl AgentTools {
    /// Returns the ids of the agent's servers, in the configured order.
    #[must_use]
    pub fn servers(&self) -> Vec<&str> {
        self.granted
            .iter()
            .map(|granted| granted.connection.id())
            .collect()
    }

    /// Lists all tools that the agent may call. Starts servers as needed. The listing names the servers that fail.
    pub async fn list(&self) -> ToolListing {
        let catalogs =
            futures::future::join_all(self.granted.iter().map(|g| g.connection.catalog())).await;
        let mut listing = ToolListing::default();
        for (granted, catalog) in self.granted.iter().zip(catalogs) {
            match catalog {
                Ok(catalog) => {
                    let instructions = catalog.instructions().map(str::to_owned);
                    let server = granted.connection.id().to_owned();
                    listing
                        .instructions
                        .extend(instructions.map(|instructions| (server, instructions)));
                    listing.tools.extend(self.visible(granted, &catalog));
                }
                Err(error) => {
                    listing
                        .unavailable
                        .push((granted.connection.id().to_owned(), error.to_string()));
                }
            }
        }
        listing
    }

    /// Lists the tools that the agent may call on one of its servers. A failure is counted as a call, because an agent
    /// without the tools makes no calls that could be counted.
    ///
    /// # Errors
    ///
    /// [`Refusal::ForeignServer`], or the reason why the server returned no list.
    pub async fn list_server(&self, server: &str) -> Result<ListedServer, CallError> {
        let granted = self.granted(server)?;
        let begun = Instant::now();
        let catalog = granted.connection.catalog().await.inspect_err(|error| {
            tarsy_metrics::mcp::called(
                server,
                NO_TOOL,
                error.class(),
                begun.elapsed().as_secs_f64(),
            );
        })?;
        Ok(ListedServer {
            tools: self.visible(granted, &catalog),
            instructions: catalog.instructions().map(str::to_owned),
        })
    }

    /// Finds the tool that a name means. The name is `server.tool`, the native `server__tool`, or a tool name that only
    /// one of the agent's servers has.
    ///
    /// # Errors
    ///
    /// [`Refusal::UnknownTool`] with the nearest names, or [`Refusal::AmbiguousTool`].
    pub async fn resolve(&self, name: &str) -> Result<ToolInfo, Refusal> {
        let tools = self.list().await.tools;
        names::resolve(name, &tools)
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// [`CallError::Refused`] if the agent may not make this call or the arguments don't match the tool's schema;
    /// nothing was sent. For other errors see [`CallError::outcome_unknown`].
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<ToolOutcome, CallError> {
        let begun = Instant::now();
        let end = tokio::select! {
            biased;
            () = options.cancel.cancelled() => Err(CallError::Cancelled),
            end = self.admit_and_call(server, tool, arguments, &options) => end,
        };
        self.count(server, tool, &end, begun.elapsed());
        end
    }

    /// Counts a call in the metrics. Uses only names that exist, because the model may have invented them.
    fn count(
        &self,
        server: &str,
        tool: &str,
        end: &Result<ToolOutcome, CallError>,
        duration: Duration,
    ) {
        let server = match self.granted(server) {
            Ok(_) => server,
            Err(_) => NO_TOOL,
        };
        let (tool, result) = match end {
            Ok(outcome) if outcome.is_error => (tool, "tool_error"),
            Ok(_) => (tool, "ok"),
            // Only these errors occur before the tool was found in its server's list.
            Err(
                error @ (CallError::Refused(_)
                | CallError::Unavailable { .. }
                | CallError::Cancelled),
            ) => (NO_TOOL, error.class()),
            Err(error) => (tool, error.class()),
        };
        tarsy_metrics::mcp::called(server, tool, result, duration.as_secs_f64());
    }

    async fn admit_and_call(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<ToolOutcome, CallError> {
        let granted = self.granted(server)?;
        if let Some(task) = &options.task {
            // The call was admitted when it was made. It stays valid if the tool has disappeared since or its list
            // can't be read.
            return granted.connection.follow(tool, task, options).await;
        }
        let catalog = granted.connection.catalog().await?;
        let entry = self.admit(granted, &catalog, tool, options)?;
        // An empty Action Input parses to `null`.
        let arguments = match arguments {
            Value::Null => Value::Object(serde_json::Map::new()),
            other => other,
        };
        entry.check(server, &arguments)?;
        let repeatable = entry.info.effect.is_repeatable();
        granted
            .connection
            .call(tool, arguments, repeatable, options)
            .await
    }

    fn granted(&self, server: &str) -> Result<&Granted, Refusal> {
        self.granted
            .iter()
            .find(|granted| granted.connection.id() == server)
            .ok_or_else(|| Refusal::ForeignServer {
                server: server.to_owned(),
            })
    }

    fn admit<'c>(
        &self,
        granted: &Granted,
        catalog: &'c Catalog,
        tool: &str,
        options: &CallOptions,
    ) -> Result<&'c Entry, Refusal> {
        let (server, name) = (granted.connection.id().to_owned(), tool.to_owned());
        if granted
            .tools
            .as_ref()
            .is_some_and(|tools| !tools.contains(tool))
        {
            return Err(Refusal::ToolNotGranted { server, tool: name });
        }
        let Some(entry) = catalog.get(tool) else {
            let tools = self.visible(granted, catalog);
            let nearest = names::nearest(tool, tools.iter().map(|t| t.name.clone()));
            return Err(Refusal::UnknownTool {
                name: format!("{server}.{tool}"),
                nearest,
            });
        };
        if !self.may_act(granted, entry) {
            return Err(Refusal::DestructiveNotAllowed { server, tool: name });
        }
        if options
            .pin
            .as_ref()
            .is_some_and(|pin| *pin != entry.info.pin)
        {
            return Err(Refusal::ToolChanged { server, tool: name });
        }
        Ok(entry)
    }

    /// Whether the agent may use a tool with this effect. Idempotent tools need permission, too.
    pub(crate) fn may_act(&self, granted: &Granted, entry: &Entry) -> bool {
        entry.info.effect == EffectClass::ReadOnly
            || self.allow_destructive
            || granted.writes.contains(&entry.info.name)
    }

    fn visible(&self, granted: &Granted, catalog: &Catalog) -> Vec<ToolInfo> {
        catalog
            .entries()
            .filter(|entry| {
                granted
                    .tools
                    .as_ref()
                    .is_none_or(|tools| tools.contains(&entry.info.name))
            })
            .filter(|entry| self.may_act(granted, entry))
            .map(|entry| entry.info.clone())
            .collect()
    }
}
