//! Prints the verdict on an answer.

use serde_json::Value;
use tarsy_model::SessionVerdict;

use crate::output::{bold, harmless, members, styled};

/// Returns the verdict of a session or of an entry in a list, if it has one.
pub(crate) fn from_session(session: &Value) -> Option<SessionVerdict> {
    SessionVerdict::from_word(session.get("verdict")?.as_str()?)
}

/// Returns the word of a verdict, in a colour that shows whether it is good or bad.
pub(crate) fn word(verdict: SessionVerdict) -> String {
    let code = match verdict {
        SessionVerdict::Supported | SessionVerdict::NoFault => "32",
        SessionVerdict::PartlySupported | SessionVerdict::Inconclusive => "33",
        SessionVerdict::Unsupported | SessionVerdict::NotInvestigated => "31",
        SessionVerdict::NotChecked => "2",
    };
    styled(code, verdict.as_str())
}

/// Prints a session's label or why it has none, its verdict, what was checked, and the names that no tool result
/// contains.
pub(crate) fn print(session: &Value) {
    let text_of = |name: &str| session.get(name).and_then(Value::as_str);
    let none = text_of("label_error").map(|why| format!("none: {why}"));
    if let Some(label) = text_of("label").map(str::to_owned).or(none) {
        println!("{} {}", bold("Label:"), harmless(&label));
    }
    let Some(verdict) = from_session(session) else {
        return;
    };
    let check = session.get("verdict_check");
    let summary = check.and_then(|check| check.get("summary")?.as_str());
    println!(
        "{} {}",
        word(verdict),
        harmless(summary.unwrap_or_default())
    );
    let unknown: Vec<&str> = check
        .into_iter()
        .flat_map(|check| members(check, "unknown_names"))
        .filter_map(Value::as_str)
        .collect();
    if !unknown.is_empty() {
        let names = harmless(&unknown.join(", "));
        println!("{} {names}", bold("Names that no tool showed:"));
    }
}
