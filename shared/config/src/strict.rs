//! Strict checks. They find settings that do not prevent the start, but are most likely mistakes.

mod environment;
pub(crate) mod providers;

use crate::settings::Environment;
use crate::{Config, Problem};

/// Returns the oddities of a valid configuration and its environment: secrets that are not set, stages without a usable
/// LLM provider, cycles of fallbacks, variables that are never read. The warnings of [`Config::warnings`] come first.
/// `tarsy check-config --strict` fails if there are any; `tarsy doctor` lists them.
#[must_use]
pub fn strict_findings(config: &Config, env: &Environment) -> Vec<Problem> {
    let mut findings = config.warnings.clone();
    findings.extend(providers::findings(config));
    findings.extend(secrets(config));
    findings.extend(environment::findings(env));
    findings
}

/// Reports secrets whose variable is named but not set.
fn secrets(config: &Config) -> Vec<Problem> {
    let mut findings = Vec::new();
    for source in config.webhooks.values() {
        if !source.secrets_env.is_empty() && source.secrets.is_empty() {
            findings.push(finding(
                &config.source,
                format!(
                    "webhook source `{}`: no secret is set; every request is rejected",
                    source.source
                ),
                format!("set {}", source.secrets_env.join(" or ")),
            ));
        }
    }
    for target in config.notifications.values().filter(|t| !t.is_usable()) {
        findings.push(finding(
            &config.source,
            format!(
                "notification target `{}`: its URL or secret is not set; nothing is sent",
                target.name
            ),
            "set the variables of `url_env` and `secret_env`".to_owned(),
        ));
    }
    findings
}

/// Creates a finding about `file` as a whole.
fn finding(file: &str, message: String, hint: String) -> Problem {
    Problem {
        file: file.to_owned(),
        at: crate::Position::default(),
        message,
        hint: Some(hint),
        snippet: None,
    }
}
