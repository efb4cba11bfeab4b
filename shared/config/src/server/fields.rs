//! Keys of MCP servers.

use tarsy_model::EffectClass;

use super::{Approve, Elicitation};
use crate::approvals::Approver;
use crate::fields::{ByName, Flag, Length, Text, Texts, Word, choice, section};
use crate::masking::MaskingFields;
use crate::oauth::OAuthFields;

choice!(struct PresetName = crate::preset::NAMES);
choice!(struct Transport = ["stdio", "http", "streamable-http", "sse"]);
choice!(Elicitation: Self = [
    ("decline", Elicitation::Decline),
    ("accept_defaults", Elicitation::AcceptDefaults),
]);

section! {
    /// An MCP server.
    struct ServerFields("Server", "MCP server") {
        /// Preset for a common server; `tarsy servers list` shows all presets and their keys. The other keys of this entry
        /// override the preset's values.
        preset: Word<PresetName>,
        /// For presets: address of the service.
        url: Text,
        /// For presets: token of a read-only account.
        token: Text,
        /// For presets: user name.
        username: Text,
        /// For presets: password.
        password: Text,
        /// For presets: API key.
        api_key: Text,
        /// For presets: application key.
        app_key: Text,
        /// For presets: site of the vendor.
        site: Text,
        /// For presets: organization.
        organization: Text,
        /// For presets: tenant.
        tenant: Text,
        /// For presets: project.
        project: Text,
        /// For presets: region.
        region: Text,
        /// For presets: profile of the credentials file.
        profile: Text,
        /// For presets: ID of the access key.
        access_key: Text,
        /// For presets: secret of the access key.
        secret_key: Text,
        /// For presets: role to assume with a workload identity token.
        role_arn: Text,
        /// For presets: file with the workload identity token.
        token_file: Text,
        /// For presets: subscription.
        subscription: Text,
        /// For presets: ID of the application.
        client_id: Text,
        /// For presets: secret of the application.
        client_secret: Text,
        /// For presets: file with the credentials of an account.
        credentials_file: Text,
        /// For presets: kubeconfig file.
        kubeconfig: Text,
        /// How to connect to the server.
        connection_params: ConnectionFields,
        /// Name of the entry; optional. If set, it must equal the entry's key.
        server_id: Text,
        /// Type of the server, e.g. `kubernetes`; shown in prompts. Default: custom.
        server_type: Text,
        /// Whether the server is started. Default: true.
        enabled: Flag,
        /// Instructions for the model on how to use the server.
        instructions: Text,
        /// Masking of the server's results. Default: the group `security`.
        data_masking: MaskingFields,
        /// Effect of tools that are classified neither by `tool_effects` nor by the server's annotations. Default:
        /// destructive.
        default_effect: Word<EffectClass>,
        /// Effects of tools by name or pattern, e.g. `get_*`. They override the server's annotations.
        tool_effects: ByName<Word<EffectClass>>,
        /// Tools of the server that agents can see. Default: all.
        allowed_tools: Texts,
        /// Calls that a person must approve: `destructive`, `all`, or a list of tool names. Default: none.
        approve: Approve,
        /// Minimum role that may approve these calls. Default: operator.
        approve_role: Word<Approver>,
        /// Response if the server asks for user input during a call. Default: decline.
        elicitation: Word<Elicitation>,
    }
}

section! {
    /// A child process (`command`) or an endpoint (`url`).
    struct ConnectionFields("ConnectionParams") any of command, url {
        /// Transport. Default: `stdio` with a `command`, `http` with a `url`.
        transport: Word<Transport>,
        /// Program to run as a child process, found in `PATH`.
        command: Text,
        /// Arguments of the child process.
        args: Vec<Text>,
        /// Environment variables of the child process.
        env: ByName<Text>,
        /// URL of the endpoint, http or https.
        url: Text,
        /// Headers to send with every request.
        headers: ByName<Text>,
        /// Bearer token to send with every request.
        bearer_token: Text,
        /// OAuth client credentials, instead of `bearer_token`.
        auth: OAuthFields,
        /// Whether to verify the server's certificate. Default: true.
        verify_tls: Flag,
        /// Maximum time to connect and initialize. Default: 30s.
        timeout: Length,
    }
}
