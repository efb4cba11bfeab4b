//! Helpers for the tests of configuration files.

use tarsy_config::{Config, Environment, Problems, Source};

/// Loads a text as if it were the file.
pub(crate) fn load(text: &str, env: &[(&str, &str)]) -> Result<Config, Problems> {
    let source = Source::Text {
        name: "agents.yaml".to_owned(),
        text: text.to_owned(),
    };
    Config::load(&source, &Environment::from_pairs(env.iter().copied()))
}

/// Returns the report on a text that must not load.
pub(crate) fn problems(text: &str, env: &[(&str, &str)]) -> String {
    load(text, env).expect_err("has problems").to_string()
}
