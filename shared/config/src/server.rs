//! MCP servers: connection, effects and masking.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tarsy_model::{EffectClass, Role};

use crate::approvals::APPROVERS;
use crate::fields::Fields;
use crate::oauth::OAuthConfig;
use crate::references::NameKind;
use crate::{MaskingConfig, Resolved, masking, preset, redact};

/// One entry of `mcp_servers`.
#[derive(Clone, Debug, Serialize)]
pub struct McpServerConfig {
    /// Name by which agents refer to it; equals its key.
    pub server_id: String,
    /// The preset that supplies the values that the entry leaves out ([`crate::Preset`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<&'static str>,
    /// Free text, e.g. `kubernetes`; shown in prompts.
    pub server_type: String,
    /// A disabled server is never started and no agent gets its tools. Default true.
    pub enabled: bool,
    /// How to reach it.
    pub connection: Connection,
    /// Guidance for the model, the second of three tiers. May be empty.
    pub instructions: String,
    /// Masking of its results.
    pub data_masking: MaskingConfig,
    /// Effect of a tool that is classified neither by `tool_effects` nor by its annotations. Default destructive:
    /// unknown effects are treated as dangerous.
    pub default_effect: EffectClass,
    /// Effects that override the server's own annotations, by tool name.
    pub tool_effects: BTreeMap<String, EffectClass>,
    /// The only tools of this server that any agent may see; `None`: all.
    pub allowed_tools: Option<Vec<String>>,
    /// Calls that a person must approve first; `None`: none.
    pub approve: Option<Approve>,
    /// Least role that may approve them. Default operator.
    pub approve_role: Role,
    /// Response if the server asks for input during a call. Default decline.
    pub elicitation: Elicitation,
}

/// Calls that a person must approve before they are made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Approve {
    /// Calls of destructive tools.
    Destructive,
    /// All calls.
    All,
    /// Calls of these tools.
    Tools(Vec<String>),
}

/// Words of `approve`, in place of a list of tools.
pub(crate) const APPROVE_WORDS: [&str; 2] = ["destructive", "all"];

/// Words of `transport`.
pub(crate) const TRANSPORTS: [&str; 4] = ["stdio", "http", "streamable-http", "sse"];

/// Words of `elicitation`.
pub(crate) const ELICITATIONS: [(&str, Elicitation); 2] = [
    ("decline", Elicitation::Decline),
    ("accept_defaults", Elicitation::AcceptDefaults),
];

/// Response to a server that asks for user input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Elicitation {
    /// Declines the request.
    #[default]
    Decline,
    /// Accepts with the form's defaults, if they make a complete answer.
    AcceptDefaults,
}

/// Server ids of tarsy's own tools, such as `tarsy.read_page` and `sub-agents.dispatch_agent`.
const OWN_IDS: [&str; 2] = ["tarsy", "sub-agents"];

/// The transport of an MCP server.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "transport", rename_all = "snake_case")]
pub enum Connection {
    /// A child process that communicates over stdin and stdout.
    Stdio {
        /// Program, searched for in `PATH`.
        command: Resolved,
        /// Its arguments; displayed without those that are named like a secret or look like one.
        args: Vec<Resolved>,
        /// Additional environment variables. Otherwise it gets only a cleaned environment.
        env: BTreeMap<String, Resolved>,
        /// Longest time to start and answer `initialize`. Default 30 s.
        timeout: Duration,
    },
    /// Streamable HTTP, or HTTP with SSE for older servers.
    Http {
        /// Endpoint; displayed without credentials and query values.
        url: Resolved,
        /// Whether the server speaks the older HTTP+SSE transport.
        sse: bool,
        /// Sent with every request.
        headers: BTreeMap<String, Resolved>,
        /// Sent as `Authorization: Bearer ..`.
        bearer_token: Option<Resolved>,
        /// OAuth client that obtains the bearer token, in place of `bearer_token`.
        auth: Option<Box<OAuthConfig>>,
        /// Longest time to connect and answer `initialize`. Default 30 s.
        timeout: Duration,
        /// Whether the server's certificate is checked. Default true.
        verify_tls: bool,
    },
}

impl Connection {
    /// Returns a placeholder for a disabled server without `connection_params`.
    fn none() -> Self {
        Self::Stdio {
            command: Resolved::new("", ""),
            args: Vec::new(),
            env: BTreeMap::new(),
            timeout: CONNECT_TIMEOUT,
        }
    }
}

/// Longest time to connect to a server, unless `connection_params.timeout` is set.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

impl McpServerConfig {
    /// Reads the entry `server_id` of `mcp_servers`.
    pub(crate) fn read(server_id: &str, fields: &Fields<'_>) -> Option<Self> {
        let enabled = fields.bool("enabled").unwrap_or(true);
        let (preset, entries) = preset::expand(fields, enabled).unzip();
        let expanded = entries
            .as_deref()
            .map(|entries| fields.with_entries(entries));
        let fields = expanded.as_ref().unwrap_or(fields);
        if let Some(named) = fields.text("server_id")
            && named.value() != server_id
        {
            fields.problem(
                "server_id",
                format!(
                    "`server_id` is `{}` but the entry is called `{server_id}`",
                    named.shown()
                ),
                "remove `server_id`, or make both the same",
            );
        }
        let data_masking = fields
            .section("data_masking")
            .map_or_else(MaskingConfig::default, |section| masking::read(&section));
        let tool_effects = fields
            .texts_by_key("tool_effects")
            .into_iter()
            .filter_map(|(tool, written)| {
                fields
                    .effect(&written)
                    .map(|effect| (tool.text.clone(), effect))
            })
            .collect();
        let default_effect = fields
            .text("default_effect")
            .and_then(|written| fields.effect(&written))
            .unwrap_or(EffectClass::Destructive);
        let server_type = fields
            .string("server_type")
            .unwrap_or_else(|| "custom".to_owned());
        let instructions = fields.string("instructions").unwrap_or_default();
        let allowed_tools = fields.strings("allowed_tools");
        let elicitation = fields
            .meaning("elicitation", &ELICITATIONS)
            .unwrap_or(Elicitation::Decline);
        let approve_role = fields
            .meaning("approve_role", &APPROVERS)
            .unwrap_or(Role::Operator);
        let approve = match fields.is_list("approve") {
            true => fields.strings("approve").map(Approve::Tools),
            false => fields
                .choice("approve", &APPROVE_WORDS)
                .map(|word| match word {
                    "all" => Approve::All,
                    _ => Approve::Destructive,
                }),
        };
        let connection = match enabled || fields.has("connection_params") {
            // The preset is unknown, which has been reported.
            true if fields.has("preset") && !fields.has("connection_params") => None,
            true => read_connection(fields),
            // It is never started, so `{enabled: false}` is enough to switch off a built-in server.
            false => Some(Connection::none()),
        };
        fields.finish();
        if OWN_IDS.contains(&server_id) {
            fields.problem_here(
                format!("the name `{server_id}` is reserved"),
                "built-in tools use it; choose another name",
            );
        }
        fields
            .context()
            .references
            .define(NameKind::Server, server_id, fields.key_at());
        Some(Self {
            server_id: server_id.to_owned(),
            preset,
            server_type,
            enabled,
            connection: connection?,
            instructions,
            data_masking,
            default_effect,
            tool_effects,
            allowed_tools,
            approve,
            approve_role,
            elicitation,
        })
    }
}

/// Reads `connection_params`. The keys that are set determine the transport.
fn read_connection(server: &Fields<'_>) -> Option<Connection> {
    let fields = server.required_section("connection_params", "`command` and `args`, or `url`")?;
    let transport = fields.choice("transport", &TRANSPORTS);
    let command = fields.text("command");
    let args = fields.texts_or_empty("args").into_iter();
    let args = redact::arguments(args.map(|text| text.resolved).collect());
    let env = secrets(&fields, "env");
    let url = fields.url("url", &["http", "https"]);
    let headers = secrets(&fields, "headers");
    let bearer_token = fields
        .text("bearer_token")
        .map(|text| text.resolved.secret());
    let auth_fields = fields.section("auth");
    let auth = auth_fields
        .as_ref()
        .and_then(OAuthConfig::read)
        .map(Box::new);
    if fields.has("auth") && fields.has("bearer_token") {
        fields.contradiction(
            &["auth", "bearer_token"],
            "`auth` and `bearer_token` exclude each other".to_owned(),
            "use `bearer_token` for a fixed token, `auth` to fetch tokens",
        );
    }
    let verify_tls = fields.bool("verify_tls").unwrap_or(true);
    let timeout = fields.duration("timeout").unwrap_or(CONNECT_TIMEOUT);
    fields.finish();

    let is_stdio = transport.map_or(!fields.has("url"), |named| named == "stdio");
    let (needed, foreign): (_, &[&str]) = if is_stdio {
        (
            "command",
            &["url", "headers", "bearer_token", "auth", "verify_tls"],
        )
    } else {
        ("url", &["command", "args", "env"])
    };
    for key in foreign.iter().filter(|key| fields.has(key)) {
        let message = format!("`{key}` can't be combined with `{needed}`");
        fields.problem(key, message, "a server is a child process (command, args, env) or an endpoint (url, headers, bearer_token or auth)");
    }
    if !fields.has(needed) {
        fields.problem_here(
            format!("`{needed}` is missing"),
            "set `command` for a child process, or `url` for an endpoint",
        );
    }
    Some(if is_stdio {
        Connection::Stdio {
            command: command?.resolved,
            args,
            env,
            timeout,
        }
    } else {
        let (url, sse) = (redact::address(url?.resolved), transport == Some("sse"));
        Connection::Http {
            url,
            sse,
            headers,
            bearer_token,
            auth,
            timeout,
            verify_tls,
        }
    })
}

/// Reads values that are likely secrets. They are displayed only as templates.
fn secrets(fields: &Fields<'_>, key: &'static str) -> BTreeMap<String, Resolved> {
    let entries = fields.texts_by_key(key).into_iter();
    entries
        .map(|(key, text)| (key.text.clone(), text.resolved.secret()))
        .collect()
}
