//! Export of a session as CSV.

use serde_json::Value;

use crate::questions::turns::Turn;
use crate::sessions::detail::{Interaction, SessionDetail, StageDetail};
use crate::sessions::export::plain;

const HEADER: [&str; 18] = [
    "session_id",
    "stage_index",
    "stage_name",
    "attempt",
    "agent",
    "timestamp_us",
    "type",
    "step_description",
    "duration_ms",
    "success",
    "error_message",
    "model_or_tool",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "request",
    "response",
    "branch",
];

/// Exports a session as CSV (RFC 4180). The first line is the session's analysis. Then there is one
/// line for each question about it, and one for each interaction.
pub(crate) fn csv(session: &SessionDetail) -> String {
    let mut text = String::new();
    line(&mut text, HEADER.map(str::to_owned));
    let shown = |value: Option<i64>| value.map(|number| number.to_string()).unwrap_or_default();
    line(
        &mut text,
        [
            session.session_id.to_string(),
            String::new(),
            String::new(),
            String::new(),
            session.agent_type.clone(),
            session.started_at_us.to_string(),
            "session".to_owned(),
            headline(session),
            shown(session.duration_ms),
            String::new(),
            session.error_message.clone().unwrap_or_default(),
            session.chain_id.clone(),
            String::new(),
            String::new(),
            String::new(),
            session.alert_data.get().to_owned(),
            session.final_analysis.clone().unwrap_or_default(),
            String::new(),
        ],
    );
    for turn in &session.conversation {
        line(&mut text, question(turn));
    }
    for stage in &session.stages {
        for interaction in &stage.chronological_interactions {
            line(&mut text, cells(session, stage, interaction));
        }
    }
    text
}

/// Returns the cells of a question about the session, with its answer.
fn question(turn: &Turn) -> [String; HEADER.len()] {
    let took = turn
        .completed_at_us
        .map(|end| (end - turn.asked_at_us) / 1_000);
    let shown = |value: Option<i64>| value.map(|number| number.to_string()).unwrap_or_default();
    [
        turn.session_id.to_string(),
        String::new(),
        String::new(),
        String::new(),
        turn.author.clone().unwrap_or_default(),
        turn.asked_at_us.to_string(),
        "question".to_owned(),
        format!("question ({})", turn.status),
        shown(took),
        String::new(),
        turn.error_message.clone().unwrap_or_default(),
        String::new(),
        shown(turn.input_tokens),
        shown(turn.output_tokens),
        turn.cost_usd
            .map(|cost| cost.to_string())
            .unwrap_or_default(),
        turn.question.clone(),
        turn.answer.clone().unwrap_or_default(),
        String::new(),
    ]
}

fn cells(
    session: &SessionDetail,
    stage: &StageDetail,
    interaction: &Interaction,
) -> [String; HEADER.len()] {
    let details = &interaction.details;
    let detail = |name: &str| plain(&details[name]);
    let (subject, request, response) = match interaction.kind {
        "llm" => (
            detail("model_name"),
            last_question(details),
            detail("response_text"),
        ),
        _ => {
            let tool = format!("{}.{}", detail("server_name"), detail("tool_name"));
            let listed = if details["result"].is_null() {
                "available_tools"
            } else {
                "result"
            };
            (tool, detail("parameters"), detail(listed))
        }
    };
    [
        session.session_id.to_string(),
        stage.stage_index.to_string(),
        stage.stage_name.clone(),
        stage.attempt.to_string(),
        stage.agent.clone(),
        interaction.timestamp_us.to_string(),
        interaction.kind.to_owned(),
        interaction.step_description.clone(),
        interaction
            .duration_ms
            .map(|ms| ms.to_string())
            .unwrap_or_default(),
        interaction
            .success
            .map(|success| success.to_string())
            .unwrap_or_default(),
        interaction.error_message.clone().unwrap_or_default(),
        subject,
        detail("input_tokens"),
        detail("output_tokens"),
        detail("cost_usd"),
        request,
        response,
        stage.branch_name.clone().unwrap_or_default(),
    ]
}

/// Returns the last message before the model's answer.
fn last_question(details: &Value) -> String {
    let messages = details["messages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let question = messages
        .iter()
        .rev()
        .find(|message| message["role"] != "assistant");
    question
        .map(|message| plain(&message["content"]))
        .unwrap_or_default()
}

/// Returns the alert type with status, verdict and label.
fn headline(session: &SessionDetail) -> String {
    let details = [session.verdict.as_deref(), session.label.as_deref()];
    let details: String = details
        .iter()
        .flatten()
        .map(|word| format!(", {word}"))
        .collect();
    format!("{} ({}{details})", session.alert_type, session.status)
}

/// Appends one line of CSV.
pub(crate) fn line<const N: usize>(text: &mut String, cells: [String; N]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push_cell(text, cell);
    }
    text.push_str("\r\n");
}

/// Appends a cell that no spreadsheet evaluates as a formula. A text that begins with a sign of
/// formulas is prefixed with an apostrophe (OWASP, CSV injection). Numbers stay numbers.
fn push_cell(text: &mut String, cell: &str) {
    let is_number = cell.parse::<f64>().is_ok();
    let is_formula =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    text.push('"');
    if is_formula && !is_number {
        text.push('\'');
    }
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::push_cell;

    fn cell(text: &str) -> String {
        let mut out = String::new();
        push_cell(&mut out, text);
        out
    }

    #[test]
    fn no_cell_is_a_formula_and_none_ends_early() {
        assert_eq!(
            cell("=HYPERLINK(\"http://x\")"),
            "\"'=HYPERLINK(\"\"http://x\"\")\""
        );
        for sign in ["+1+1", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1"] {
            assert!(cell(sign).starts_with("\"'"), "{sign:?}");
        }
        assert_eq!(cell("-5"), "\"-5\"");
        assert_eq!(cell("a,b\n\"c\""), "\"a,b\n\"\"c\"\"\"");
    }
}
