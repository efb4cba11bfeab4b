//! The MCP servers of a process.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent_tools::{AgentAccess, AgentTools, Granted};
use crate::connection::Connection;
use crate::error::Error;
use crate::outcome::ServerStatus;
use crate::settings::ServerSettings;

/// One connection per configured server, shared by all agents of the process.
///
/// Nothing is started before it is needed. A server that dies, or whose transport fails, is
/// started anew for the next call; one that can't be started is left alone for a while
/// (0.5 s to 30 s, doubling), during which calls fail at once.
#[derive(Clone)]
pub struct McpPool {
    connections: Arc<BTreeMap<String, Arc<Connection>>>,
}

impl McpPool {
    /// Creates a pool of these servers.
    ///
    /// Wants the process's rustls provider installed when a server is reached over HTTP.
    ///
    /// # Errors
    ///
    /// A server that is configured twice, or an address, header or OAuth setting that can't be used.
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

    /// The view of one agent.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`] when the agent names a server that is not configured.
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

    /// The status of every server, by id. Starts nothing.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.connections
            .values()
            .map(|connection| connection.status())
            .collect()
    }

    /// Closes all connections and ends their processes; a later call starts them again.
    pub async fn close(&self) {
        futures::future::join_all(
            self.connections
                .values()
                .map(|connection| connection.close()),
        )
        .await;
    }
}
