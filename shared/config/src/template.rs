//! `${VAR}` in texts of the configuration file.

use std::collections::BTreeSet;

use crate::settings::Environment;

/// Fills in `${VAR}` from the environment, or else from the known defaults.
///
/// Names are `[A-Za-z_][A-Za-z0-9_]*`. Anything else after `$` stays as it is (`$HOME`, `${}`, `${1X}`), and `$${VAR}`
/// stands for the text `${VAR}`. Values are not expanded again: a value that contains `${X}` keeps it.
///
/// # Errors
///
/// Every name that has no value, sorted.
pub fn resolve(text: &str, env: &Environment) -> Result<String, BTreeSet<String>> {
    let mut out = String::with_capacity(text.len());
    let mut missing = BTreeSet::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, from) = rest.split_at(start);
        let Some(name) = name_at(from) else {
            out.push_str(before);
            out.push_str("${");
            rest = &from[2..];
            continue;
        };
        let after = &from[name.len() + 3..];
        if let Some(escaped) = before.strip_suffix('$') {
            out.push_str(escaped);
            out.push_str(&from[..name.len() + 3]);
        } else {
            out.push_str(before);
            match env
                .get(name)
                .map(str::to_owned)
                .or_else(|| default_of(name, env))
            {
                Some(value) => out.push_str(&value),
                None => {
                    missing.insert(name.to_owned());
                }
            }
        }
        rest = after;
    }
    out.push_str(rest);
    if missing.is_empty() {
        Ok(out)
    } else {
        Err(missing)
    }
}

/// Returns the variable's name if `text` starts with a complete `${NAME}`.
fn name_at(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix("${")?.split_once('}')?;
    let mut chars = name.chars();
    let first = chars.next()?;
    let valid = (first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    valid.then_some(name)
}

/// Returns the default of a variable that is not set.
fn default_of(name: &str, env: &Environment) -> Option<String> {
    match name {
        "KUBECONFIG" => Some(format!("{}/.kube/config", env.get("HOME").unwrap_or("~"))),
        // A model that is small enough for a laptop.
        "OLLAMA_MODEL" => Some("qwen3:8b".to_owned()),
        _ => None,
    }
}
