//! Tools in the form that an agent sees.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tarsy_model::EffectClass;

use crate::argument_check;
use crate::error::Refusal;
use crate::settings::EffectSettings;

/// One tool that an agent may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// Id of its server.
    pub server: String,
    /// Name at the server.
    pub name: String,
    /// Description of the tool, masked.
    pub description: String,
    /// JSON schema of its arguments, masked.
    pub input_schema: Value,
    /// Effect of a call.
    pub effect: EffectClass,
    /// Fingerprint of name, description and schema as the server sent them.
    pub pin: ToolPin,
}

impl ToolInfo {
    /// Returns `server.tool`, the form in text strategies.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }

    /// Returns `server__tool` in the form that native tool calling requires: at most 64 letters, digits, `_` and `-`.
    /// [`crate::AgentTools::resolve`] accepts this form.
    #[must_use]
    pub fn native_name(&self) -> String {
        native_name(&self.server, &self.name)
    }

    /// Whether arguments can be checked against the schema.
    #[must_use]
    pub fn has_usable_schema(&self) -> bool {
        argument_check::compile(&self.input_schema).is_ok()
    }

    /// Returns the refusal that a call with these arguments would get, judged by the schema that was shown. `None` if
    /// there is no problem, or the schema can't be used.
    #[must_use]
    pub fn refusal(&self, arguments: &Value) -> Option<Refusal> {
        // A masked value in the schema that was shown differs from the real one.
        if self.input_schema.to_string().contains("[MASKED_") {
            return None;
        }
        let validator = argument_check::compile(&self.input_schema).ok()?;
        let none = Value::Object(serde_json::Map::new());
        let arguments = match arguments {
            Value::Null => &none,
            arguments => arguments,
        };
        let problems = argument_check::problems(&validator, arguments, str::to_owned);
        (!problems.is_empty()).then(|| Refusal::InvalidArguments {
            server: self.server.clone(),
            tool: self.name.clone(),
            problems,
        })
    }
}

/// SHA-256 of a tool's name, description and schema, in hex.
///
/// If the pin changes within a session, the tool has changed. Show that, and refuse the call
/// ([`crate::CallOptions::pin`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolPin(String);

impl ToolPin {
    /// Computes the fingerprint of a tool.
    #[must_use]
    pub fn new(name: &str, description: &str, schema: &Value) -> Self {
        let mut hash = Sha256::new();
        for part in [name, description, &canonical(schema)] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(
            hash.finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        )
    }

    /// Returns the hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A server's hints about one tool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
}

/// Returns the effect of a tool. Configuration takes precedence over the server's annotations, and these over the
/// server's configured default.
pub(crate) fn effect_of(tool: &str, hints: Hints, settings: &EffectSettings) -> EffectClass {
    let declared = declared_effect(tool, hints, settings);
    declared
        .or(settings.default)
        .unwrap_or(EffectClass::Destructive)
}

/// Returns the effect that configuration or annotations state.
pub(crate) fn declared_effect(
    tool: &str,
    hints: Hints,
    settings: &EffectSettings,
) -> Option<EffectClass> {
    if let Some(effect) = configured(tool, settings) {
        return Some(effect);
    }
    match hints {
        // mcp-go writes these values, the protocol's defaults, for tools whose author set none.
        Hints {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
        }
        | Hints {
            read_only: None,
            destructive: None,
            idempotent: None,
        } => None,
        Hints {
            read_only: Some(true),
            ..
        } => Some(EffectClass::ReadOnly),
        Hints {
            destructive: Some(false),
            idempotent: Some(true),
            ..
        } => Some(EffectClass::Idempotent),
        // The protocol's default: a tool that is not declared harmless is destructive.
        _ => Some(EffectClass::Destructive),
    }
}

/// Returns the configured class of the tool's name, or of the longest pattern that matches it.
fn configured(tool: &str, settings: &EffectSettings) -> Option<EffectClass> {
    let named = settings.tools.get(tool);
    named.copied().or_else(|| {
        let fitting = settings
            .tools
            .iter()
            .filter(|(pattern, _)| fits(pattern, tool));
        let longest = fitting.max_by_key(|(pattern, _)| pattern.len());
        longest.map(|(_, effect)| *effect)
    })
}

/// Whether a name matches a pattern of `tool_effects`. Each `*` stands for any characters.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(left) = name.strip_prefix(head) else {
        return false;
    };
    let mut ends = left.char_indices().map(|(at, _)| at).chain([left.len()]);
    ends.any(|at| fits(rest, &left[at..]))
}

pub(crate) fn native_name(server: &str, tool: &str) -> String {
    let name: String = format!("{server}__{tool}")
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if name.len() <= 64 {
        return name;
    }
    let digest = ToolPin::new(&name, "", &Value::Null);
    format!("{}_{}", &name[..55], &digest.as_str()[..8])
}

fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let body: Vec<String> = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::String(key.clone()), canonical(value)))
                .collect();
            format!("{{{}}}", body.join(","))
        }
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(canonical).collect::<Vec<_>>().join(",")
            )
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn silence_about_effects_means_destructive_unless_configured() {
        let mut settings = EffectSettings::default();
        assert_eq!(
            effect_of("t", Hints::default(), &settings),
            EffectClass::Destructive
        );
        settings.default = Some(EffectClass::ReadOnly);
        assert_eq!(
            effect_of("t", Hints::default(), &settings),
            EffectClass::ReadOnly
        );
        let annotated = Hints {
            read_only: Some(false),
            ..Hints::default()
        };
        assert_eq!(
            effect_of("t", annotated, &settings),
            EffectClass::Destructive
        );
        settings.tools.insert("t".into(), EffectClass::Idempotent);
        assert_eq!(
            effect_of("t", annotated, &settings),
            EffectClass::Idempotent
        );
    }

    #[test]
    fn patterns_set_the_effects_of_many_tools() {
        let mut settings = EffectSettings::default();
        for (pattern, effect) in [
            ("get_*", EffectClass::ReadOnly),
            ("get_*_lock", EffectClass::Destructive),
            ("get_lock", EffectClass::Idempotent),
        ] {
            settings.tools.insert(pattern.to_owned(), effect);
        }
        for (tool, effect) in [
            ("get_pods", EffectClass::ReadOnly),
            ("get_my_lock", EffectClass::Destructive),
            ("get_lock", EffectClass::Idempotent),
            ("forget_pods", EffectClass::Destructive),
        ] {
            assert_eq!(
                effect_of(tool, Hints::default(), &settings),
                effect,
                "{tool}"
            );
        }
    }

    #[test]
    fn annotations_that_equal_the_defaults_state_nothing() {
        let defaults = Hints {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
        };
        let mut settings = EffectSettings::default();
        assert_eq!(
            effect_of("t", defaults, &settings),
            EffectClass::Destructive
        );
        settings.default = Some(EffectClass::ReadOnly);
        assert_eq!(effect_of("t", defaults, &settings), EffectClass::ReadOnly);
    }

    #[test]
    fn a_pin_ignores_key_order_and_sees_everything_else() {
        let pin = ToolPin::new("a", "b", &json!({"x": 1, "y": {"p": 1, "q": 2}}));
        assert_eq!(
            pin,
            ToolPin::new("a", "b", &json!({"y": {"q": 2, "p": 1}, "x": 1}))
        );
        assert_ne!(
            pin,
            ToolPin::new("a", "b.", &json!({"x": 1, "y": {"p": 1, "q": 2}}))
        );
        assert_ne!(
            pin,
            ToolPin::new("ab", "", &json!({"x": 1, "y": {"p": 1, "q": 2}}))
        );
    }

    #[test]
    fn native_names_fit_every_provider_and_stay_distinct() {
        assert_eq!(
            native_name("kubernetes-server", "pods.list"),
            "kubernetes-server__pods_list"
        );
        let long = |end: &str| native_name(&"s".repeat(60), &format!("tool{end}"));
        assert!(long("a").len() <= 64);
        assert_ne!(long("a"), long("b"));
    }
}
