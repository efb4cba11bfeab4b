//! Bodies of notifications, one for each format.

use serde_json::{Value, json};
use tarsy_config::NotificationFormat;
use tarsy_store::DueDelivery;

/// Longest text of an analysis in a chat, in characters: Slack takes 3,000 a block.
const LONGEST: usize = 2_800;

/// The body of a delivery.
pub(super) fn body(format: NotificationFormat, due: &DueDelivery, now: &str) -> Value {
    match format {
        NotificationFormat::Slack => slack(due),
        NotificationFormat::Teams => teams(due),
        _ => standard(due, now),
    }
}

fn standard(due: &DueDelivery, now: &str) -> Value {
    let mut message = json!({
        "type": due.event,
        "timestamp": now,
        "data": {
            "session_id": due.session_id, "alert_id": due.alert_id, "alert_type": due.alert_type,
            "severity": due.severity, "chain_id": due.chain_id, "status": due.status, "outcome": due.outcome,
            "error_message": due.error_message, "final_analysis": due.final_analysis,
            "started_at_us": due.started_at_us, "completed_at_us": due.completed_at_us,
        },
    });
    if let Some(wait) = &due.wait {
        message["data"]["wait"] = json!({
            "wait_id": wait.wait_id, "sort": wait.sort, "question": wait.question, "role": wait.role,
            "expires_at_us": wait.expires_at_us,
        });
    }
    message
}

fn headline(due: &DueDelivery) -> String {
    if let Some(wait) = &due.wait {
        let asks = match wait.role.is_some() {
            true => "waits for approval",
            false => "waits for a signal",
        };
        return format!("Analysis of {} ({}) {asks}", due.alert_type, due.severity);
    }
    let end = due.event.strip_prefix("session.").unwrap_or(&due.event);
    format!("Analysis of {} ({}) {end}", due.alert_type, due.severity)
}

fn text(due: &DueDelivery) -> String {
    let asked = due.wait.as_ref().map(|wait| {
        let (question, expires_at) = (&wait.question, &wait.expires_at);
        match &wait.role {
            Some(role) => format!("{question}. Role {role} decides until {expires_at}."),
            None => format!("{question}, until {expires_at}."),
        }
    });
    let text = asked
        .as_deref()
        .or(due.final_analysis.as_deref())
        .or(due.error_message.as_deref())
        .unwrap_or("No analysis.");
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Slack's own control characters, so that an analysis can't mention a channel.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn slack(due: &DueDelivery) -> Value {
    let headline = headline(due);
    let short: String = headline.chars().take(150).collect();
    json!({
        "text": escaped(&headline),
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": short}},
            {"type": "section", "text": {"type": "mrkdwn", "text": cut(&escaped(&text(due)))}},
            {"type": "context", "elements": [{"type": "plain_text", "text": format!("session {}", due.session_id)}]},
        ],
    })
}

/// Escaping makes texts longer; a block still takes 3,000 characters.
fn cut(text: &str) -> String {
    text.chars().take(3_000).collect()
}

fn teams(due: &DueDelivery) -> Value {
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": [
                    {"type": "TextBlock", "size": "Medium", "weight": "Bolder", "wrap": true, "text": headline(due)},
                    {"type": "TextBlock", "wrap": true, "text": text(due)},
                    {"type": "FactSet", "facts": [
                        {"title": "Session", "value": due.session_id.to_string()},
                        {"title": "Chain", "value": due.chain_id},
                    ]},
                ],
            },
        }],
    })
}

#[cfg(test)]
mod tests {
    use tarsy_model::{SessionId, SessionStatus};

    use super::*;

    fn due(analysis: &str) -> DueDelivery {
        DueDelivery {
            target: "chat".to_owned(),
            event: "session.completed".to_owned(),
            attempts: 0,
            session_id: SessionId::generate(),
            alert_id: uuid::Uuid::nil(),
            alert_type: "kubernetes".to_owned(),
            severity: "critical".to_owned(),
            chain_id: "c".to_owned(),
            status: SessionStatus::Completed,
            outcome: None,
            error_message: None,
            final_analysis: Some(analysis.to_owned()),
            started_at_us: 1,
            completed_at_us: Some(2),
            wait: None,
        }
    }

    #[test]
    fn an_analysis_can_not_mention_a_channel_and_fits_a_block() {
        let long = format!("<!channel> {}", "&ä".repeat(3_000));
        let message = body(NotificationFormat::Slack, &due(&long), "now");
        let text = message["blocks"][1]["text"]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(text.starts_with("&lt;!channel&gt;") && text.chars().count() <= 3_000);
    }

    #[test]
    fn the_standard_form_names_the_event_and_its_session() {
        let message = body(NotificationFormat::Standard, &due("all is well"), "now");
        assert_eq!(
            (&message["type"], &message["data"]["final_analysis"]),
            (&json!("session.completed"), &json!("all is well"))
        );
        let card = body(NotificationFormat::Teams, &due("all is well"), "now");
        assert_eq!(
            card["attachments"][0]["content"]["body"][1]["text"],
            "all is well"
        );
    }
}
