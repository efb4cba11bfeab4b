//! Body of the answer to a question that mentioned the app in Slack.

use serde_json::{Value, json};

use super::markup::escaped;
use super::message::{LONGEST, Message, fitting, shortened};

/// Maximum length of the quoted question, in characters.
const LONGEST_QUESTION: usize = 300;

/// Returns the body with the quoted question and its answer.
pub(super) fn body(message: &Message<'_>) -> Value {
    let due = message.due;
    let author = due.author.as_deref().unwrap_or("somebody");
    let question = message.question.unwrap_or_default();
    let question = shortened(question, LONGEST_QUESTION).replace('\n', " ");
    let quote = format!("> *{}*: {}", escaped(author), escaped(&question));
    let answer = answer(message);
    let mut blocks = vec![
        json!({"type": "section", "text": {"type": "mrkdwn", "text": quote}}),
        json!({"type": "section", "text": {"type": "mrkdwn", "text": fitting(&answer)}}),
    ];
    if let Some(link) = message.link {
        blocks.push(json!({"type": "actions", "elements": [{
            "type": "button", "url": link, "text": {"type": "plain_text", "text": "Open session"}}]}));
    }
    let context = format!("session {}", due.session_id);
    blocks.push(json!({"type": "context", "elements": [{"type": "plain_text", "text": context}]}));
    json!({"text": shortened(&escaped(&answer), LONGEST), "blocks": blocks, "unfurl_links": false, "unfurl_media": false})
}

/// Returns the answer of the session, or its error.
fn answer(message: &Message<'_>) -> String {
    let due = message.due;
    match (&due.final_analysis, &due.error_message) {
        (Some(analysis), _) => shortened(analysis, LONGEST),
        (None, Some(error)) => shortened(&format!("No answer: {error}"), LONGEST),
        (None, None) => "No answer.".to_owned(),
    }
}
