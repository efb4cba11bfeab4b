//! Export of a session as a Markdown report.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sessions::child::ChildDetail;
use crate::sessions::detail::{Interaction, SessionDetail, StageDetail};
use crate::sessions::export::plain;

/// Returns the label, or why there is none.
fn label_line(session: &SessionDetail) -> String {
    let none = session.label_error.as_ref();
    let none = none.map(|why| format!("none: {why}"));
    session.label.clone().or(none).unwrap_or_default()
}

/// Returns the verdict and what was checked.
fn verdict_line(session: &SessionDetail) -> String {
    let Some(verdict) = &session.verdict else {
        return String::new();
    };
    let check = session.verdict_check.as_ref();
    let summary = check.and_then(|check| check.get("summary")?.as_str());
    format!("{verdict}. {}", summary.unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// Returns the rating with its faults, e.g. `wrong: wrong_cause, invented`.
fn rating_line(session: &SessionDetail) -> String {
    let Some(rating) = session.care.rating else {
        return String::new();
    };
    match session.care.faults.is_empty() {
        true => rating.to_string(),
        false => format!("{rating}: {}", session.care.faults.join(", ")),
    }
}

/// Exports a session as a report: outcome, alert, and then each stage with its interactions.
pub(crate) fn markdown(session: &SessionDetail) -> String {
    let mut text = format!("# Session {}\n\n", session.session_id);
    let outcome = session
        .outcome
        .map(|outcome| format!(" ({outcome})"))
        .unwrap_or_default();
    for (name, value) in [
        ("Alert type", session.alert_type.clone()),
        ("Severity", session.severity.clone()),
        ("Status", format!("{}{outcome}", session.status)),
        ("Chain", session.chain_id.clone()),
        (
            "Duration",
            session
                .duration_ms
                .map(|ms| format!("{ms} ms"))
                .unwrap_or_default(),
        ),
        ("Verdict", verdict_line(session)),
        ("Label", label_line(session)),
        ("Error", session.error_message.clone().unwrap_or_default()),
        ("Rating", rating_line(session)),
        (
            "Right cause",
            session.care.right_cause.clone().unwrap_or_default(),
        ),
    ] {
        if !value.is_empty() {
            let _ = writeln!(text, "- **{name}:** {}", inline(&value));
        }
    }
    if let Some(analysis) = &session.final_analysis {
        let _ = write!(text, "\n## Analysis\n\n{analysis}\n");
    }
    for turn in &session.conversation {
        let _ = write!(text, "\n## Question: {}\n", inline(&turn.question));
        let none = || format!("No answer ({}).", turn.status);
        let answer = turn.answer.clone().or_else(|| turn.error_message.clone());
        let _ = write!(text, "\n{}\n", answer.unwrap_or_else(none));
    }
    if !session.gaps.is_empty() {
        text.push_str("\n## Gaps in the investigation\n\n");
        for gap in &session.gaps {
            let _ = writeln!(text, "- {}", inline(&gap.line()));
        }
    }
    text.push_str("\n## Alert\n\n");
    fence(&mut text, "json", &indented(session.alert_data.get()));
    for stage in &session.stages {
        let _ = write!(
            text,
            "\n## Stage {}: {}{} (attempt {}, {})\n\nAgent {}\n",
            stage.stage_index + 1,
            inline(&stage.stage_name),
            stage
                .branch_name
                .as_deref()
                .map(|name| format!(", branch {}", inline(name)))
                .unwrap_or_default(),
            stage.attempt,
            stage.status,
            inline(&stage.agent)
        );
        if let Some(error) = &stage.error_message {
            let _ = write!(text, "\nError: {}\n", inline(error));
        }
        claims(&mut text, stage);
        let of_stage = |child: &&ChildDetail| child.parent_execution_id == stage.execution_id;
        for child in session.children.iter().filter(of_stage) {
            let (id, agent, task) = (child.session_id, inline(&child.agent), inline(&child.task));
            let _ = write!(
                text,
                "\nSub-agent {agent} ({}, session {id}): {task}\n",
                child.status
            );
        }
        for interaction in &stage.chronological_interactions {
            step(&mut text, interaction);
        }
    }
    text
}

fn step(text: &mut String, interaction: &Interaction) {
    let took = interaction
        .duration_ms
        .map_or_else(|| "no result".to_owned(), |ms| format!("{ms} ms"));
    let _ = write!(
        text,
        "\n### {} ({took})\n\n",
        inline(&interaction.step_description)
    );
    let parts: &[&str] = match interaction.kind {
        "llm" => &["response_text", "tool_calls"],
        _ => &["parameters", "result"],
    };
    for part in parts {
        let shown = plain(&interaction.details[*part]);
        if !shown.is_empty() {
            fence(text, "", &shown);
        }
    }
    if let Some(error) = &interaction.error_message {
        let _ = writeln!(text, "Error: {}", inline(error));
    }
}

/// Formats a JSON document with indentation. Numbers keep their exact digits.
fn indented(document: &str) -> String {
    match tarsy_model::read_document(document) {
        Ok(value) => format!("{value:#}"),
        Err(_) => document.to_owned(),
    }
}

/// Returns a text on one line, without HTML that could begin in it.
fn inline(text: &str) -> String {
    text.replace(['\r', '\n'], " ").replace('<', "&lt;")
}

/// Appends a code block that its content can't close, because its fence is longer than any in the content.
fn fence(text: &mut String, language: &str, content: &str) {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = write!(text, "{fence}{language}\n{content}\n{fence}\n");
}

/// Appends the claims of an agent, with the calls that support them.
fn claims(text: &mut String, stage: &StageDetail) {
    let list = |of: &Value, name: &str| of.get(name).and_then(Value::as_array).cloned();
    let word = |of: &Value, name: &str| inline(of.get(name).and_then(Value::as_str).unwrap_or(""));
    let claims = stage
        .stage_output
        .as_ref()
        .and_then(|output| list(output, "claims"));
    let Some(claims) = claims.filter(|claims| !claims.is_empty()) else {
        return;
    };
    text.push_str("\nClaims:\n\n");
    for claim in claims {
        let calls = list(&claim, "calls").unwrap_or_default();
        let calls = calls
            .iter()
            .map(|call| format!("{} {}", word(call, "call"), word(call, "interaction_id")));
        let by = match claim.get("not_shown") {
            Some(_) => format!("not shown by a tool: {}", word(&claim, "not_shown")),
            None => calls.collect::<Vec<_>>().join("; "),
        };
        let _ = writeln!(text, "- {} ({by})", word(&claim, "text"));
    }
}

#[cfg(test)]
mod tests {
    use super::fence;

    #[test]
    fn a_text_can_not_end_its_block() {
        let mut text = String::new();
        fence(&mut text, "", "```\nhi\n````");
        assert!(text.starts_with("`````\n") && text.ends_with("\n`````\n"));
    }
}
