//! The form `json`: each step is one JSON object, which the provider enforces by a schema.
//!
//! A step is `{"thought", "next"}`. `next` is `{"action", "action_input"}` or `{"final_answer"}`. The parser of text
//! replies knows these members, so workers of older versions can read a step too.

use serde_json::{Map, Value, json};
use tarsy_mcp::ToolInfo;

use crate::strict_schema::{object, restored, strict};

/// A step as the model wrote it.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// Call a tool, with the arguments as the model wrote them.
    Call {
        action: String,
        input: Value,
    },
    Conclude(String),
}

/// Instructions for a reply in this form, worded so that they can't be parsed as a reply.
pub(crate) const HOW: &str = "\
Every reply is one JSON object and nothing else. Its member `thought` says in a sentence or two what you know and what you need \
next. Its member `next` is an object, too: to use a tool, it has the members `action`, the exact name of one tool from the list, \
and `action_input`, an object with its parameters, null where you leave one out; to conclude, it has the one member \
`final_answer`, your conclusion in Markdown as a text.";

/// Correction for a reply that is not a step.
pub(crate) const NOT_A_STEP: &str =
    "Your reply is not the JSON object that was asked for, so nothing was done.";

/// Returns the schema of the next step: one alternative for each tool, and one for the conclusion.
///
/// It satisfies the strictest provider: an object at the top, every member required, no other members.
pub(crate) fn schema(tools: &[ToolInfo], may_conclude: bool) -> Value {
    let calls = tools.iter().map(|tool| {
        let action = json!({"type": "string", "enum": [tool.full_name()]});
        let input = strict(&tool.input_schema);
        step_of([("action", action), ("action_input", input)])
    });
    let mut alternatives: Vec<Value> = calls.collect();
    let conclusion = step_of([("final_answer", json!({"type": "string"}))]);
    if tools.is_empty() {
        // Without tools no thought is needed, and a small model would spend all its tokens on the thought.
        return conclusion;
    }
    if may_conclude {
        alternatives.push(conclusion);
    }
    step_of([
        ("thought", json!({"type": "string"})),
        ("next", json!({"anyOf": alternatives})),
    ])
}

fn step_of<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.map(|(name, schema)| (name.to_owned(), schema));
    object(members.into_iter().collect())
}

/// Parses a step; `None` if the text is not a step. A conclusion that the token limit cut is returned as far as it
/// goes.
pub(crate) fn read(text: &str) -> Option<Step> {
    let text = unwrapped(text);
    let Ok(whole) = serde_json::from_str::<Value>(text) else {
        return cut_member(text, "final_answer").map(Step::Conclude);
    };
    let step = match whole.get("next") {
        Some(next @ Value::Object(_)) => next,
        _ => &whole,
    };
    if let Some(answer) = step.get("final_answer").and_then(Value::as_str) {
        let answer = answer.trim();
        return (!answer.is_empty()).then(|| Step::Conclude(answer.to_owned()));
    }
    let action = step.get("action")?.as_str()?.trim();
    let input = step.get("action_input").cloned().unwrap_or_default();
    (!action.is_empty()).then(|| Step::Call {
        action: action.to_owned(),
        input,
    })
}

/// Returns the beginning of a member's text if the object is cut within it. `None` if the member is missing, complete
/// or empty.
pub(crate) fn cut_member(text: &str, name: &str) -> Option<String> {
    let text = text.trim_start();
    let text = text
        .strip_prefix("```")
        .map_or(text, |fenced| fenced.trim_start_matches("json"));
    let members = text.trim_start().strip_prefix('{')?;
    let (_, rest) = members.split_once(&format!("\"{name}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let rest = rest.strip_prefix('"')?;
    let mut is_escaped = false;
    for byte in rest.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return None,
            _ => {}
        }
    }
    // The cut may be inside an escape of up to six characters, such as `\u00e9`.
    let ends = std::iter::once(rest.len()).chain(rest.char_indices().rev().map(|(at, _)| at));
    ends.take(7).find_map(|end| {
        let kept = rest.get(..end)?.replace('\n', "\\n");
        let member = serde_json::from_str::<String>(&format!("\"{kept}\"")).ok()?;
        let member = member.trim();
        (!member.is_empty()).then(|| member.to_owned())
    })
}

/// Returns the arguments that the model meant when it followed the strict schema of a tool.
pub(crate) fn arguments(input: Value, schema: &Value) -> Value {
    match restored(input, schema) {
        Value::Null => Value::Object(Map::new()),
        input => input,
    }
}

/// Strips a code fence or reasoning around a text.
fn unwrapped(text: &str) -> &str {
    let text = match text.trim_start().strip_prefix("<think>") {
        Some(thinking) => thinking.split_once("</think>").map_or("", |(_, rest)| rest),
        None => text,
    };
    let text = text.trim();
    let fenced = text
        .strip_prefix("```")
        .and_then(|rest| rest.trim_end().strip_suffix("```"));
    fenced.map_or(text, |inside| inside.trim_start_matches("json").trim())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::react::{Reply, parse_reply};

    #[test]
    fn a_step_is_read_with_what_models_put_around_it() {
        let call = r#"{"thought": "t", "next": {"action": "k8s.pods", "action_input": {"n": 1}}}"#;
        for written in [
            call.to_owned(),
            format!("```json\n{call}\n```"),
            format!("<think>hm</think>\n{call}\n"),
            r#"{"action": "k8s.pods", "action_input": {"n": 1}}"#.to_owned(),
        ] {
            let meant = Step::Call {
                action: "k8s.pods".into(),
                input: json!({"n": 1}),
            };
            assert_eq!(read(&written), Some(meant), "{written}");
        }
        let answer = r#"{"thought": "Action: x", "next": {"final_answer": "It was DNS."}}"#;
        assert_eq!(read(answer), Some(Step::Conclude("It was DNS.".into())));
        for none in [
            "",
            "{}",
            "[]",
            "It was DNS.",
            r#"{"thought": "t", "next": {"final_answer": " "}}"#,
            &call[..40],
            r#"{"thought": "t", "next": {"final_answer": "It was DNS.""#,
            r#"{"thought": "t", "next": {"final_answer": ""#,
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn a_cut_conclusion_is_one_as_far_as_it_goes() {
        let whole = json!({"thought": "The \"final_answer\" is near.", "next": {"final_answer": "It was\n\u{e9}t\u{e9} \"DNS\"."}});
        let whole = whole.to_string().replace('\u{e9}', "\\u00e9");
        let start = whole.find("It was").expect("the answer");
        let end = whole.rfind("\"}}").expect("its end");
        for cut in start + 1..end {
            let Some(Step::Conclude(answer)) = read(&whole[..cut]) else {
                panic!("no conclusion: {}", &whole[..cut]);
            };
            assert!(
                "It was\n\u{e9}t\u{e9} \"DNS\".".starts_with(&answer),
                "{answer}"
            );
        }
        let fenced = format!("```json\n{}", &whole[..end]);
        assert_eq!(
            read(&fenced),
            Some(Step::Conclude("It was\n\u{e9}t\u{e9} \"DNS\".".into()))
        );
        assert_eq!(
            cut_member(r#"{"thought": "It waits"#, "thought"),
            Some("It waits".into())
        );
        assert_eq!(read(r#"{"thought": "It waits"#), None);
    }

    /// Workers of older versions only parse text.
    #[test]
    fn a_reader_of_text_understands_a_step() {
        let call =
            r#"{"thought": "I look.", "next": {"action": "k8s.pods", "action_input": {"n": 1}}}"#;
        assert!(matches!(
            parse_reply(call),
            Reply::Act { action, input: Some(input), .. } if action == "k8s.pods" && input == r#"{"n":1}"#
        ));
        let answer = r#"{"thought": "I know.", "next": {"final_answer": "It was DNS."}}"#;
        assert!(
            matches!(parse_reply(answer), Reply::Final { answer, .. } if answer == "It was DNS.")
        );
    }

    #[test]
    fn a_copied_description_of_the_form_is_no_step() {
        assert_eq!(read(HOW), None);
        assert!(matches!(parse_reply(HOW), Reply::Malformed(_)));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[ -~\n{}\"]{0,80}", action in "[ -~]{1,20}", answer in "\\PC{1,40}") {
            let _ = read(&text);
            let step = json!({"thought": text, "next": {"action": action, "action_input": {"text": text}}}).to_string();
            if !action.trim().is_empty() {
                let is_call = matches!(read(&step), Some(Step::Call { .. }));
                prop_assert!(is_call, "{step}");
            }
            let step = json!({"thought": text, "next": {"final_answer": answer}}).to_string();
            prop_assert_eq!(read(&step).is_some(), !answer.trim().is_empty(), "{}", step);
        }
    }
}
