//! MCP servers and masking.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Flag, Length, Text, Texts, Word, words, words_of};
use crate::approvals::APPROVERS;
use crate::fields::names::EFFECTS;
use crate::server::{APPROVE_WORDS, ELICITATIONS, TRANSPORTS};

words!(Effect, words_of(&EFFECTS));
words!(Elicitation, words_of(&ELICITATIONS));
words!(Transport, TRANSPORTS);
words!(AuthType, ["oauth"]);
words!(ApproveWord, APPROVE_WORDS);
words!(ApproveRole, words_of(&APPROVERS));
words!(PresetName, crate::preset::NAMES);

/// An MCP server.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Server {
    /// Preset for a common server; `tarsy servers list` shows all presets and their keys. The other keys of this entry
    /// override the preset's values.
    preset: Option<Word<PresetName>>,
    /// For presets: address of the service.
    url: Option<Text>,
    /// For presets: token of a read-only account.
    token: Option<Text>,
    /// For presets: user name.
    username: Option<Text>,
    /// For presets: password.
    password: Option<Text>,
    /// For presets: API key.
    api_key: Option<Text>,
    /// For presets: application key.
    app_key: Option<Text>,
    /// For presets: site of the vendor.
    site: Option<Text>,
    /// For presets: organization.
    organization: Option<Text>,
    /// For presets: tenant.
    tenant: Option<Text>,
    /// For presets: project.
    project: Option<Text>,
    /// For presets: region.
    region: Option<Text>,
    /// For presets: profile of the credentials file.
    profile: Option<Text>,
    /// For presets: ID of the access key.
    access_key: Option<Text>,
    /// For presets: secret of the access key.
    secret_key: Option<Text>,
    /// For presets: role to assume with a workload identity token.
    role_arn: Option<Text>,
    /// For presets: file with the workload identity token.
    token_file: Option<Text>,
    /// For presets: subscription.
    subscription: Option<Text>,
    /// For presets: ID of the application.
    client_id: Option<Text>,
    /// For presets: secret of the application.
    client_secret: Option<Text>,
    /// For presets: file with the credentials of an account.
    credentials_file: Option<Text>,
    /// For presets: kubeconfig file.
    kubeconfig: Option<Text>,
    /// How to connect to the server.
    connection_params: Option<ConnectionParams>,
    /// Name of the entry; optional. If set, it must equal the entry's key.
    server_id: Option<Text>,
    /// Type of the server, e.g. `kubernetes`; shown in prompts. Default: custom.
    server_type: Option<Text>,
    /// Whether the server is started. Default: true.
    enabled: Option<Flag>,
    /// Instructions for the model on how to use the server.
    instructions: Option<Text>,
    /// Masking of the server's results. Default: the group `security`.
    data_masking: Option<Masking>,
    /// Effect of tools that are classified neither by `tool_effects` nor by the server's annotations. Default:
    /// destructive.
    default_effect: Option<Word<Effect>>,
    /// Effects of tools by name or pattern, e.g. `get_*`. They override the server's annotations.
    tool_effects: Option<BTreeMap<String, Word<Effect>>>,
    /// Tools of the server that agents can see. Default: all.
    allowed_tools: Option<Texts>,
    /// Calls that a person must approve: `destructive`, `all`, or a list of tool names. Default: none.
    approve: Option<Approve>,
    /// Minimum role that may approve these calls. Default: operator.
    approve_role: Option<Word<ApproveRole>>,
    /// Response if the server asks for user input during a call. Default: decline.
    elicitation: Option<Word<Elicitation>>,
}

/// A word, or a list of tool names.
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
    /// Program to run as a child process, found in `PATH`.
    command: Option<Text>,
    /// Arguments of the child process.
    args: Option<Vec<Text>>,
    /// Environment variables of the child process.
    env: Option<BTreeMap<String, Text>>,
    /// URL of the endpoint, http or https.
    url: Option<Text>,
    /// Headers to send with every request.
    headers: Option<BTreeMap<String, Text>>,
    /// Bearer token to send with every request.
    bearer_token: Option<Text>,
    /// OAuth client credentials, instead of `bearer_token`.
    auth: Option<Auth>,
    /// Whether to verify the server's certificate. Default: true.
    verify_tls: Option<Flag>,
    /// Maximum time to connect and initialize. Default: 30s.
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
    /// Client ID at the authorization server.
    client_id: Text,
    /// Client secret.
    client_secret: Option<Text>,
    /// Private key (PEM, PKCS #8; EC P-256 or RSA) that signs client assertions, instead of `client_secret`.
    private_key: Option<Text>,
    /// Key ID of `private_key`, sent as `kid`.
    private_key_id: Option<Text>,
    /// Scopes to request. Default: the scopes that the server asks for.
    scopes: Option<Texts>,
    /// Token endpoint. Default: discovered from the server's 401 response.
    token_url: Option<Text>,
    /// Resource that tokens are for. Default: the server's `url`.
    resource: Option<Text>,
}

/// Masking of secrets.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Masking {
    /// Whether masking is on. Default: true.
    enabled: Option<Flag>,
    /// Groups of patterns, e.g. `security`.
    pattern_groups: Option<Texts>,
    /// Individual patterns, e.g. `certificate`.
    patterns: Option<Texts>,
    /// Custom patterns.
    custom_patterns: Option<Vec<CustomPattern>>,
}

/// A custom pattern.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct CustomPattern {
    /// Name of the pattern in reports and metrics.
    name: Text,
    /// Regular expression.
    pattern: Text,
    /// Text that replaces a match. Default: a placeholder with the pattern's name.
    replacement: Option<Text>,
    /// Description, for people only.
    description: Option<Text>,
    /// Whether the pattern applies. Default: true.
    enabled: Option<Flag>,
}
