//! The configuration without secrets.

pub(crate) mod handlers;

use serde::Serialize;
use serde_json::{Map, Value, json};
use tarsy_config::Config;
use utoipa::ToSchema;

/// Configuration that this process has loaded. Secrets are shown as `[secret]` or as their template.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ConfigView {
    /// Path of the file, or `built-in`.
    source: String,
    /// SHA-256 of the file.
    hash: String,
    #[schema(value_type = Vec<Object>)]
    agents: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    chains: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    mcp_servers: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    llm_providers: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    webhook_sources: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    notifications: Vec<Value>,
    /// Defaults, limits, masking, prices, retention, runbooks.
    #[schema(value_type = Object)]
    settings: Value,
}

impl ConfigView {
    /// # Errors
    ///
    /// If a part can't be serialised, which does not happen with a valid configuration.
    pub(crate) fn from_config(config: &Config) -> Result<Self, serde_json::Error> {
        Ok(Self {
            source: config.source.clone(),
            hash: config.hash.clone(),
            agents: all(config.agents.values())?,
            chains: all(config.chains.values())?,
            mcp_servers: all(config.servers.values())?,
            llm_providers: all(config.providers.values())?,
            webhook_sources: all(config.webhooks.values())?,
            notifications: all(config.notifications.values())?,
            settings: shown(json!({
                "default_llm_provider": config.default_provider().map(|provider| &provider.name),
                "summary_provider": config.summary_provider,
                "default_iteration_strategy": config.default_strategy,
                "limits": config.limits,
                "alert_masking": config.alert_masking,
                "guardrails": config.guardrails,
                "knowledge": config.knowledge,
                "prices": config.prices,
                "retention": config.retention,
                "runbooks": config.runbooks,
            })),
        })
    }

    /// Adds the environment's settings.
    pub(crate) fn with_settings(mut self, more: Map<String, Value>) -> Self {
        if let Value::Object(settings) = &mut self.settings {
            settings.extend(more);
        }
        self
    }
}

fn all<T: Serialize>(parts: impl Iterator<Item = T>) -> Result<Vec<Value>, serde_json::Error> {
    parts
        .map(|part| serde_json::to_value(part).map(shown))
        .collect()
}

/// Formats durations and removes credentials from addresses.
fn shown(value: Value) -> Value {
    match value {
        Value::Object(members) => match duration(&members) {
            Some(duration) => duration.into(),
            None => Value::Object(members.into_iter().map(|(k, v)| (k, shown(v))).collect()),
        },
        Value::Array(values) => values.into_iter().map(shown).collect(),
        Value::String(text) => without_credentials(text).into(),
        other => other,
    }
}

fn duration(members: &Map<String, Value>) -> Option<String> {
    let number = |name: &str| members.get(name).and_then(Value::as_u64);
    let (secs, nanos) = (number("secs")?, number("nanos")?);
    (members.len() == 2).then(|| match nanos / 1_000_000 {
        0 => format!("{secs}s"),
        millis => format!("{}ms", secs.saturating_mul(1_000).saturating_add(millis)),
    })
}

/// Replaces user and password in `https://user:password@host`.
fn without_credentials(text: String) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    match authority.rsplit_once('@') {
        Some((credentials, _)) => {
            let remainder = rest.get(credentials.len()..).unwrap_or_default();
            format!("{scheme}://[secret]{remainder}")
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::shown;

    #[test]
    fn durations_are_readable_and_credentials_in_addresses_are_not() {
        let value = json!({
            "timeout": {"secs": 30, "nanos": 0}, "poll": {"secs": 1, "nanos": 500_000_000},
            "urls": ["https://user:hunter2@host/a@b", "https://host/a@b", "a@b"],
        });
        assert_eq!(
            shown(value),
            json!({
                "timeout": "30s", "poll": "1500ms",
                "urls": ["https://[secret]@host/a@b", "https://host/a@b", "a@b"],
            })
        );
    }
}
