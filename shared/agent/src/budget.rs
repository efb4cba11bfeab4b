//! Fits a conversation into the model's context window.

use tarsy_llm::{ChatMessage, Role};
use tarsy_mcp::ToolInfo;

use crate::ports::ModelProfile;
use crate::prompt::AFTER_FIRST_RESULT;

/// Characters per token, the usual rough estimate. A tenth of the window is kept free as a margin for it.
const CHARS_PER_TOKEN: usize = 4;
/// Tokens of roles and separators per message.
const PER_MESSAGE: usize = 8;
/// Characters kept of an older observation.
const OBSERVATION_KEPT: usize = 800;
/// Characters kept of an older reply of the model.
const REPLY_KEPT: usize = 400;
/// Least characters kept of the question and of the newest observation.
const LEAST_KEPT: usize = 2_000;

/// Returns how many characters the messages may have in total.
///
/// `halvings` is how often the provider rejected the conversation as too long.
pub(crate) fn allowance(profile: &ModelProfile, tools: &[ToolInfo], halvings: usize) -> usize {
    let answer = profile.max_output_tokens.min(profile.context_window / 2);
    let tokens = (profile.context_window - answer) / 10 * 9;
    let tools = tools.iter();
    let tools =
        tools.map(|t| t.name.len() + t.description.len() + t.input_schema.to_string().len());
    (tokens.saturating_mul(CHARS_PER_TOKEN) >> halvings.min(8)).saturating_sub(tools.sum())
}

/// Returns the allowance after the provider rejected conversations of these sizes as too long, oldest first. Each
/// time it becomes half of what was sent, because the real window may be smaller than the known one.
pub(crate) fn after_refusals(allowance: usize, refused: impl IntoIterator<Item = usize>) -> usize {
    let halved = |allowance: usize, size: usize| allowance.min(size) / 2;
    refused.into_iter().fold(allowance, halved)
}

/// Shortens messages until the conversation has at most `allowance` characters, as far as possible. Returns the
/// messages, and how many were shortened.
///
/// The oldest observations are cut first, then the model's oldest replies, then the newest observation, then the
/// question. A marker that states the size replaces the text that is cut. The same conversation and allowance always
/// give the same messages.
pub(crate) fn fit(mut messages: Vec<ChatMessage>, allowance: usize) -> (Vec<ChatMessage>, usize) {
    let mut excess = total(&messages).saturating_sub(allowance);
    let mut shortened = 0;
    let newest = messages.iter().rposition(is_observation).unwrap_or(0);
    let is_older = |at: &usize| *at != newest && is_observation(&messages[*at]);
    let is_reply = |at: &usize| messages[*at].role == Role::Assistant;
    let all = 2..messages.len();
    let older = all
        .clone()
        .filter(is_older)
        .map(|at| (at, OBSERVATION_KEPT));
    let replies = all.filter(is_reply).map(|at| (at, REPLY_KEPT));
    let is_there = |at: &usize| (1..messages.len()).contains(at);
    let last = [newest, 1].into_iter().filter(is_there);
    let order = older.chain(replies).chain(last.map(|at| (at, LEAST_KEPT)));
    for (at, least) in order.collect::<Vec<_>>() {
        if excess == 0 {
            break;
        }
        // The request for a report in a given form is appended to a result. It must stay when the result is cut.
        let content = messages[at].content.as_str();
        let (content, form) = match content.strip_suffix(AFTER_FIRST_RESULT) {
            Some(result) => (result, AFTER_FIRST_RESULT),
            None => (content, ""),
        };
        let length = content.chars().count();
        // Older messages are cut to a fixed size. The last two in this order are cut only as far as needed.
        let keep = if least == LEAST_KEPT {
            length.saturating_sub(excess + 200).max(least)
        } else {
            least
        };
        if length > keep + 200 {
            messages[at].content = shorten(content, length, keep) + form;
            shortened += 1;
            excess = total(&messages).saturating_sub(allowance);
        }
    }
    (messages, shortened)
}

fn is_observation(message: &ChatMessage) -> bool {
    message.role == Role::Tool
        || (message.role == Role::User && message.content.starts_with("Observation: "))
}

/// Returns the beginning and the end of a text, with a note between them. The end holds the closing mark.
fn shorten(content: &str, length: usize, keep: usize) -> String {
    let tail = keep / 4;
    let head: String = content.chars().take(keep - tail).collect();
    let end: String = content.chars().skip(length - tail).collect();
    format!(
        "{head}\n[{} characters left out here to fit the model's window]\n{end}",
        length - keep
    )
}

pub(crate) fn total(messages: &[ChatMessage]) -> usize {
    let sizes = messages.iter().map(|message| {
        let calls = message.tool_calls.iter();
        let calls = calls.map(|call| call.name.len() + call.arguments.to_string().len());
        message.content.chars().count() + calls.sum::<usize>() + PER_MESSAGE * CHARS_PER_TOKEN
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_was_sent_is_sent_after_a_refusal() {
        // The known window is large enough for all of it; the provider's window is not.
        assert_eq!(after_refusals(92_000, [27_043]), 13_521);
        assert_eq!(after_refusals(92_000, [27_043, 27_500]), 6_760);
        assert_eq!(after_refusals(20_000, [27_043]), 10_000);
        assert_eq!(after_refusals(92_000, []), 92_000);
    }

    fn talk() -> Vec<ChatMessage> {
        let mut all = vec![ChatMessage::system("s"), ChatMessage::user("question")];
        for n in 0..4 {
            all.push(ChatMessage::assistant(format!("Thought: {n}\nAction: a.b")));
            all.push(ChatMessage::user(format!(
                "Observation: {n} {} <<<END>>>",
                "x".repeat(4_000)
            )));
        }
        all
    }

    #[test]
    fn the_oldest_observations_are_shortened_first_and_keep_their_closing_mark() {
        let (fitted, shortened) = fit(talk(), 10_500);
        assert_eq!(shortened, 2);
        assert!(total(&fitted) <= 10_500);
        for at in [3, 5] {
            assert!(fitted[at].content.contains("characters left out here"));
            assert!(fitted[at].content.ends_with("<<<END>>>"));
        }
        assert_eq!(fitted[9].content, talk()[9].content);
        assert_eq!(fit(talk(), 10_500).0, fitted, "the same every time");
    }

    #[test]
    fn the_form_of_the_report_outlasts_the_result_that_it_came_with() {
        let mut all = talk();
        all[3].content.push_str(AFTER_FIRST_RESULT);
        let (fitted, shortened) = fit(all, 10_500);
        assert!(shortened > 0);
        assert!(fitted[3].content.contains("characters left out here"));
        assert!(
            fitted[3]
                .content
                .ends_with(&format!("<<<END>>>{AFTER_FIRST_RESULT}"))
        );
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(fit(talk(), 100_000), (talk(), 0));
    }

    #[test]
    fn a_huge_question_is_cut_only_as_far_as_needed() {
        let all = vec![
            ChatMessage::system("s"),
            ChatMessage::user("q".repeat(50_000)),
        ];
        let (fitted, _) = fit(all, 20_000);
        let left = total(&fitted);
        assert!((19_000..=20_000).contains(&left), "{left}");
    }
}
