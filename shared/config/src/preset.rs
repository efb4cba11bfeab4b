//! Presets: tool servers that a single line of the configuration sets up.
//!
//! A preset is a YAML file in `presets`. It contains the pinned package, the keys that a person sets, the effect of
//! each tool, and the tools that agents are offered. docs/SERVERS.md lists all presets.

mod catalogue;
mod expand;
mod package;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use tarsy_model::EffectClass;

use crate::fields::{Field, Text};
use crate::server::fields::ServerFields;

pub(crate) use self::catalogue::NAMES;
pub use self::catalogue::{preset, presets};
pub(crate) use self::expand::expand;
pub use self::package::{Package, Registry};

/// The keys of servers.
const SERVER: ServerFields = ServerFields::FIELDS;

/// Keys that a person can set next to `preset`. Each preset accepts some of them. A key means the same in every preset,
/// so that the schema of the configuration file can list them.
pub(crate) const KEYS: [Field<Text>; 21] = [
    SERVER.url,
    SERVER.token,
    SERVER.username,
    SERVER.password,
    SERVER.api_key,
    SERVER.app_key,
    SERVER.site,
    SERVER.organization,
    SERVER.tenant,
    SERVER.project,
    SERVER.region,
    SERVER.profile,
    SERVER.access_key,
    SERVER.secret_key,
    SERVER.role_arn,
    SERVER.token_file,
    SERVER.subscription,
    SERVER.client_id,
    SERVER.client_secret,
    SERVER.credentials_file,
    SERVER.kubeconfig,
];

/// Whether `name` is one of [`KEYS`].
pub(crate) fn is_key(name: &str) -> bool {
    KEYS.iter().any(|key| key.name() == name)
}

/// A tool server that a single line of the configuration sets up.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The value of `preset`, e.g. `grafana`.
    #[serde(skip_deserializing)]
    pub name: &'static str,
    /// What the server gives access to, for people.
    pub summary: String,
    /// URL of the server's own documentation.
    pub documentation: String,
    /// Kind of the server, shown in prompts.
    pub server_type: String,
    /// The package with the server's program.
    pub package: Package,
    /// Arguments after the program, e.g. the server's own read-only switch.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables with a fixed value.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Longest time to start and answer `initialize`, including the download.
    #[serde(default = "long", deserialize_with = "duration")]
    pub timeout: Duration,
    /// Keys that a person sets next to `preset`, in the order in which they are asked for.
    pub keys: Vec<PresetKey>,
    /// Tools that agents are offered. All of them are read-only.
    pub tools: Vec<String>,
    /// Effects of the server's other tools. They are offered only if `allowed_tools` of the configuration lists them.
    #[serde(default, deserialize_with = "by_tool")]
    pub other_tools: BTreeMap<String, EffectClass>,
    /// Groups of patterns that are masked in results.
    #[serde(default)]
    pub masking: Vec<String>,
    /// Guidance for the model.
    pub instructions: String,
    /// Advice for the case that the server cannot be started.
    pub missing: String,
    /// Whether the pinned version was started and its tools were listed, as a test of the preset.
    pub tried: Tried,
}

/// A value that a person gives next to `preset`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetKey {
    /// Name in the configuration, e.g. `token`.
    pub key: String,
    /// Where the value is passed to the server.
    pub goes_to: Destination,
    /// Whether the server is useless without the value.
    #[serde(default)]
    pub required: bool,
    /// Description for people.
    pub about: String,
}

/// Where the value of a key is passed to the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    /// An environment variable of the server.
    Env(String),
    /// The argument after this flag.
    Argument(String),
}

/// Result of trying a preset.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Tried {
    /// The pinned version was started, and listed its tools.
    On {
        /// Day on which it was tried, e.g. `2026-11-29`.
        date: String,
        /// Number of tools it listed when started with the preset's settings.
        tools: usize,
    },
    /// It was not started.
    No {
        /// Requirements for trying it.
        needs: String,
    },
}

impl Preset {
    /// Returns the effect of every tool that the preset lists.
    pub fn effects(&self) -> impl Iterator<Item = (&str, EffectClass)> {
        let offered = self.tools.iter().map(|tool| (tool, EffectClass::ReadOnly));
        let others = self
            .other_tools
            .iter()
            .map(|(tool, effect)| (tool, *effect));
        offered
            .chain(others)
            .map(|(tool, effect)| (tool.as_str(), effect))
    }

    /// Returns the lines of an entry of `mcp_servers`, without indentation. Optional keys are commented out.
    #[must_use]
    pub fn entry(&self, name: &str) -> String {
        self.entry_with(name, |key| key.required)
    }

    /// Like [`Self::entry`], with the keys for which `is_given` is true. All others are commented out.
    pub fn entry_with(&self, name: &str, is_given: impl Fn(&PresetKey) -> bool) -> String {
        let mut lines = format!("{name}:\n  preset: {}\n", self.name);
        for key in &self.keys {
            let mark = if is_given(key) { "" } else { "# " };
            let (name, variable, about) = (&key.key, key.variable(), &key.about);
            lines.push_str(&format!("  {mark}{name}: \"${{{variable}}}\"  # {about}\n"));
        }
        lines
    }
}

impl PresetKey {
    /// Returns the environment variable that documents and `tarsy servers add` suggest for the value.
    #[must_use]
    pub fn variable(&self) -> String {
        match &self.goes_to {
            Destination::Env(name) => name.clone(),
            Destination::Argument(_) => self.key.to_ascii_uppercase(),
        }
    }
}

/// Long, because the package may have to be downloaded first.
const fn long() -> Duration {
    Duration::from_secs(120)
}

/// Reads a duration such as `30s`.
fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text).map_err(D::Error::custom)
}

/// Reads tools by their effect.
fn by_tool<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, EffectClass>, D::Error> {
    let by_effect = BTreeMap::<String, Vec<String>>::deserialize(deserializer)?;
    let mut effects = BTreeMap::new();
    for (effect, tools) in by_effect {
        let effect = EffectClass::from_word(&effect);
        let effect = effect.ok_or_else(|| D::Error::custom("an unknown effect"))?;
        effects.extend(tools.into_iter().map(|tool| (tool, effect)));
    }
    Ok(effects)
}
