//! Settings of a server: transport, limits, effects.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tarsy_masking::Masker;
use tarsy_model::{EffectClass, Secret};

/// One configured MCP server.
#[derive(Clone)]
pub struct ServerSettings {
    /// Name in the configuration, unique, e.g. `kubernetes-server`.
    pub id: String,
    /// How the server is reached.
    pub transport: TransportSettings,
    /// The server's part of an agent's instructions (second tier).
    pub instructions: Option<String>,
    /// Masks everything that the server sends. If masking fails, the text is withheld.
    pub masker: Arc<Masker>,
    /// Effects of its tools, if the server does not state them or is not trusted.
    pub effects: EffectSettings,
    /// Longest time from the start to a finished handshake. Default 30 s, because `npx` may download first.
    pub start_timeout: Duration,
    /// Longest time one tool call may take if the caller sets none. Default 70 s.
    pub call_timeout: Duration,
    /// Most bytes of masked text kept of one answer. Default 1 MiB.
    pub max_output_bytes: usize,
    /// Most bytes of one protocol message that are held while it is read. Default 4 MiB. The rest is read and dropped,
    /// and the answer is marked as cut.
    pub max_message_bytes: usize,
    /// Answer to a server that asks for input during a call. Default: decline.
    pub elicitation: Elicitation,
}

impl ServerSettings {
    /// Creates a server with default limits.
    #[must_use]
    pub fn new(id: impl Into<String>, transport: TransportSettings, masker: Arc<Masker>) -> Self {
        Self {
            id: id.into(),
            transport,
            instructions: None,
            masker,
            effects: EffectSettings::default(),
            start_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(70),
            max_output_bytes: 1024 * 1024,
            max_message_bytes: 4 * 1024 * 1024,
            elicitation: Elicitation::default(),
        }
    }
}

impl fmt::Debug for ServerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSettings")
            .field("id", &self.id)
            .field("transport", &self.transport)
            .field("effects", &self.effects)
            .finish_non_exhaustive()
    }
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum TransportSettings {
    /// A child process that communicates over its standard streams.
    Stdio(StdioSettings),
    /// Streamable HTTP (MCP 2025-03-26 and later).
    Http(HttpSettings),
    /// HTTP with server-sent events, for servers of MCP 2024-11-05.
    Sse(HttpSettings),
}

/// A child process.
///
/// It inherits only some variables of this process, and [`StdioSettings::env`] is added to these. Inherited are `PATH`,
/// `HOME`, the user, the locale, the time zone, `TMPDIR`, `TERM`, the XDG directories, and the certificate variables.
/// So are the address of a pod's Kubernetes API, and proxies without a password.
#[derive(Clone, Debug, Default)]
pub struct StdioSettings {
    /// Program, looked up in `PATH`. No shell is involved.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that are added to the clean environment.
    pub env: BTreeMap<String, Secret>,
    /// Working directory; `None`: that of this process.
    pub cwd: Option<PathBuf>,
}

/// An HTTP endpoint.
#[derive(Clone, Debug, Default)]
pub struct HttpSettings {
    /// `http://` or `https://` address of the MCP endpoint.
    pub url: String,
    /// Sent as `Authorization: Bearer`.
    pub bearer: Option<Secret>,
    /// Settings to fetch the token that is sent as `Authorization: Bearer`. Can't be combined with `bearer`.
    pub oauth: Option<OAuthSettings>,
    /// Additional headers, sent with every request.
    pub headers: BTreeMap<String, Secret>,
    /// Longest time to connect. `None`: 10 s.
    pub connect_timeout: Option<Duration>,
    /// Whether to accept any certificate of the server. Default false.
    pub accept_invalid_certificates: bool,
}

/// OAuth's client credentials grant: tarsy requests tokens in its own name.
#[derive(Clone, Debug)]
pub struct OAuthSettings {
    /// Id of the client at the authorization server.
    pub client_id: String,
    /// How the client proves its identity.
    pub proof: ClientProof,
    /// The only scopes that are ever requested. Empty: the scopes named by the server's refusals and metadata.
    pub scopes: Vec<String>,
    /// The token endpoint: https, or http on this host. `None`: discovered from the server's refusal (RFC 9728, RFC
    /// 8414). A discovered endpoint must be at a public address, unless the server itself is on this host.
    pub token_url: Option<String>,
    /// Resource that tokens are for (RFC 8707). `None`: the server's URL.
    pub resource: Option<String>,
}

/// Proof of identity of an OAuth client.
#[derive(Clone, Debug)]
pub enum ClientProof {
    /// A secret. Sent as HTTP Basic, or in the body if the authorization server accepts only that.
    Secret(Secret),
    /// A private key that signs an assertion (RFC 7523).
    Key {
        /// PKCS #8 in PEM; EC P-256 or RSA.
        pem: Secret,
        /// `kid` in the assertion's header, for authorization servers that know several keys.
        id: Option<String>,
    },
}

/// How a server's questions to the user are answered. There is no user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elicitation {
    /// Elicitation is not offered. If the server asks anyway, the request is declined.
    #[default]
    Decline,
    /// Forms are answered with their own defaults. Forms with a required field without a default, and links to visit,
    /// are declined. Only for servers that are trusted not to ask questions with harmful defaults.
    AcceptDefaults,
}

/// Effect classes from the configuration. They take precedence over the server's annotations.
#[derive(Clone, Debug, Default)]
pub struct EffectSettings {
    /// Class of tools without any annotation. `None`: destructive. Meant for servers that are started in read-only
    /// mode.
    pub default: Option<EffectClass>,
    /// Classes of tools, by name or by a pattern with `*`. A name takes precedence over patterns, and a longer pattern
    /// over a shorter one.
    pub tools: BTreeMap<String, EffectClass>,
}
