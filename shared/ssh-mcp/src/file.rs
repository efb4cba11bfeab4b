//! The configuration file, as it is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use tarsy_mcp_server::{Argument, Effect};

use crate::template::Written;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) templates: BTreeMap<String, TemplateEntry>,
    /// Hosts that are reached and restricted alike.
    pub(crate) groups: BTreeMap<String, Group>,
    /// Patterns that no command line may match. Default: a list of our own.
    pub(crate) deny: Option<Vec<String>>,
    /// How long answers of read-only commands are repeated; 0: never.
    #[serde(default = "ten")]
    pub(crate) cache_seconds: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TemplateEntry {
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) command: Written,
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, Argument>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    /// Login on the hosts.
    pub(crate) user: String,
    /// Private key of the login.
    pub(crate) key: Key,
    #[serde(default = "ssh")]
    pub(crate) port: u16,
    /// The only vectors; `{word}` stands for any value of that type.
    pub(crate) allow: Vec<Written>,
    #[serde(default = "five")]
    pub(crate) timeout_seconds: u64,
    #[serde(default = "some")]
    pub(crate) max_output_bytes: usize,
    pub(crate) hosts: BTreeMap<String, Host>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Host {
    /// Name or address. Default: the host's name.
    pub(crate) address: Option<String>,
    pub(crate) port: Option<u16>,
    /// Public keys of the host, `ssh-ed25519 AAAA..`.
    pub(crate) host_keys: Vec<String>,
}

/// Where a private key is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Key {
    Env(String),
    File(PathBuf),
}

const fn ten() -> u64 {
    10
}

const fn five() -> u64 {
    5
}

const fn ssh() -> u16 {
    22
}

const fn some() -> usize {
    20_000
}
