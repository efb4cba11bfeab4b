//! Builds the process's pool of MCP servers from the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_config::{Config, Connection, McpServerConfig, OAuthConfig, OAuthProof, Resolved};
use tarsy_masking::Masker;
use tarsy_mcp::{
    AgentAccess, ClientProof, EffectSettings, Elicitation, HttpSettings, McpPool, OAuthSettings,
    Secret, ServerGrant, ServerSettings, StdioSettings, TransportSettings,
};

use crate::AssembleError;

/// Creates the pool, with one connection per enabled server. Starts none of them yet.
///
/// # Errors
///
/// [`AssembleError`] for a server that cannot work as configured.
pub fn servers(config: &Config) -> Result<McpPool, AssembleError> {
    let settings = config
        .servers
        .values()
        .filter(|server| server.enabled)
        .map(settings)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(McpPool::new(settings)?)
}

/// Returns what an agent may access: its servers, and its tools of each.
#[must_use]
pub fn access(config: &Config, agent: &tarsy_config::AgentConfig) -> AgentAccess {
    let grants = config.servers_of(agent).into_iter().map(|server| {
        let of_agent = agent.tools.get(&server.server_id);
        let of_server = server.allowed_tools.as_ref();
        let is_offered = |tool: &&String| of_server.is_none_or(|offered| offered.contains(tool));
        let tools = of_agent.or(of_server);
        let tools = tools.map(|tools| tools.iter().filter(is_offered).cloned().collect());
        let writes = agent.allow_writes.get(&server.server_id);
        ServerGrant {
            server: server.server_id.clone(),
            tools,
            writes: writes.into_iter().flatten().cloned().collect(),
        }
    });
    AgentAccess {
        servers: grants.collect(),
        allow_destructive: agent.allow_destructive,
    }
}

/// Returns the same access without tools that can change something.
pub(crate) fn read_only(mut access: AgentAccess) -> AgentAccess {
    access.allow_destructive = false;
    for server in &mut access.servers {
        server.writes.clear();
    }
    access
}

fn settings(server: &McpServerConfig) -> Result<ServerSettings, AssembleError> {
    let masker = Masker::new(&server.data_masking)
        .map_err(|problems| AssembleError::masking(&server.server_id, &problems))?;
    let (transport, start_timeout) = match &server.connection {
        Connection::Stdio {
            command,
            args,
            env,
            timeout,
        } => {
            let stdio = StdioSettings {
                command: command.value().to_owned(),
                args: args.iter().map(|arg| arg.value().to_owned()).collect(),
                env: secrets(env),
                cwd: None,
            };
            (TransportSettings::Stdio(stdio), *timeout)
        }
        Connection::Http {
            url,
            sse,
            headers,
            bearer_token,
            auth,
            timeout,
            verify_tls,
        } => {
            let http = HttpSettings {
                url: url.value().to_owned(),
                bearer: bearer_token
                    .as_ref()
                    .map(|token| Secret::new(token.value())),
                oauth: auth.as_deref().map(oauth),
                headers: secrets(headers),
                connect_timeout: None,
                accept_invalid_certificates: !verify_tls,
            };
            let transport = match sse {
                true => TransportSettings::Sse(http),
                false => TransportSettings::Http(http),
            };
            (transport, *timeout)
        }
    };
    let mut settings = ServerSettings::new(&server.server_id, transport, Arc::new(masker));
    settings.start_timeout = start_timeout;
    settings.instructions =
        Some(server.instructions.clone()).filter(|instructions| !instructions.is_empty());
    settings.elicitation = match server.elicitation {
        tarsy_config::Elicitation::Decline => Elicitation::Decline,
        tarsy_config::Elicitation::AcceptDefaults => Elicitation::AcceptDefaults,
    };
    settings.effects = EffectSettings {
        default: Some(server.default_effect),
        tools: server.tool_effects.clone(),
    };
    Ok(settings)
}

fn oauth(auth: &OAuthConfig) -> OAuthSettings {
    let text = |value: &Resolved| value.value().to_owned();
    OAuthSettings {
        client_id: text(&auth.client_id),
        proof: match &auth.proof {
            OAuthProof::ClientSecret(secret) => ClientProof::Secret(Secret::new(secret.value())),
            OAuthProof::PrivateKey { pem, id } => ClientProof::Key {
                pem: Secret::new(pem.value()),
                id: id.as_ref().map(text),
            },
        },
        scopes: auth.scopes.clone(),
        token_url: auth.token_url.as_ref().map(text),
        resource: auth.resource.as_ref().map(text),
    }
}

fn secrets(values: &BTreeMap<String, Resolved>) -> BTreeMap<String, Secret> {
    values
        .iter()
        .map(|(name, value)| (name.clone(), Secret::new(value.value())))
        .collect()
}
