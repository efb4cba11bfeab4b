//! The configuration file in the form in which it is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use tarsy_mcp_server::{Argument, Effect};

use crate::template::Written;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) templates: BTreeMap<String, TemplateEntry>,
    /// Groups of hosts with the same login and restrictions.
    pub(crate) groups: BTreeMap<String, Group>,
    /// Patterns that no command line may match. Default: a built-in list.
    pub(crate) deny: Option<Vec<String>>,
    /// How long answers of read-only commands are reused, in seconds; 0: never. Default: 10.
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
    /// User name of the login on the hosts.
    pub(crate) user: String,
    /// Private key of the login.
    pub(crate) key: Key,
    #[serde(default = "ssh")]
    pub(crate) port: u16,
    /// The only vectors that may run. `{word}` stands for any value of that type.
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
    /// Host name or address. Default: the name of this entry.
    pub(crate) address: Option<String>,
    pub(crate) port: Option<u16>,
    /// Public keys of the host, e.g. `ssh-ed25519 AAAA..`.
    pub(crate) host_keys: Vec<String>,
}

/// Location of a private key.
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
