//! Environment variables that are set but never read.

use super::finding;
use crate::settings::{Environment, FILE_SUFFIX, Settings};
use crate::{Problem, suggest};

/// Prefix of tarsy's own variables.
const PREFIX: &str = "TARSY_";

/// Variables under the names of the older documents, and what to set instead.
const RENAMED: [(&str, &str); 7] = [
    ("AGENT_CONFIG_PATH", "AGENT_CONFIG_FILE"),
    ("GROK_API_KEY", "XAI_API_KEY"),
    ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ("HOST", "TARSY_LISTEN, as `host:port`"),
    ("PORT", "TARSY_LISTEN, as `host:port`"),
    ("CORS_ORIGINS", "TARSY_ALLOWED_ORIGINS"),
    (
        "MAX_LLM_MCP_ITERATIONS",
        "`limits.max_iterations` in the configuration file",
    ),
];

/// Variables that tests, the demo or the toolchain read, but [`Settings`] doesn't.
const FOREIGN: [&str; 2] = ["TARSY_API_KEY", "TARSY_URL"];

pub(super) fn findings(env: &Environment) -> Vec<Problem> {
    let described = Settings::describe();
    let known: Vec<&str> = described
        .iter()
        .map(|variable| variable.name)
        .chain(FOREIGN)
        .collect();
    let ours = env.names().filter(|name| name.starts_with(PREFIX));
    let unknown = ours
        // The variable may name a file with the value.
        .map(|name| match name.strip_suffix(FILE_SUFFIX) {
            Some(of_file) => (name, of_file, FILE_SUFFIX),
            None => (name, name, ""),
        })
        .filter(|(name, base, _)| !known.contains(name) && !known.contains(base))
        .map(|(name, base, suffix)| {
            finding(
                "environment",
                format!("unknown variable `{name}`: nothing reads it"),
                suggest::nearest(base, &known).map_or_else(
                    || "`tarsy check-config --variables` lists all".to_owned(),
                    |known| format!("did you mean `{known}{suffix}`?"),
                ),
            )
        });
    let renamed = RENAMED
        .iter()
        .filter(|(old, _)| env.value(old).is_some())
        .map(|(old, new)| {
            finding(
                "environment",
                format!("variable `{old}` has another name here: nothing reads it"),
                format!("set {new}"),
            )
        });
    unknown.chain(renamed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(names: &[&str]) -> Vec<String> {
        let env = Environment::from_pairs(names.iter().map(|name| (*name, "x")));
        findings(&env).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_misspelt_variable_gets_the_nearest_name() {
        let found = messages(&["TARSY_LISTN", "TARSY_LISTEN", "PATH"]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("`TARSY_LISTN`") && found[0].contains("did you mean `TARSY_LISTEN`?")
        );
    }

    #[test]
    fn files_of_variables_are_known_and_misspelt_ones_are_not() {
        let found = messages(&["TARSY_API_KEY_FILE", "TARSY_KNOWLEDGE_TOKN_FILE"]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("did you mean `TARSY_KNOWLEDGE_TOKEN_FILE`?"),
            "{found:?}"
        );
    }

    #[test]
    fn a_name_of_the_original_is_reported_as_renamed() {
        let found = messages(&["AGENT_CONFIG_PATH", "GROK_API_KEY"]);
        assert!(
            found[0].contains("AGENT_CONFIG_FILE") && found[1].contains("XAI_API_KEY"),
            "{found:?}"
        );
    }
}
