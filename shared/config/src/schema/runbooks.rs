//! Runbooks, approvals and retention.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Flag, Length, Text, Texts, Variable};
use crate::retention::Days;
use crate::runbooks::MaxBytes;

/// Allowed sources of runbooks.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Runbooks {
    /// Allowed hosts besides GitHub, as `host` or `host:port`.
    allowed_hosts: Option<Texts>,
    /// GitHub Enterprise servers.
    github_enterprise: Option<Vec<GitHub>>,
    /// Allowed GitHub repositories, as `owner/name`; `*` matches any characters. Default: all.
    allowed_repositories: Option<Texts>,
    /// Allowed hosts that may have private addresses.
    private_hosts: Option<Texts>,
    /// Allowed hosts that are called without TLS. For tests only.
    http_hosts: Option<Texts>,
    /// Directory of `local:<name>` runbooks. Default: config/runbooks.
    local_dir: Option<Text>,
    /// Maximum duration of a fetch, including redirects. Default: 10s.
    timeout: Option<Length>,
    /// Maximum size of a runbook, in bytes. Default: 1048576.
    max_bytes: Option<MaxBytes>,
}

/// A GitHub Enterprise server.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct GitHub {
    /// Host of the web pages, e.g. `git.example.com`.
    host: Text,
    /// Name of the environment variable with the server's token.
    token_env: Variable,
    /// Host of raw files, if different.
    raw_host: Option<Text>,
    /// Base URL of the REST API. Default: https://<host>/api/v3.
    api_url: Option<Text>,
}

/// Rules for approvals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Approvals {
    /// Whether people may approve what they requested themselves by a message or a question. Default: false.
    own_requests: Option<Flag>,
    /// Other names of the same person (API keys, Slack users, users of the identity provider), by one of their names. A
    /// person who requested something under one name can't approve it under another.
    same_person: Option<BTreeMap<String, Texts>>,
}

/// How long data is kept.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Retention {
    /// Number of days that ended sessions are kept. Default: 90. `HISTORY_RETENTION_DAYS` overrides it.
    history_days: Option<Days>,
    /// How long events are kept for clients that reconnect. Default: 24h.
    events: Option<Length>,
}
