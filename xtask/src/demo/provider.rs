//! The model of the demo: a real one if there is a key, otherwise the scripted one.

/// API key variables and their providers.
const KEYS: [(&str, &str); 5] = [
    ("GEMINI_API_KEY", "gemini"),
    ("OPENAI_API_KEY", "openai"),
    ("XAI_API_KEY", "xai"),
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OLLAMA_BASE_URL", "ollama"),
];

/// The LLM provider of the demo.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Provider {
    /// The scripted model, because no key is set.
    Scripted,
    /// A real model, and the variable that selected it.
    Real {
        name: String,
        because_of: &'static str,
    },
}

/// Returns `DEFAULT_LLM_PROVIDER` if it is set, or else the provider of the first key found.
pub(super) fn choose() -> Provider {
    from(|variable| std::env::var(variable).ok())
}

fn from(variable: impl Fn(&str) -> Option<String>) -> Provider {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    if let Some(name) = set("DEFAULT_LLM_PROVIDER") {
        return match name.as_str() {
            "scripted" => Provider::Scripted,
            _ => Provider::Real {
                name,
                because_of: "DEFAULT_LLM_PROVIDER",
            },
        };
    }
    let found = KEYS.into_iter().find(|(key, _)| set(key).is_some());
    found.map_or(Provider::Scripted, |(because_of, name)| Provider::Real {
        name: name.into(),
        because_of,
    })
}

impl Provider {
    /// Returns the value of `DEFAULT_LLM_PROVIDER` for the fleet.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Scripted => "scripted",
            Self::Real { name, .. } => name,
        }
    }

    /// Explains the choice to the user.
    pub(super) fn explanation(&self) -> String {
        match self {
            Self::Scripted => {
                let keys: Vec<_> = KEYS.iter().map(|(key, _)| *key).collect();
                format!(
                    "no model's key is set, so the SCRIPTED model plays: its answers are written down \
                     beforehand; the tools it calls are real.\n    Set one of {} to see a real one.",
                    keys.join(", ")
                )
            }
            Self::Real { name, because_of } => {
                format!("the model is `{name}`, because {because_of} is set")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_brings_its_provider_and_none_the_script() {
        assert_eq!(from(|_| None), Provider::Scripted);
        let xai = from(|name| (name == "XAI_API_KEY").then(|| "key".into()));
        assert_eq!(xai.name(), "xai");
        assert_eq!(
            from(|name| (name == "XAI_API_KEY").then(|| " ".into())),
            Provider::Scripted
        );
    }

    #[test]
    fn the_users_choice_precedes_the_keys() {
        let chosen = from(|name| match name {
            "DEFAULT_LLM_PROVIDER" => Some("scripted".into()),
            "OPENAI_API_KEY" => Some("key".into()),
            _ => None,
        });
        assert_eq!(chosen, Provider::Scripted);
    }
}
