//! The configuration that a stage runs with: agent, prompt, limits, tools, provider and model, identified by a hash.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tarsy_config::Config;
use tarsy_masking::Masker;
use tarsy_model::ReplyFormat;
use tarsy_store::stages::BegunStage;

/// A configuration and its hash.
#[derive(Debug)]
pub struct StageConfiguration {
    /// SHA-256 of the configuration, in hex.
    pub hash: String,
    /// The stage's configuration, without secrets.
    pub value: Value,
}

impl StageConfiguration {
    fn new(mut value: Value) -> Self {
        // Sorted, so that equal configurations have equal texts.
        value.sort_all_objects();
        let digest = Sha256::digest(value.to_string().as_bytes());
        let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { hash, value }
    }
}

/// Agent, strategy, provider, sub-agents and model options (as JSON) of a stage. Together with the configuration file
/// they determine its configuration.
type Key = (
    String,
    Option<String>,
    Option<String>,
    Option<Vec<String>>,
    String,
);

/// Configurations of the stages that this process has run. Each is computed once.
#[derive(Debug, Default)]
pub(crate) struct Configurations(Mutex<HashMap<Key, Arc<StageConfiguration>>>);

impl Configurations {
    /// Returns the configuration of `stage`; `None` if no configured agent runs it.
    pub(crate) fn for_stage(
        &self,
        stage: &BegunStage,
        config: &Config,
        masker: &Masker,
    ) -> Option<Arc<StageConfiguration>> {
        let key = (
            stage.agent.clone(),
            stage.strategy.clone(),
            stage.llm_provider.clone(),
            stage.sub_agents().map(<[String]>::to_vec),
            json!(stage.model_options()).to_string(),
        );
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return Some(Arc::clone(found));
        }
        let value = masker.mask_json(&describe(stage, config)?).0;
        let configuration = Arc::new(StageConfiguration::new(value));
        known.insert(key, Arc::clone(&configuration));
        Some(configuration)
    }
}

fn describe(stage: &BegunStage, config: &Config) -> Option<Value> {
    let agent = config.agent(stage.agent_name())?;
    let named = stage.llm_provider.as_ref().or(agent.llm_provider.as_ref());
    let provider = named.map_or_else(|| config.default_provider(), |name| config.provider(name));
    let provider = provider.map(|provider| {
        let mut described = json!({
            "name": provider.name, "kind": provider.kind, "model": provider.model, "temperature": provider.temperature,
            "max_tokens": provider.max_tokens, "fallbacks": provider.fallbacks,
        });
        if provider.reply_format != ReplyFormat::Auto {
            described["reply_format"] = json!(provider.reply_format);
        }
        described
    });
    let servers = config.servers_of(agent).into_iter().map(|server| {
        json!({
            "id": server.server_id, "instructions": server.instructions, "default_effect": server.default_effect,
            "tool_effects": server.tool_effects, "allowed_tools": server.allowed_tools,
        })
    });
    let mut described = json!({
        // The built-in prompts and strategies are part of the program.
        "program": env!("CARGO_PKG_VERSION"),
        "agent": agent.name,
        "strategy": stage.strategy,
        "instructions": agent.custom_instructions,
        "limits": agent.limits,
        "sub_agents": stage.sub_agents().unwrap_or(&agent.sub_agents),
        "tools": {
            "only": agent.tools, "allow_writes": agent.allow_writes, "allow_destructive": agent.allow_destructive,
        },
        "servers": servers.collect::<Vec<_>>(),
        "provider": provider,
    });
    let options = Config::model_options(stage.model_options(), Some(agent));
    if !options.is_empty() {
        described["model_options"] = json!(options);
    }
    if let Some(summarizer) = &config.summary_provider {
        let model = config.provider(summarizer).map(|provider| &provider.model);
        described["summaries"] = json!({"provider": summarizer, "model": model});
    }
    if let Some(code) = &agent.code {
        described["code"] = json!(code);
    }
    Some(described)
}

/// Hashes of the configurations that are known to be stored in the database.
#[derive(Debug, Default)]
pub(crate) struct StoredHashes(Mutex<HashSet<String>>);

impl StoredHashes {
    pub(crate) fn contains(&self, hash: &str) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(hash)
    }

    pub(crate) fn insert(&self, hash: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(hash.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::StageConfiguration;

    #[test]
    fn equal_configurations_have_equal_hashes() {
        let one = StageConfiguration::new(json!({"agent": "a", "limits": {"x": 1, "y": 2}}));
        let same = StageConfiguration::new(json!({"limits": {"y": 2, "x": 1}, "agent": "a"}));
        let other = StageConfiguration::new(json!({"agent": "a", "limits": {"x": 1, "y": 3}}));
        assert_eq!((one.hash.len(), &one.hash), (64, &same.hash));
        assert_ne!(one.hash, other.hash);
    }
}
