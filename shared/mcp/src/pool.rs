//! Pool of the MCP servers of a process.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent_tools::{AgentAccess, AgentTools, Granted};
use crate::connection::Connection;
use crate::error::Error;
use crate::outcome::ServerStatus;
use crate::settings::ServerSettings;

/// One connection per configured server, shared by all agents of the process.
///
/// No server is started before it is needed. If a server dies or its transport fails, the next call starts it again. If
/// a start fails, calls fail at once during a pause of 0.5 s to 30 s, which doubles with each failure.
#[derive(Clone)]
pub struct McpPool {
    connections: Arc<BTreeMap<String, Arc<Connection>>>,
}

impl McpPool {
    /// Creates a pool of these servers.
    ///
    /// If a server is reached over HTTP, the process's default rustls provider must be installed.
    ///
    /// # Errors
    ///
    /// [`Error`] if a server is configured twice, or an address, header or OAuth setting can't be used.
    pub fn new(servers: Vec<ServerSettings>) -> Result<Self, Error> {
        let mut connections = BTreeMap::new();
        for settings in servers {
            crate::transport::check(&settings)?;
            let id = settings.id.clone();
            if connections
                .insert(id.clone(), Arc::new(Connection::new(settings)?))
                .is_some()
            {
                return Err(Error::DuplicateServer(id));
            }
        }
        Ok(Self {
            connections: Arc::new(connections),
        })
    }

    /// Returns the tools of one agent.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`] if the agent names a server that is not configured.
    pub fn agent(&self, access: &AgentAccess) -> Result<AgentTools, Error> {
        let granted = access.servers.iter().map(|grant| {
            let connection =
                self.connections
                    .get(&grant.server)
                    .ok_or_else(|| Error::UnknownServer {
                        server: grant.server.clone(),
                        known: self.connections.keys().cloned().collect(),
                    })?;
            Ok(Granted {
                connection: Arc::clone(connection),
                tools: grant.tools.clone(),
                writes: grant.writes.clone(),
            })
        });
        Ok(AgentTools {
            granted: granted.collect::<Result<Vec<_>, Error>>()?.into(),
            allow_destructive: access.allow_destructive,
        })
    }

    /// Returns the status of every server, sorted by id. Starts no server.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.connections
            .values()
            .map(|connection| connection.status())
            .collect()
    }

    /// Closes all connections and ends their processes. A later call starts them again.
    pub async fn close(&self) {
        futures::future::join_all(
            self.connections
                .values()
                .map(|connection| connection.close()),
        )
        .await;
    }
}
