//! Repairs answers of tool servers that deviate from the protocol (`docs/COMPATIBILITY.md`), so that they can be read.
//! One invalid item never affects the others. Each quirk has one pure function from JSON to JSON.

mod content;
mod handshake;
mod schemas;
mod tools;

use rmcp::model::CallToolResult;
use serde_json::{Map, Value, json};
use tarsy_model::parse_odd_json;

pub(crate) use self::schemas::without_faults;

/// Descriptions of the repairs in a message, for the log.
type Repairs = Vec<String>;

/// Returns an answer in the form of the protocol, with the repairs made. `None` if the message is not an answer or not
/// JSON.
pub(crate) fn repaired(bytes: &[u8]) -> Option<(Value, Vec<String>)> {
    let mut repairs = Repairs::new();
    let mut message = answer_in(bytes, &mut repairs)?;
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        message.insert("jsonrpc".to_owned(), json!("2.0"));
        repairs.push("`jsonrpc` is missing".to_owned());
    }
    // Requests have numeric ids, but some servers answer with text ids.
    let id = message.get("id").and_then(Value::as_str);
    if let Some(id) = id.and_then(|id| id.parse::<u64>().ok()) {
        message.insert("id".to_owned(), json!(id));
        repairs.push("the id is a text".to_owned());
    }
    // Some servers send a `null` error with a result, or a `null` result with an error.
    for member in ["error", "result"] {
        if message.get(member).is_some_and(Value::is_null) {
            message.remove(member);
        }
    }
    if let Some(Value::Object(error)) = message.get_mut("error") {
        message_of(error, &mut repairs);
    }
    // Servers of the protocol's first version answer in this form.
    if let Some(legacy) = message.remove("toolResult") {
        message.insert("result".to_owned(), json!({ "toolResult": legacy }));
    }
    if let Some(Value::Object(result)) = message.get_mut("result") {
        result_of(result, &mut repairs);
    }
    Some((Value::Object(message), repairs))
}

/// Finds the answer in these bytes. It may be in a list, after a prompt or colour codes, or in slightly invalid JSON.
fn answer_in(bytes: &[u8], repairs: &mut Repairs) -> Option<Map<String, Value>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let begin = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    let begin = match begin.starts_with(['{', '[']) {
        true => begin,
        false => {
            repairs.push("text before the message".to_owned());
            text.get(text.find("{\"")?..)?
        }
    };
    let message = serde_json::from_str(begin).or_else(|_| {
        repairs.push("the JSON is odd".to_owned());
        parse_odd_json(begin)
    });
    let is_answer = |message: &Map<String, Value>| !message.contains_key("method");
    match message.ok()? {
        Value::Object(message) => Some(message).filter(is_answer),
        Value::Array(messages) => {
            repairs.push("the message is in a list".to_owned());
            let messages = messages.into_iter().filter_map(|message| match message {
                Value::Object(message) => Some(message),
                _ => None,
            });
            messages.filter(|m| m.contains_key("id")).find(is_answer)
        }
        _ => None,
    }
}

/// Converts a result that is not a tool's result to one. Its content becomes the text. `None` if the call is not
/// complete, e.g. because the server asks for input.
pub(crate) fn result_of_tool(result: Value) -> Option<CallToolResult> {
    if result
        .get("resultType")
        .is_some_and(|kind| kind != "complete")
    {
        return None;
    }
    let content = match result {
        Value::Object(ref members) if members.is_empty() => json!([]),
        Value::Object(_) => json!([result.to_string()]),
        other => other,
    };
    let mut result = Map::from_iter([("content".to_owned(), content)]);
    content::repair(&mut result, &mut Repairs::new());
    serde_json::from_value(Value::Object(result)).ok()
}

/// Returns the kind of an answer, in one word for a metric.
pub(crate) fn kind_of(answer: &Value) -> &'static str {
    let result = &answer["result"];
    match answer.get("error") {
        Some(_) => "error",
        None if result.get("tools").is_some() => "tool_list",
        None if result.get("serverInfo").is_some() => "handshake",
        None => "result",
    }
}

/// Repairs a result according to its members: a tool list, the result of a tool, or a handshake.
fn result_of(result: &mut Map<String, Value>, repairs: &mut Repairs) {
    if result.contains_key("taskId") {
        if let Some(Value::Object(ended)) = result.get_mut("result") {
            content::repair(ended, repairs);
        }
    } else if result.contains_key("tools") {
        tools::repair(result, repairs);
    } else if result.contains_key("protocolVersion") || result.contains_key("serverInfo") {
        handshake::repair(result, repairs);
    } else if ["content", "toolResult", "structuredContent", "isError"]
        .iter()
        .any(|member| result.contains_key(*member))
    {
        content::repair(result, repairs);
    }
}

/// Adds a code and a message to an error that lacks them.
fn message_of(error: &mut Map<String, Value>, repairs: &mut Repairs) {
    if !error.get("code").is_some_and(Value::is_i64) {
        let code = error
            .get("code")
            .and_then(Value::as_str)
            .and_then(|code| code.parse::<i32>().ok());
        error.insert("code".to_owned(), json!(code.unwrap_or(-32_603)));
        repairs.push("the error has no code".to_owned());
    }
    if !error.get("message").is_some_and(Value::is_string) {
        let text = error
            .get("message")
            .map_or_else(|| "the server gave no reason".to_owned(), Value::to_string);
        error.insert("message".to_owned(), json!(text));
        repairs.push("the error has no text".to_owned());
    }
}

/// Removes a member for which `is_good` is false.
fn keep_if(
    map: &mut Map<String, Value>,
    name: &str,
    repairs: &mut Repairs,
    is_good: impl Fn(&Value) -> bool,
) {
    if map.get(name).is_some_and(|value| !is_good(value)) {
        map.remove(name);
        repairs.push(format!("`{name}` is odd"));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmcp::RoleClient;
    use rmcp::model::{JsonRpcMessage, ServerResult};
    use rmcp::service::RxJsonRpcMessage;

    use super::*;

    /// Reads a result with the protocol's types.
    fn read(result: &Value) -> Option<ServerResult> {
        let message = json!({"id": "7", "result": result});
        let (repaired, _) = repaired(message.to_string().as_bytes())?;
        match serde_json::from_value::<RxJsonRpcMessage<RoleClient>>(repaired).ok()? {
            JsonRpcMessage::Response(response) => Some(response.result),
            _ => None,
        }
    }

    #[test]
    fn an_answer_of_a_tool_is_read_with_any_blocks() {
        for (content, shown) in [
            (
                json!([{"type": "text", "text": "a"}, {"type": "chart", "points": [1]}]),
                "a\n[content of the kind `chart`, not shown]",
            ),
            (
                json!([{"type": "text", "text": "a", "annotations": {"audience": ["robot"]}}]),
                "a",
            ),
            (
                json!([{"type": "resource_link", "uri": "file:///a"}]),
                "[resource link file:///a file:///a]",
            ),
            (json!("a"), "a"),
            (json!(["a", 7]), "a\n7"),
            (json!({"type": "text", "text": "a"}), "a"),
            (
                json!([{"type": "text", "text": {"pods": 3}}]),
                "{\"pods\":3}",
            ),
            (json!([{"text": "a"}]), "a"),
            (json!(null), ""),
        ] {
            let Some(ServerResult::CallToolResult(result)) = read(&json!({"content": content}))
            else {
                panic!("{content}");
            };
            assert_eq!(crate::render::raw(&result).text, shown, "{content}");
        }
        let Some(ServerResult::CallToolResult(result)) =
            read(&json!({"toolResult": {"pods": 3}, "isError": "no"}))
        else {
            panic!("a legacy answer");
        };
        assert_eq!(
            (crate::render::raw(&result).text.as_str(), result.is_error),
            ("{\"pods\":3}", None)
        );
    }

    #[test]
    fn one_odd_tool_costs_no_other() {
        let listed = json!({"tools": [
            {"name": "plain", "inputSchema": {"type": "object"}},
            {"name": "bare"},
            {"name": "empty", "inputSchema": null, "description": 7},
            {"name": "hinted", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes", "destructiveHint": false}},
            {"name": "typed", "inputSchema": {"type": "object"}, "outputSchema": "none", "title": null, "icons": {}},
            {"title": "without a name"},
            "no tool",
        ], "nextCursor": ""});
        let Some(ServerResult::ListToolsResult(list)) = read(&listed) else {
            panic!("a list");
        };
        let names: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["plain", "bare", "empty", "hinted", "typed"]);
        assert_eq!(list.next_cursor, None);
        let hints = list.tools[3].annotations.as_ref().unwrap();
        assert_eq!(
            (hints.read_only_hint, hints.destructive_hint),
            (None, Some(false))
        );
    }

    #[test]
    fn a_handshake_needs_no_name() {
        assert!(matches!(
            read(&json!({"protocolVersion": "2025-06-18"})),
            Some(ServerResult::InitializeResult(_))
        ));
    }

    #[test]
    fn a_good_answer_needs_no_repair() {
        let good = json!({"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "a"}], "isError": false}});
        let (same, repairs) = repaired(good.to_string().as_bytes()).unwrap();
        assert_eq!((same, repairs), (good, Vec::<String>::new()));
        assert_eq!(
            repaired(br#"{"jsonrpc": "2.0", "id": 7, "method": "ping"}"#),
            None
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            "[a-z ]{0,6}".prop_map(Value::from),
            any::<i32>().prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let name = prop::sample::select(vec![
                "type",
                "text",
                "uri",
                "name",
                "annotations",
                "audience",
                "data",
                "mimeType",
                "resource",
                "content",
                "inputSchema",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((name, inner), 0..4).prop_map(|members| Value::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect()
                )),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// For any value in place of content or tools, the answer can be read.
        #[test]
        fn any_answer_is_read(value in any_json()) {
            let answer = read(&json!({"content": value}));
            prop_assert!(matches!(answer, Some(ServerResult::CallToolResult(_))), "{:?}", answer);
            let list = read(&json!({"tools": value, "nextCursor": value}));
            prop_assert!(matches!(list, Some(ServerResult::ListToolsResult(_))), "{:?}", list);
        }
    }
}
