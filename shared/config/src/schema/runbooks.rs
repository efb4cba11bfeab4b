//! Runbooks, approvals and retention.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Flag, Length, Text, Texts, Variable, Whole};

/// Where runbooks may come from.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Runbooks {
    /// Allowed hosts besides GitHub, as `host` or `host:port`.
    allowed_hosts: Option<Texts>,
    /// GitHub Enterprise servers.
    github_enterprise: Option<Vec<GitHub>>,
    /// Allowed GitHub repositories, as `owner/name`; `*` stands for any characters.
    allowed_repositories: Option<Texts>,
    /// Allowed hosts that may have private addresses.
    private_hosts: Option<Texts>,
    /// Allowed hosts that are called without TLS; for tests.
    http_hosts: Option<Texts>,
    /// Directory of `local:<name>` runbooks. Default: config/runbooks.
    local_dir: Option<Text>,
    /// Longest fetch, redirects included. Default: 10s.
    timeout: Option<Length>,
    /// Largest runbook in bytes. Default: 1048576.
    max_bytes: Option<Whole<1, 67_108_864>>,
}

/// A GitHub Enterprise server.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct GitHub {
    /// Host of the pages, e.g. `git.example.com`.
    host: Text,
    /// Environment variable with the server's token.
    token_env: Variable,
    /// Host of raw files, if it is another one.
    raw_host: Option<Text>,
    /// Base URL of the REST API. Default: https://<host>/api/v3.
    api_url: Option<Text>,
}

/// Rules of approvals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Approvals {
    /// Whether somebody may approve what they asked for themselves by a message or a question. Default: false.
    own_requests: Option<Flag>,
    /// Further names of people, by one of their names: keys, users of Slack and of the identity provider. Who asked under one of them does not approve under another.
    same_person: Option<BTreeMap<String, Texts>>,
}

/// How long data is kept.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Retention {
    /// Days that finished sessions are kept. Default: 90. `HISTORY_RETENTION_DAYS` overrides it.
    history_days: Option<Whole<1, 36_500>>,
    /// How long events are kept for clients that reconnect. Default: 24h.
    events: Option<Length>,
}
