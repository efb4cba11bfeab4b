//! MCP servers: connection, effects and masking.

pub(crate) mod fields;

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::json_schema;
use serde::Serialize;
use tarsy_model::{EffectClass, Role};

use self::fields::{ConnectionFields, ServerFields};
use crate::fields::{ByName, Field, FieldValue, Fields, Text, Texts, Word, choice, inlined};
use crate::masking::MaskingFields;
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

choice!(struct ApproveWord = ["destructive", "all"]);

inlined!([] Approve, "Approve", |generator| {
    let alternatives = [
        generator.subschema_for::<Word<ApproveWord>>(),
        generator.subschema_for::<Texts>(),
    ];
    json_schema!({"anyOf": alternatives})
});

/// A word, or a list of tools.
impl FieldValue for Approve {
    type Read<'a> = Self;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Self> {
        if fields.is_list(key) {
            let tools = Texts::read(fields, key)?;
            return Some(Self::Tools(
                tools.into_iter().map(Text::into_string).collect(),
            ));
        }
        Some(match Word::<ApproveWord>::read(fields, key)? {
            "all" => Self::All,
            _ => Self::Destructive,
        })
    }
}

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
        let keys = ServerFields::FIELDS;
        let enabled = fields.get(keys.enabled).unwrap_or(true);
        let (preset, entries) = preset::expand(fields, enabled).unzip();
        let expanded = entries
            .as_deref()
            .map(|entries| fields.with_entries(entries));
        let fields = expanded.as_ref().unwrap_or(fields);
        if let Some(named) = fields.get(keys.server_id)
            && named.value() != server_id
        {
            fields.problem(
                keys.server_id,
                format!(
                    "`server_id` is `{}` but the entry is called `{server_id}`",
                    named.shown()
                ),
                "remove `server_id`, or make both the same",
            );
        }
        let data_masking = fields
            .get(keys.data_masking)
            .map_or_else(MaskingConfig::default, |section| {
                masking::read(&section, MaskingFields::FIELDS)
            });
        let tool_effects = fields.get(keys.tool_effects).into_iter().flatten();
        let tool_effects = tool_effects.map(|(tool, effect)| (tool.text.clone(), effect));
        let tool_effects = tool_effects.collect();
        let default_effect = fields.get(keys.default_effect);
        let server_type = fields.string(keys.server_type);
        let instructions = fields.string(keys.instructions).unwrap_or_default();
        let allowed_tools = fields.strings(keys.allowed_tools);
        let elicitation = fields.get(keys.elicitation).unwrap_or_default();
        let approve_role = fields.get(keys.approve_role).unwrap_or(Role::Operator);
        let approve = fields.get(keys.approve);
        let connection = match enabled || fields.has(keys.connection_params) {
            // The preset is unknown, which has been reported.
            true if fields.has(keys.preset) && !fields.has(keys.connection_params) => None,
            true => read_connection(fields),
            // It is never started, so `{enabled: false}` is enough to switch off a built-in server.
            false => Some(Connection::none()),
        };
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
            server_type: server_type.unwrap_or_else(|| "custom".to_owned()),
            enabled,
            connection: connection?,
            instructions,
            data_masking,
            default_effect: default_effect.unwrap_or(EffectClass::Destructive),
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
    let keys = ConnectionFields::FIELDS;
    let fields = server.require(
        ServerFields::FIELDS.connection_params,
        "it holds `command` and `args`, or `url`",
    )?;
    let transport = fields.get(keys.transport);
    let command = fields.get(keys.command);
    let args = fields.get(keys.args).into_iter().flatten();
    let args = redact::arguments(args.map(|text| text.resolved).collect());
    let env = secrets(&fields, keys.env);
    let url = fields.url(keys.url, &["http", "https"]);
    let headers = secrets(&fields, keys.headers);
    let bearer_token = fields.get(keys.bearer_token);
    let bearer_token = bearer_token.map(|text| text.resolved.secret());
    let auth_fields = fields.get(keys.auth);
    let auth = auth_fields
        .as_ref()
        .and_then(OAuthConfig::read)
        .map(Box::new);
    if fields.has(keys.auth) && fields.has(keys.bearer_token) {
        fields.contradiction(
            &[keys.auth.name(), keys.bearer_token.name()],
            "`auth` and `bearer_token` exclude each other".to_owned(),
            "use `bearer_token` for a fixed token, `auth` to fetch tokens",
        );
    }
    let verify_tls = fields.get(keys.verify_tls).unwrap_or(true);
    let timeout = fields.get(keys.timeout).unwrap_or(CONNECT_TIMEOUT);

    let is_stdio = transport.map_or(!fields.has(keys.url), |named| named == "stdio");
    let of_process = [keys.command.name(), keys.args.name(), keys.env.name()];
    let of_endpoint = [
        keys.url.name(),
        keys.headers.name(),
        keys.bearer_token.name(),
        keys.auth.name(),
        keys.verify_tls.name(),
    ];
    let (needed, foreign): (_, &[&str]) = match is_stdio {
        true => (keys.command, &of_endpoint),
        false => (keys.url, &of_process),
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
pub(crate) fn secrets(
    fields: &Fields<'_>,
    field: Field<ByName<Text>>,
) -> BTreeMap<String, Resolved> {
    let entries = fields.get(field).into_iter().flatten();
    entries
        .map(|(key, text)| (key.text.clone(), text.resolved.secret()))
        .collect()
}
