//! MCP servers and masking.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Flag, Length, Text, Texts, Word, words};

words!(Effect, ["read_only", "idempotent", "destructive"]);
words!(Elicitation, ["decline", "accept_defaults"]);
words!(Transport, ["stdio", "http", "streamable-http", "sse"]);
words!(AuthType, ["oauth"]);
words!(ApproveWord, ["destructive", "all"]);
words!(ApproveRole, ["operator", "admin"]);
words!(PresetName, crate::preset::NAMES);

/// An MCP server.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Server {
    /// A ready-made server; `tarsy servers list` shows each with its keys. Other keys override its values.
    preset: Option<Word<PresetName>>,
    /// Of a preset: address of the service.
    url: Option<Text>,
    /// Of a preset: token of an account that can only read.
    token: Option<Text>,
    /// Of a preset: user name.
    username: Option<Text>,
    /// Of a preset: password.
    password: Option<Text>,
    /// Of a preset: API key.
    api_key: Option<Text>,
    /// Of a preset: application key.
    app_key: Option<Text>,
    /// Of a preset: site of the vendor.
    site: Option<Text>,
    /// Of a preset: organization.
    organization: Option<Text>,
    /// Of a preset: tenant.
    tenant: Option<Text>,
    /// Of a preset: project.
    project: Option<Text>,
    /// Of a preset: region.
    region: Option<Text>,
    /// Of a preset: profile of the credentials file.
    profile: Option<Text>,
    /// Of a preset: id of the access key.
    access_key: Option<Text>,
    /// Of a preset: secret of the access key.
    secret_key: Option<Text>,
    /// Of a preset: role to assume by the token of a workload.
    role_arn: Option<Text>,
    /// Of a preset: file with the token of a workload.
    token_file: Option<Text>,
    /// Of a preset: subscription.
    subscription: Option<Text>,
    /// Of a preset: id of the application.
    client_id: Option<Text>,
    /// Of a preset: secret of the application.
    client_secret: Option<Text>,
    /// Of a preset: file with the credentials of an account.
    credentials_file: Option<Text>,
    /// Of a preset: kubeconfig file.
    kubeconfig: Option<Text>,
    /// How to reach the server.
    connection_params: Option<ConnectionParams>,
    /// The name of the entry; may be left out.
    server_id: Option<Text>,
    /// Kind of the server, e.g. `kubernetes`; shown in prompts. Default: custom.
    server_type: Option<Text>,
    /// Whether the server is started. Default: true.
    enabled: Option<Flag>,
    /// Guidance for the model.
    instructions: Option<Text>,
    /// What is masked in the server's answers. Default: the group `security`.
    data_masking: Option<Masking>,
    /// Effect of tools that neither `tool_effects` nor their annotations classify. Default:
    /// destructive.
    default_effect: Option<Word<Effect>>,
    /// Effects by name or pattern of tools, e.g. `get_*`; they override the server's annotations.
    tool_effects: Option<BTreeMap<String, Word<Effect>>>,
    /// The only tools of the server that any agent sees. Default: all.
    allowed_tools: Option<Texts>,
    /// Calls that a person must approve first: `destructive`, `all`, or the names of tools. Default: none.
    approve: Option<Approve>,
    /// Least role that may approve them. Default: operator.
    approve_role: Option<Word<ApproveRole>>,
    /// The answer to a server that asks for input during a call. Default: decline.
    elicitation: Option<Word<Elicitation>>,
}

/// A word, or the names of tools.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only described")]
pub(super) enum Approve {
    Word(Word<ApproveWord>),
    Tools(Texts),
}

/// A child process (`command`) or an endpoint (`url`).
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    extend("anyOf" = [{"required": ["command"]}, {"required": ["url"]}])
)]
pub(super) struct ConnectionParams {
    /// Transport. Default: `stdio` with a `command`, `http` with a `url`.
    transport: Option<Word<Transport>>,
    /// Program of a child process, looked up in `PATH`.
    command: Option<Text>,
    /// Arguments of the child process.
    args: Option<Vec<Text>>,
    /// Environment variables of the child process.
    env: Option<BTreeMap<String, Text>>,
    /// Endpoint of a server, http or https.
    url: Option<Text>,
    /// Headers of every request.
    headers: Option<BTreeMap<String, Text>>,
    /// Bearer token of every request.
    bearer_token: Option<Text>,
    /// OAuth client credentials, instead of `bearer_token`.
    auth: Option<Auth>,
    /// Whether the server's certificate is verified. Default: true.
    verify_tls: Option<Flag>,
    /// Longest time to connect and initialize. Default: 30s.
    timeout: Option<Length>,
}

/// OAuth client credentials.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    extend("anyOf" = [{"required": ["client_secret"]}, {"required": ["private_key"]}])
)]
pub(super) struct Auth {
    /// Type of the authorization.
    #[schemars(rename = "type")]
    kind: Word<AuthType>,
    /// Client id at the authorization server.
    client_id: Text,
    /// Client secret.
    client_secret: Option<Text>,
    /// Private key (PEM, PKCS #8; EC P-256 or RSA) that signs assertions, instead of a secret.
    private_key: Option<Text>,
    /// Key id of `private_key`, sent as `kid`.
    private_key_id: Option<Text>,
    /// Scopes to request. Default: what the server asks for.
    scopes: Option<Texts>,
    /// Token endpoint. Default: discovered from the server's 401 response.
    token_url: Option<Text>,
    /// Resource that tokens are for. Default: the server's `url`.
    resource: Option<Text>,
}

/// What is masked.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Masking {
    /// Whether masking is on. Default: true.
    enabled: Option<Flag>,
    /// Groups of patterns, e.g. `security`.
    pattern_groups: Option<Texts>,
    /// Single patterns, e.g. `certificate`.
    patterns: Option<Texts>,
    /// Patterns of your own.
    custom_patterns: Option<Vec<CustomPattern>>,
}

/// A pattern of your own.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct CustomPattern {
    /// Name of the pattern; reports and metrics use it.
    name: Text,
    /// Regular expression.
    pattern: Text,
    /// Text that replaces a match. Default: a mark with the pattern's name.
    replacement: Option<Text>,
    /// Free text for people.
    description: Option<Text>,
    /// Whether the pattern applies. Default: true.
    enabled: Option<Flag>,
}
