//! Bodies of notifications, one for each format.

use std::borrow::Cow;

use serde_json::{Value, json};
use tarsy_config::NotificationFormat;
use tarsy_model::{SessionVerdict, shown_call, visible};
use tarsy_slack::{APPROVE, DECISION_BLOCK, DENY};
use tarsy_store::deliveries::{DueDelivery, SESSION_STARTED};

use super::call_to_approve;
use super::decision;
use super::markup::{escaped, markdown_escaped, mrkdwn, plain_markdown};
use super::subject::Subject;

/// Maximum length of an analysis in a chat, in characters.
pub(super) const LONGEST: usize = 2_800;
/// Maximum number of characters and of fields that Slack takes in a block.
const SLACK_TEXT: usize = 3_000;
const SLACK_FIELDS: usize = 10;

/// Data of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    /// The delivery and its session.
    pub(super) due: &'a DueDelivery,
    /// Subject of the alert.
    pub(super) subject: &'a Subject,
    /// The question that the session answers, if it is one. Masked.
    pub(super) question: Option<&'a str>,
    pub(super) link: Option<&'a str>,
}

impl Message<'_> {
    /// Returns the body of the message at the time `now` (RFC 3339).
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
                "verdict": due.verdict, "verdict_summary": due.verdict_summary,
                "label": due.label,
                "error_message": due.error_message, "final_analysis": due.final_analysis,
                "started_at_us": due.started_at_us, "completed_at_us": due.completed_at_us,
                "source": due.source, "author": due.author, "url": self.link,
                "subject": pairs(&self.subject.facts), "labels": pairs(&self.subject.labels),
            },
        });
        if let Some(wait) = &due.wait {
            message["data"]["wait"] = json!({
                "wait_id": wait.wait_id, "sort": wait.sort, "question": wait.question, "role": wait.role,
                "conclusion": wait.conclusion, "expires_at_us": wait.expires_at_us, "call": wait.call.as_ref().map(shown_call),
            });
        }
        message
    }

    /// Returns a one-line summary.
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
        let wait_text = due.wait.as_ref().map(|wait| {
            let (question, expires_at) = (&wait.question, &wait.expires_at);
            if decision::word(due, wait).is_some() {
                return question.clone();
            }
            match &wait.role {
                Some(role) => {
                    let text = format!("{question}. Role {role} decides until {expires_at}.");
                    match &wait.conclusion {
                        Some(conclusion) => format!("{text}\n\n{}", visible(conclusion)),
                        None => text,
                    }
                }
                None => format!("{question}, until {expires_at}."),
            }
        });
        let started = (due.event == SESSION_STARTED).then_some("The findings follow.");
        let end = wait_text.is_none() && started.is_none();
        let text = wait_text
            .as_deref()
            .or(started)
            .or(due.final_analysis.as_deref())
            .or(due.error_message.as_deref())
            .unwrap_or("No analysis.");
        let text = shortened(text, LONGEST);
        match self.warning().filter(|_| end) {
            Some(warning) => format!("{warning}\n\n{text}"),
            None => text,
        }
    }

    /// Returns a warning if the answer must not be taken for the result of an investigation.
    fn warning(&self) -> Option<String> {
        let verdict = SessionVerdict::from_word(self.due.verdict.as_deref()?)?;
        let title = match verdict {
            SessionVerdict::NotInvestigated => "Not investigated.",
            SessionVerdict::Unsupported => "Unsupported by tool results.",
            _ => return None,
        };
        let summary = self.due.verdict_summary.as_deref().unwrap_or_default();
        Some(format!("**{title}** {summary}").trim_end().to_owned())
    }

    /// Returns headline, text and link as plain text.
    pub(super) fn note(&self) -> String {
        let mut note = format!("{}\n\n{}", self.headline(), self.text());
        if let Some(link) = self.link {
            note.push_str("\n\n");
            note.push_str(link);
        }
        note
    }

    /// Returns chain, source and facts of the alert. If a person must decide, also who started the session.
    fn facts(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        // Only for an ended session: a waiting or started one has no answer yet.
        let is_end = self.due.wait.is_none();
        let verdict = self.due.verdict.as_deref().filter(|_| is_end);
        let of_session = [
            ("source", self.due.source.as_str()),
            ("chain", self.due.chain_id.as_str()),
        ];
        let verdict = verdict.map(|verdict| ("verdict", verdict));
        let label = self.due.label.as_deref().filter(|_| is_end);
        let label = label.map(|label| ("label", label));
        let author = self.due.author.as_deref().filter(|_| !is_end);
        let author = author.map(|author| ("started by", Cow::from(visible(author))));
        let facts = self.subject.facts.iter();
        let facts = facts.map(|(name, value)| (name.as_str(), value.as_str()));
        let known = verdict.into_iter().chain(label);
        let of_alert = facts.chain(of_session);
        let borrowed = |(name, value)| (name, Cow::Borrowed(value));
        // These come first, because Slack takes only ten fields.
        known
            .map(borrowed)
            .chain(author)
            .chain(of_alert.map(borrowed))
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
                json!({"type": "mrkdwn", "text": format!("*{}*\n{}", escaped(name), escaped(&value))})
            })
            .collect();
        let mut blocks = vec![
            json!({"type": "header", "text": {"type": "plain_text", "text": shortened(&headline, 149)}}),
            json!({"type": "section", "fields": fields}),
            json!({"type": "section", "text": {"type": "mrkdwn", "text": fitting(&self.text())}}),
        ];
        blocks.extend(call_to_approve::slack(self.due));
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
        // The reader's client would load linked images.
        json!({"text": text, "blocks": blocks, "unfurl_links": false, "unfurl_media": false})
    }

    /// Returns the body as for [`NotificationFormat::Slack`], with buttons if approval is requested and people can
    /// decide from the message.
    pub(super) fn slack_app(&self, takes_decisions: bool) -> Value {
        let mut message = self.slack();
        let wait = self.due.wait.as_ref().filter(|wait| wait.role.is_some());
        let Some((wait, blocks)) = wait.zip(message["blocks"].as_array_mut()) else {
            return message;
        };
        // The context stays last.
        let at = blocks.len().saturating_sub(1);
        if let Some(decision) = decision::sentence(self.due, wait) {
            blocks.insert(
                at,
                json!({"type": "section", "block_id": DECISION_BLOCK, "text": {"type": "mrkdwn", "text": decision}}),
            );
        } else if takes_decisions && !call_to_approve::is_too_long(wait) {
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
            .map(|(name, value)| json!({"title": markdown_escaped(name), "value": markdown_escaped(&value)}))
            .chain([json!({"title": "session", "value": self.due.session_id.to_string()})])
            .collect();
        let mut body = vec![
            json!({"type": "TextBlock", "size": "Medium", "weight": "Bolder", "wrap": true, "text": markdown_escaped(&self.headline())}),
            json!({"type": "FactSet", "facts": facts}),
            json!({"type": "TextBlock", "wrap": true, "text": plain_markdown(&self.text())}),
        ];
        body.extend(call_to_approve::teams(self.due));
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

/// Renders Markdown for a Slack block, which takes 3,000 characters. Markup makes a text longer; if it gets too long,
/// the text is shown without markup.
pub(super) fn fitting(markdown: &str) -> String {
    let marked = mrkdwn(markdown);
    match marked.chars().count() <= SLACK_TEXT {
        true => marked,
        false => escaped(markdown).chars().take(SLACK_TEXT).collect(),
    }
}

#[cfg(test)]
mod tests;
