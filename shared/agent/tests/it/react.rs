//! Parsing of replies: a table of replies that models write, and properties of possible ones.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_agent::{Problem, Reply, correction, parse_input, parse_reply};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    reply: String,
    thought: Option<String>,
    act: Option<String>,
    input: Option<Value>,
    #[serde(default)]
    no_input: bool,
    #[serde(default)]
    bad_input: bool,
    #[serde(default)]
    more: bool,
    #[serde(rename = "final")]
    conclusion: Option<String>,
    malformed: Option<String>,
    #[serde(default)]
    skip_thought: bool,
}

fn cases() -> Vec<Case> {
    serde_saphyr::from_str(include_str!("../replies.yaml")).expect("the table is valid")
}

fn check(case: &Case) -> Result<(), String> {
    let reply = parse_reply(&case.reply);
    let differs = |what: &str| Err(format!("{}: {what} of {reply:#?}", case.name));
    match &reply {
        Reply::Act {
            thought,
            action,
            input,
            more,
        } => {
            if case.act.as_ref() != Some(action) || case.more != *more || &case.thought != thought {
                return differs("action, thought or more");
            }
            if case.no_input != input.is_none() {
                return differs("presence of the input");
            }
            let arguments = parse_input(input.as_deref().unwrap_or_default(), &Value::Null);
            match (case.bad_input, arguments) {
                (true, Err(_)) => Ok(()),
                (false, Ok(arguments)) if arguments == case.input.clone().unwrap_or(json!({})) => {
                    Ok(())
                }
                (_, other) => differs(&format!("arguments {other:?}")),
            }
        }
        Reply::Final { thought, answer } => {
            let thought_is_right = case.skip_thought || &case.thought == thought;
            if case.conclusion.as_ref() == Some(answer) && thought_is_right {
                Ok(())
            } else {
                differs("conclusion")
            }
        }
        Reply::Malformed(problem) => {
            if case.malformed == Some(format!("{problem:?}")) {
                Ok(())
            } else {
                differs("problem")
            }
        }
    }
}

#[test]
fn the_table_of_replies_is_read_as_it_says() {
    let cases = cases();
    assert!(cases.len() >= 120, "only {} replies", cases.len());
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// Checks that rendering a reply and parsing it again gives the same reply. Further actions are left out.
fn is_stable(text: &str) -> Result<(), TestCaseError> {
    let first = match parse_reply(text) {
        Reply::Act {
            thought,
            action,
            input,
            ..
        } => Reply::Act {
            thought,
            action,
            input,
            more: false,
        },
        other => other,
    };
    if !matches!(first, Reply::Malformed(_)) {
        let rendered = first.to_string();
        prop_assert_eq!(parse_reply(&rendered), first, "rendered as {:?}", rendered);
    }
    Ok(())
}

#[test]
fn every_reply_of_the_table_is_stable() {
    for case in cases() {
        is_stable(&case.reply).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    }
}

/// Generates replies from their usual pieces, in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Thought:",
        "Thought",
        "Action:",
        "Action",
        "Action Input:",
        "Final Answer:",
        "Observation:",
        "**Action:**",
        "**",
        "### Thought",
        "- Action:",
        "> ",
        "```",
        "```json",
        "`",
        "<think>",
        "</think>",
        "k8s.pods_list",
        "a.b",
        "None",
        "{\"a\": 1}",
        "{\"action\": \"a.b\", \"action_input\": {}}",
        "{\"final_answer\": \"x\"}",
        "{\"thought\": \"Final Answer: y\", \"tool\": \"a.b\"}",
        "{",
        "}",
        "[",
        "(",
        ")",
        "a: b",
        "c=d",
        "- e",
        "  ",
        "\n",
        "\n\n",
        " ",
        ".",
        "!",
        "I see",
        "[Based on",
        "ä€𝄞",
        "\t",
        "\r\n",
        "：",
        "thought:",
        "action:",
        "final answer:",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn header_soup_is_read_the_same_twice(text in soup()) {
        is_stable(&text)?;
    }

    #[test]
    fn no_text_panics(text in any::<String>(), input in any::<String>()) {
        is_stable(&text)?;
        let schema = json!({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]});
        let _ = parse_input(&input, &schema);
    }

    #[test]
    fn no_input_panics(input in soup()) {
        let arguments = parse_input(&input, &Value::Null);
        prop_assert!(arguments.map_or(true, |a| a.is_object()));
    }
}

#[test]
fn arguments_are_brought_to_the_types_of_the_schema() {
    let schema = json!({"properties": {
        "name": {"type": "string"}, "tail": {"type": "integer"}, "all": {"type": "boolean"},
        "command": {"type": "array"}, "labels": {"type": "object"},
    }});
    let read = |text| parse_input(text, &schema).expect("readable");
    assert_eq!(
        read("name: 123, tail: \"50\", all: yes"),
        json!({"name": "123", "tail": 50, "all": true})
    );
    assert_eq!(
        read(r#"{"command": "ls", "labels": "{\"a\": 1}"}"#),
        json!({"command": ["ls"], "labels": {"a": 1}})
    );
    let one = json!({"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["query"]});
    assert_eq!(
        parse_input("pods that crash", &one).expect("readable"),
        json!({"query": "pods that crash"})
    );
}

#[test]
fn a_yaml_bomb_is_refused_quickly() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &('b'..='i')
            .map(|c| {
                let p = char::from(c as u8 - 1);
                format!("{c}: &{c} [*{p},*{p},*{p},*{p},*{p},*{p},*{p},*{p},*{p}]\n")
            })
            .collect::<String>();
    let read = parse_input(&bomb, &Value::Null);
    assert!(read.is_err() || read.is_ok_and(|v| v.to_string().len() < 1_000_000));
}

#[test]
fn every_problem_says_what_to_write_instead() {
    for problem in [
        Problem::Empty,
        Problem::NoSections,
        Problem::ThoughtOnly,
        Problem::NoToolName,
    ] {
        let text = correction(problem);
        assert!(text.contains("Action Input") && text.contains("Final Answer"));
    }
}
