//! Bodies of notifications, one for each format.

use serde_json::{Value, json};
use tarsy_config::NotificationFormat;
use tarsy_model::shown_call;
use tarsy_slack::{APPROVE, DECISION_BLOCK, DENY};
use tarsy_store::{DueDelivery, SESSION_STARTED};

use super::asked_call;
use super::decision;
use super::markup::{escaped, markdown_escaped, mrkdwn, plain_markdown};
use super::subject::Subject;

/// Longest text of an analysis in a chat, in characters.
pub(super) const LONGEST: usize = 2_800;
/// Characters and fields that Slack takes in a block.
const SLACK_TEXT: usize = 3_000;
const SLACK_FIELDS: usize = 10;

/// What a message is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    /// The delivery and its session.
    pub(super) due: &'a DueDelivery,
    /// What the alert is about.
    pub(super) subject: &'a Subject,
    /// The question that it answers, if the session is one. Masked.
    pub(super) question: Option<&'a str>,
    /// The session's page.
    pub(super) link: Option<&'a str>,
}

impl Message<'_> {
    /// The body of the message at the time `now` (RFC 3339).
    pub(super) fn body(&self, format: NotificationFormat, now: &str) -> Value {
        match format {
            NotificationFormat::Slack => self.slack(),
            NotificationFormat::Teams => self.teams(),
            _ => self.standard(now),
        }
    }

    fn standard(&self, now: &str) -> Value {
        let due = self.due;
        let pairs = |pairs: &[(String, String)]| -> Value {
            let map = pairs
                .iter()
                .map(|(name, value)| (name.clone(), value.clone().into()));
            Value::Object(map.collect())
        };
        let mut message = json!({
            "type": due.event,
            "timestamp": now,
            "data": {
                "session_id": due.session_id, "alert_id": due.alert_id, "alert_type": due.alert_type,
                "severity": due.severity, "chain_id": due.chain_id, "status": due.status, "outcome": due.outcome,
                "error_message": due.error_message, "final_analysis": due.final_analysis,
                "started_at_us": due.started_at_us, "completed_at_us": due.completed_at_us,
                "source": due.source, "url": self.link,
                "subject": pairs(&self.subject.facts), "labels": pairs(&self.subject.labels),
            },
        });
        if let Some(wait) = &due.wait {
            message["data"]["wait"] = json!({
                "wait_id": wait.wait_id, "sort": wait.sort, "question": wait.question, "role": wait.role,
                "expires_at_us": wait.expires_at_us, "call": wait.call.as_ref().map(shown_call),
            });
        }
        message
    }

    /// What happened, in a line.
    pub(super) fn headline(&self) -> String {
        let due = self.due;
        if let Some(wait) = &due.wait {
            if let Some(end) = decision::word(due, wait) {
                return format!("Analysis of {} ({}): {end}", due.alert_type, due.severity);
            }
            let asks = match wait.role {
                Some(_) => "waits for approval",
                None => "waits for a signal",
            };
            return format!("Analysis of {} ({}) {asks}", due.alert_type, due.severity);
        }
        let end = due.event.strip_prefix("session.").unwrap_or(&due.event);
        format!("Analysis of {} ({}) {end}", due.alert_type, due.severity)
    }

    fn text(&self) -> String {
        let due = self.due;
        let asked = due.wait.as_ref().map(|wait| {
            let (question, expires_at) = (&wait.question, &wait.expires_at);
            if decision::word(due, wait).is_some() {
                return question.clone();
            }
            match &wait.role {
                Some(role) => format!("{question}. Role {role} decides until {expires_at}."),
                None => format!("{question}, until {expires_at}."),
            }
        });
        let started = (due.event == SESSION_STARTED).then_some("The findings follow.");
        let text = asked
            .as_deref()
            .or(started)
            .or(due.final_analysis.as_deref())
            .or(due.error_message.as_deref())
            .unwrap_or("No analysis.");
        shortened(text, LONGEST)
    }

    /// Headline, text and link as a plain text.
    pub(super) fn note(&self) -> String {
        let mut note = format!("{}\n\n{}", self.headline(), self.text());
        if let Some(link) = self.link {
            note.push_str("\n\n");
            note.push_str(link);
        }
        note
    }

    /// Chain, source and facts of the alert.
    fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_session = [
            ("source", self.due.source.as_str()),
            ("chain", self.due.chain_id.as_str()),
        ];
        let facts = self.subject.facts.iter();
        facts
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .chain(of_session)
    }

    fn labels(&self) -> Option<String> {
        let labels = self.subject.labels.iter();
        let labels: Vec<String> = labels
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        (!labels.is_empty()).then(|| labels.join(", "))
    }

    fn slack(&self) -> Value {
        let headline = self.headline();
        let fields: Vec<Value> = self
            .facts()
            .take(SLACK_FIELDS)
            .map(|(name, value)| {
                json!({"type": "mrkdwn", "text": format!("*{}*\n{}", escaped(name), escaped(value))})
            })
            .collect();
        let mut blocks = vec![
            json!({"type": "header", "text": {"type": "plain_text", "text": shortened(&headline, 149)}}),
            json!({"type": "section", "fields": fields}),
            json!({"type": "section", "text": {"type": "mrkdwn", "text": fitting(&self.text())}}),
        ];
        blocks.extend(asked_call::slack(self.due));
        if let Some(link) = self.link {
            blocks.push(json!({"type": "actions", "elements": [{
                "type": "button", "url": link, "text": {"type": "plain_text", "text": "Open session"}}]}));
        }
        let mut context = format!("session {}", self.due.session_id);
        if let Some(labels) = self.labels() {
            context = format!("{context} · {}", shortened(&labels, 1_500));
        }
        blocks.push(
            json!({"type": "context", "elements": [{"type": "plain_text", "text": context}]}),
        );
        let text = match self.link {
            Some(link) => format!("{} <{link}|Open session>", escaped(&headline)),
            None => escaped(&headline),
        };
        // A link to an image would be loaded by whoever reads.
        json!({"text": text, "blocks": blocks, "unfurl_links": false, "unfurl_media": false})
    }

    /// As [`NotificationFormat::Slack`], with buttons where approval is asked and people can decide from there.
    pub(super) fn slack_app(&self, takes_decisions: bool) -> Value {
        let mut message = self.slack();
        let asked = self.due.wait.as_ref().filter(|wait| wait.role.is_some());
        let Some((wait, blocks)) = asked.zip(message["blocks"].as_array_mut()) else {
            return message;
        };
        // The context stays last.
        let at = blocks.len().saturating_sub(1);
        if let Some(decision) = decision::sentence(self.due, wait) {
            blocks.insert(
                at,
                json!({"type": "section", "block_id": DECISION_BLOCK, "text": {"type": "mrkdwn", "text": decision}}),
            );
        } else if takes_decisions && !asked_call::is_too_long(wait) {
            let button = |action: &str, text: &str, style: &str| {
                json!({"type": "button", "action_id": action, "value": wait.wait_id, "style": style,
                       "text": {"type": "plain_text", "text": text}})
            };
            let buttons = [
                button(APPROVE, "Approve", "primary"),
                button(DENY, "Deny", "danger"),
            ];
            blocks.insert(
                at,
                json!({"type": "actions", "block_id": DECISION_BLOCK, "elements": buttons}),
            );
        }
        message
    }

    fn teams(&self) -> Value {
        let facts: Vec<Value> = self
            .facts()
            .map(|(name, value)| json!({"title": markdown_escaped(name), "value": markdown_escaped(value)}))
            .chain([json!({"title": "session", "value": self.due.session_id.to_string()})])
            .collect();
        let mut body = vec![
            json!({"type": "TextBlock", "size": "Medium", "weight": "Bolder", "wrap": true, "text": markdown_escaped(&self.headline())}),
            json!({"type": "FactSet", "facts": facts}),
            json!({"type": "TextBlock", "wrap": true, "text": plain_markdown(&self.text())}),
        ];
        body.extend(asked_call::teams(self.due));
        if let Some(labels) = self.labels() {
            body.push(
                json!({"type": "TextBlock", "wrap": true, "isSubtle": true, "size": "Small",
                             "text": markdown_escaped(&shortened(&labels, 1_500))}),
            );
        }
        let actions: Vec<Value> = self
            .link
            .map(|link| json!({"type": "Action.OpenUrl", "title": "Open session", "url": link}))
            .into_iter()
            .collect();
        json!({
            "type": "message",
            "attachments": [{
                "contentType": "application/vnd.microsoft.card.adaptive",
                "content": {
                    "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                    "type": "AdaptiveCard",
                    "version": "1.4",
                    "body": body,
                    "actions": actions,
                },
            }],
        })
    }
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Markup makes texts longer; a block still takes 3,000 characters. A text that grows too long is shown without.
pub(super) fn fitting(markdown: &str) -> String {
    let marked = mrkdwn(markdown);
    match marked.chars().count() <= SLACK_TEXT {
        true => marked,
        false => escaped(markdown).chars().take(SLACK_TEXT).collect(),
    }
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
            source: "alertmanager".to_owned(),
            alert_data: json!({"labels": {"namespace": "shop", "team": "cart"}}),
            age_seconds: 0.0,
            status: SessionStatus::Completed,
            outcome: None,
            error_message: None,
            final_analysis: Some(analysis.to_owned()),
            started_at_us: 1,
            completed_at_us: Some(2),
            wait: None,
            slack_thread: None,
            updates: None,
            is_behind: false,
            conversation_id: None,
            author: None,
        }
    }

    fn made(format: NotificationFormat, analysis: &str) -> Value {
        let due = due(analysis);
        let subject = Subject::of(&due.alert_data);
        let link = Some("https://tarsy.example/dashboard/sessions/1");
        Message {
            due: &due,
            subject: &subject,
            question: None,
            link,
        }
        .body(format, "now")
    }

    #[test]
    fn an_analysis_can_not_mention_a_channel_and_fits_a_block() {
        for text in ["&ä".repeat(3_000), "**&** ".repeat(600)] {
            let message = made(NotificationFormat::Slack, &format!("<!channel> {text}"));
            let text = message["blocks"][2]["text"]["text"].as_str().unwrap();
            assert!(text.starts_with("&lt;!channel&gt;") && text.chars().count() <= 3_000);
        }
    }

    #[test]
    fn each_format_names_the_place_and_links_to_the_session() {
        for format in [
            NotificationFormat::Standard,
            NotificationFormat::Slack,
            NotificationFormat::Teams,
        ] {
            let message = made(format, "all is **well**").to_string();
            for said in [
                "shop",
                "team",
                "alertmanager",
                "https://tarsy.example/dashboard/sessions/1",
            ] {
                assert!(message.contains(said), "{said}: {message}");
            }
        }
        let slack = made(NotificationFormat::Slack, "all is **well**");
        assert_eq!(slack["blocks"][2]["text"]["text"], "all is *well*");
        let standard = made(NotificationFormat::Standard, "all is well");
        assert_eq!(standard["data"]["subject"], json!({"namespace": "shop"}));
    }
    /// A delivery that asks about a call of `command`.
    fn asking(command: &str) -> DueDelivery {
        let wait = tarsy_store::NotifiedWait {
            wait_id: tarsy_model::WaitId::generate(),
            sort: tarsy_model::WaitSort::ToolCall,
            question: "Agent `Fixer` asks to call `hosts.run_command`".to_owned(),
            call: Some(json!({
                "server": "hosts", "tool": "run_command", "effect": "destructive", "arguments": {"command": command},
            })),
            role: Some("operator".to_owned()),
            expires_at_us: 3,
            expires_at: "2026-11-28T10:00:00Z".to_owned(),
            decision: None,
            decided_at_us: None,
            decided_by: None,
            means: None,
            reason: None,
        };
        DueDelivery {
            wait: Some(wait),
            completed_at_us: None,
            ..due("")
        }
    }

    #[test]
    fn who_approves_in_a_message_reads_all_that_runs() {
        let command = format!(
            "ls /tmp{}; rm -rf /\u{202e} ```<!channel>",
            " ".repeat(2_600)
        );
        let due = asking(&command);
        let subject = Subject::of(&due.alert_data);
        let message = Message {
            due: &due,
            subject: &subject,
            question: None,
            link: Some("https://tarsy.example/dashboard/sessions/1"),
        };
        let whole = r#"ls /tmp⟨2600 blanks⟩; rm -rf /\u{202e} ```<!channel>""#;
        let slack = message.slack_app(true);
        let shown = slack["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|block| block["type"] == "rich_text");
        let shown = &shown.unwrap()["elements"][0]["elements"][0]["text"];
        let shown = shown.as_str().unwrap();
        assert!(
            shown.contains("hosts.run_command (destructive)") && shown.contains(whole),
            "{shown}"
        );
        assert!(slack.to_string().contains(APPROVE));
        let teams = message.body(NotificationFormat::Teams, "now").to_string();
        assert!(
            teams.contains("RichTextBlock") && teams.contains("rm -rf /"),
            "{teams}"
        );

        let long = asking(&"x".repeat(3_000));
        let message = Message {
            due: &long,
            ..message
        };
        let slack = message.slack_app(true).to_string();
        assert!(!slack.contains(APPROVE) && !slack.contains(DENY), "{slack}");
        assert!(
            slack.contains("Open the session to read all of it"),
            "{slack}"
        );
    }
}
