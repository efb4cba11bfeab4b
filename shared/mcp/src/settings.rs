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
    /// How it is reached.
    pub transport: TransportSettings,
    /// The server's part of an agent's instructions (second tier).
    pub instructions: Option<String>,
    /// Masks everything the server says; its failure withholds the text.
    pub masker: Arc<Masker>,
    /// What its tools do to the world, where the server doesn't say or isn't believed.
    pub effects: EffectSettings,
    /// Longest time from start to a finished handshake. Default 30 s: `npx` may download first.
    pub start_timeout: Duration,
    /// Longest time one tool call may take when the caller names none. Default 70 s.
    pub call_timeout: Duration,
    /// Most bytes of masked text kept of one answer. Default 1 MiB.
    pub max_output_bytes: usize,
    /// Most bytes of one protocol message held while it is read. Default 4 MiB; what
    /// exceeds it is read and dropped, and the answer is marked as cut.
    pub max_message_bytes: usize,
    /// What a server hears that asks for input in the middle of a call. Default: no.
    pub elicitation: Elicitation,
}

impl ServerSettings {
    /// A server with default limits.
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
    /// A child process that speaks over its standard streams.
    Stdio(StdioSettings),
    /// Streamable HTTP (MCP 2025-03-26 and later).
    Http(HttpSettings),
    /// HTTP with server-sent events, as servers of MCP 2024-11-05 speak it.
    Sse(HttpSettings),
}

/// A child process.
///
/// It sees `PATH`, `HOME`, the locale, `TMPDIR` and the certificate variables of this
/// process and nothing else but [`StdioSettings::env`].
#[derive(Clone, Debug, Default)]
pub struct StdioSettings {
    /// Program, looked up in `PATH`; no shell is involved.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables it gets on top of the clean environment.
    pub env: BTreeMap<String, Secret>,
    /// Its working directory; `None`: that of this process.
    pub cwd: Option<PathBuf>,
}

/// An HTTP endpoint.
#[derive(Clone, Debug, Default)]
pub struct HttpSettings {
    /// `http://` or `https://` address of the MCP endpoint.
    pub url: String,
    /// Sent as `Authorization: Bearer`.
    pub bearer: Option<Secret>,
    /// Fetches what is sent as `Authorization: Bearer`; not together with `bearer`.
    pub oauth: Option<OAuthSettings>,
    /// Further headers, sent with every request.
    pub headers: BTreeMap<String, Secret>,
    /// Longest time to connect. `None`: 10 s.
    pub connect_timeout: Option<Duration>,
    /// Whether any certificate is taken for the server's. Default false.
    pub accept_invalid_certificates: bool,
}

/// OAuth's client credentials grant: the fleet asks for tokens in its own name.
#[derive(Clone, Debug)]
pub struct OAuthSettings {
    /// The client as the authorization server knows it.
    pub client_id: String,
    /// How it shows that it is the one.
    pub proof: ClientProof,
    /// All that is ever asked for. Empty: what the server's refusals and its metadata name.
    pub scopes: Vec<String>,
    /// The token endpoint: https, or http on this host. `None`: found from the server's refusal
    /// (RFC 9728, RFC 8414), at public addresses only unless the server itself is on this host.
    pub token_url: Option<String>,
    /// Whom tokens are for (RFC 8707). `None`: the server's URL.
    pub resource: Option<String>,
}

/// What an OAuth client proves itself with.
#[derive(Clone, Debug)]
pub enum ClientProof {
    /// A secret, sent as HTTP Basic unless the authorization server takes it in the body alone.
    Secret(Secret),
    /// A private key that signs an assertion (RFC 7523).
    Key {
        /// PKCS #8 in PEM; EC P-256 or RSA.
        pem: Secret,
        /// `kid` of the assertion's header, for authorization servers that know several keys.
        id: Option<String>,
    },
}

/// How questions of a server to the user are answered; there is no user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elicitation {
    /// Not offered, and declined if asked all the same.
    #[default]
    Decline,
    /// Forms are answered with their own defaults; those with a required field that has none,
    /// and links to visit, are declined. For servers that are trusted to ask nothing whose
    /// default does harm.
    AcceptDefaults,
}

/// Effect classes from the configuration; they win over the server's annotations.
#[derive(Clone, Debug, Default)]
pub struct EffectSettings {
    /// Class of tools that carry no annotation at all. `None`: destructive. Meant for
    /// servers that are started read-only.
    pub default: Option<EffectClass>,
    /// Class of tools, by name or by a pattern with `*`; a name wins over patterns, a longer pattern over a shorter one.
    pub tools: BTreeMap<String, EffectClass>,
}
