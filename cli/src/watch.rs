//! Live list of sessions, with a line whenever a session starts, advances or ends.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::client::Client;
use crate::output::{alert_name, dim, harmless, shortened, status, text, time};

const EVERY: Duration = Duration::from_secs(1);

/// Consecutive failed polls that are tolerated, so that an API restart does not end the command.
const PATIENCE: u32 = 60;

/// Prints changes of sessions until the process ends. Sessions that ended before the start are left out.
pub(crate) async fn all(client: &Client, as_json: bool) -> Result<()> {
    let mut known: HashMap<String, String> = HashMap::new();
    let (mut is_first, mut failures) = (true, 0);
    loop {
        match client.get("/api/v1/history/sessions?page_size=100").await {
            Ok(answer) => {
                failures = 0;
                let sessions = answer.get("sessions").and_then(Value::as_array);
                // The list is newest first. Print it in order of creation.
                for session in sessions.into_iter().flatten().rev() {
                    if has_changed(&mut known, session) && (!is_first || is_live(session)) {
                        print_session(session, as_json);
                    }
                }
                is_first = false;
            }
            Err(_) if failures < PATIENCE && !is_first => failures += 1,
            Err(error) => return Err(error),
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Whether a session is new or has changed.
fn has_changed(known: &mut HashMap<String, String>, session: &Value) -> bool {
    let stage = session.get("current_stage_id").and_then(Value::as_str);
    // A session that was replayed may have ended again between two polls.
    let ended = session.get("completed_at_us").and_then(Value::as_i64);
    let state = format!(
        "{} {} {}",
        text(session, "status"),
        stage.unwrap_or_default(),
        ended.unwrap_or_default()
    );
    let before = known.insert(text(session, "session_id").to_owned(), state.clone());
    before.as_ref() != Some(&state)
}

fn is_live(session: &Value) -> bool {
    matches!(text(session, "status"), "pending" | "in_progress")
}

fn print_session(session: &Value, as_json: bool) {
    if as_json {
        println!("{session}");
        return;
    }
    let word = text(session, "status");
    let stage = session
        .get("current_stage_id")
        .and_then(Value::as_str)
        .filter(|_| is_live(session));
    let target = session.get("target").and_then(Value::as_str);
    let target = target.map(|target| harmless(&shortened(target, 60)));
    let stage = stage.map(|stage| format!(" {}", dim(&harmless(stage))));
    println!(
        "{}  {}  {}{}  {}{}{}",
        text(session, "session_id"),
        time(session, "started_at_us").unwrap_or_default(),
        status(word),
        " ".repeat(11_usize.saturating_sub(word.len())),
        harmless(&shortened(alert_name(session), 28)),
        target
            .map(|target| format!(" on {target}"))
            .unwrap_or_default(),
        stage.unwrap_or_default(),
    );
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::has_changed;

    #[test]
    fn a_session_is_printed_when_it_changes() {
        let mut known = HashMap::new();
        let at = |status: &str, stage: &str| json!({"session_id": "a", "status": status, "current_stage_id": stage});
        assert!(has_changed(&mut known, &at("pending", "")));
        assert!(!has_changed(&mut known, &at("pending", "")));
        assert!(has_changed(&mut known, &at("in_progress", "collect_0")));
        assert!(has_changed(&mut known, &at("in_progress", "report_1")));
        assert!(has_changed(&mut known, &at("completed", "report_1")));
        let ended = |us: i64| json!({"session_id": "a", "status": "failed", "completed_at_us": us});
        assert!(has_changed(&mut known, &ended(1)));
        assert!(!has_changed(&mut known, &ended(1)));
        assert!(
            has_changed(&mut known, &ended(2)),
            "run again and ended again"
        );
    }
}
