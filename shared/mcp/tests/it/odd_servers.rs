//! Answers of servers that deviate from the protocol (`docs/COMPATIBILITY.md`), over the wire: handshakes, lists,
//! results, framing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tarsy_mcp::{CallOptions, ServerSettings};

use crate::support::{http, one, stdio};

/// Answers that a server sends in place of its usual ones. `ID` stands for the request's id.
#[derive(Clone, Default)]
struct Odd {
    handshake: Option<String>,
    list: Option<String>,
    call: Option<String>,
    content_type: Option<&'static str>,
}

const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"pods","description":"Lists pods.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}"#;
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"It is full."}]}}"#;

async fn answer(State(odd): State<Odd>, body: String) -> Response {
    let Ok(request) = serde_json::from_str::<Value>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let usual = |own: &Option<String>, usual: &str| own.clone().unwrap_or_else(|| usual.to_owned());
    let template = match request["method"].as_str().unwrap_or_default() {
        "initialize" => usual(&odd.handshake, HANDSHAKE),
        "tools/list" => usual(&odd.list, LIST),
        "tools/call" => usual(&odd.call, CALL),
        _ if request["id"].is_null() => return StatusCode::ACCEPTED.into_response(),
        _ => r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no such method"}}"#
            .to_owned(),
    };
    let body = template.replace("ID", &request["id"].to_string());
    let content_type = odd.content_type.unwrap_or("application/json");
    match content_type {
        "" => body.into_bytes().into_response(),
        _ => ([(header::CONTENT_TYPE, content_type)], body).into_response(),
    }
}

async fn over_http(odd: Odd) -> ServerSettings {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let app = Router::new().route("/mcp", post(answer)).with_state(odd);
    tokio::spawn(async move { axum::serve(listener, app).await });
    http("odd", &url)
}

fn over_stdio(odd: &Odd) -> ServerSettings {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/odd.py");
    let frames = json!({
        "initialize": odd.handshake.as_deref().unwrap_or(HANDSHAKE),
        "tools/list": odd.list.as_deref().unwrap_or(LIST),
        "tools/call": odd.call.as_deref().unwrap_or(CALL),
    });
    stdio(
        "odd",
        "python3",
        &[script.to_str().unwrap(), &frames.to_string()],
    )
}

/// Returns the tool's text, or the error.
async fn answer_text(settings: ServerSettings) -> String {
    let (pool, tools) = one(ServerSettings {
        start_timeout: std::time::Duration::from_secs(5),
        call_timeout: std::time::Duration::from_secs(3),
        ..settings
    });
    let listing = tools.list().await;
    let answer_text = match listing.unavailable.as_slice() {
        [] if listing.tools.len() == 1 => {
            let called = tools.call(
                "odd",
                &listing.tools[0].name,
                json!({}),
                CallOptions::default(),
            );
            match called.await {
                Ok(outcome) => outcome.text,
                Err(error) => format!("no answer: {error}"),
            }
        }
        [] => format!("{} tools", listing.tools.len()),
        missing => format!("unavailable: {missing:?}"),
    };
    pool.close().await;
    answer_text
}

fn result(result: &Value) -> String {
    let id = "ID";
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn handshake(members: Value) -> Odd {
    let mut usual = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}});
    merge(&mut usual, members);
    Odd {
        handshake: Some(result(&usual)),
        ..Odd::default()
    }
}

fn tool(members: Value) -> Odd {
    let mut usual = json!({"name": "pods", "description": "Lists pods.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    merge(&mut usual, members);
    Odd {
        list: Some(result(&json!({"tools": [usual]}))),
        ..Odd::default()
    }
}

fn list(members: Value) -> Odd {
    let mut usual = json!({"tools": [{"name": "pods", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]});
    merge(&mut usual, members);
    Odd {
        list: Some(result(&usual)),
        ..Odd::default()
    }
}

fn called(members: Value) -> Odd {
    let mut usual = json!({"content": [{"type": "text", "text": "It is full."}]});
    merge(&mut usual, members);
    Odd {
        call: Some(result(&usual)),
        ..Odd::default()
    }
}

fn merge(to: &mut Value, members: Value) {
    for (name, value) in members.as_object().unwrap() {
        match value {
            Value::String(marker) if marker == "(gone)" => {
                to.as_object_mut().unwrap().remove(name);
            }
            value => to[name] = value.clone(),
        }
    }
}

fn rows() -> Vec<(&'static str, Odd)> {
    let call = |text: &str| Odd {
        call: Some(text.to_owned()),
        ..Odd::default()
    };
    vec![
        ("usual", Odd::default()),
        (
            "unknown version",
            handshake(json!({"protocolVersion": "2024-10-07"})),
        ),
        (
            "later version",
            handshake(json!({"protocolVersion": "2099-01-01"})),
        ),
        ("version a number", handshake(json!({"protocolVersion": 1}))),
        (
            "no capabilities",
            handshake(json!({"capabilities": "(gone)"})),
        ),
        ("capabilities empty", handshake(json!({"capabilities": {}}))),
        (
            "capabilities odd",
            handshake(
                json!({"capabilities": {"tools": true, "logging": null, "prompts": [], "experimental": "x"}}),
            ),
        ),
        (
            "capabilities of tools null",
            handshake(json!({"capabilities": {"tools": null}})),
        ),
        (
            "instructions a list",
            handshake(json!({"instructions": ["a"]})),
        ),
        (
            "info with odd members",
            handshake(
                json!({"serverInfo": {"name": "odd", "version": "1", "title": 7, "icons": {}, "websiteUrl": null}}),
            ),
        ),
        (
            "version of info a number",
            handshake(json!({"serverInfo": {"name": "odd", "version": 1.0}})),
        ),
        (
            "schema a text",
            tool(json!({"inputSchema": "{\"type\": \"object\"}"})),
        ),
        ("schema a list", tool(json!({"inputSchema": []}))),
        ("schema true", tool(json!({"inputSchema": true}))),
        (
            "schema without a type",
            tool(json!({"inputSchema": {"properties": {}}})),
        ),
        (
            "schema of another type",
            tool(json!({"inputSchema": {"type": "string"}})),
        ),
        (
            "schema with types",
            tool(json!({"inputSchema": {"type": ["object", "null"]}})),
        ),
        (
            "properties null",
            tool(
                json!({"inputSchema": {"type": "object", "properties": null, "required": null, "additionalProperties": null}}),
            ),
        ),
        (
            "properties a list",
            tool(json!({"inputSchema": {"type": "object", "properties": []}})),
        ),
        (
            "required a text",
            tool(json!({"inputSchema": {"type": "object", "properties": {}, "required": ""}})),
        ),
        (
            "schema that refers to itself",
            tool(
                json!({"inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}}}}),
            ),
        ),
        ("name with spaces", tool(json!({"name": "list pods"}))),
        (
            "name with slashes and dots",
            tool(json!({"name": "k8s/pods.list"})),
        ),
        ("name in another script", tool(json!({"name": "список"}))),
        ("long name", tool(json!({"name": "p".repeat(120)}))),
        (
            "description null",
            tool(
                json!({"description": null, "title": null, "annotations": {"readOnlyHint": true, "title": null}}),
            ),
        ),
        (
            "execution odd",
            tool(json!({"execution": {"taskSupport": "sometimes"}})),
        ),
        ("meta null", tool(json!({"_meta": null}))),
        ("cursor null", list(json!({"nextCursor": null}))),
        ("cursor a number", list(json!({"nextCursor": 0}))),
        (
            "list with a null",
            list(json!({"tools": [null, {"name": "pods", "annotations": {"readOnlyHint": true}}]})),
        ),
        (
            "tools by name",
            list(
                json!({"tools": {"pods": {"name": "pods", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}}}),
            ),
        ),
        ("error flag a text", called(json!({"isError": "false"}))),
        ("error flag null", called(json!({"isError": null}))),
        (
            "structured list",
            called(json!({"structuredContent": ["It is full."], "content": []})),
        ),
        (
            "structured text",
            called(json!({"structuredContent": "It is full.", "content": "(gone)"})),
        ),
        (
            "content one block",
            called(json!({"content": {"type": "text", "text": "It is full."}})),
        ),
        ("content a text", called(json!({"content": "It is full."}))),
        ("content texts", called(json!({"content": ["It is full."]}))),
        (
            "no content but a member",
            call(r#"{"jsonrpc":"2.0","id":ID,"result":{"output":"It is full."}}"#),
        ),
        (
            "the result a text",
            call(r#"{"jsonrpc":"2.0","id":ID,"result":"It is full."}"#),
        ),
        (
            "the result a list",
            call(r#"{"jsonrpc":"2.0","id":ID,"result":[{"type":"text","text":"It is full."}]}"#),
        ),
        (
            "an embedded text",
            called(
                json!({"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "It is full."}}]}),
            ),
        ),
        (
            "an embedded text without an address",
            called(json!({"content": [{"type": "resource", "resource": {"text": "It is full."}}]})),
        ),
        (
            "an embedded text with its type null",
            called(
                json!({"content": [{"type": "resource", "resource": {"uri": "a", "mimeType": null, "text": "It is full."}}]}),
            ),
        ),
        (
            "type in capitals",
            called(json!({"content": [{"type": "TEXT", "text": "It is full."}]})),
        ),
        (
            "text in a value",
            called(json!({"content": [{"type": "text", "value": "It is full."}]})),
        ),
        (
            "an image beside",
            called(
                json!({"content": [{"type": "text", "text": "It is full."}, {"type": "image", "data": "x"}]}),
            ),
        ),
        ("id a text", call(&CALL.replace("ID", "\"ID\""))),
        ("id with a fraction", call(&CALL.replace("ID", "ID.0"))),
        (
            "no version of the protocol",
            call(&CALL.replace("\"jsonrpc\":\"2.0\",", "")),
        ),
        (
            "version a number in a call",
            call(&CALL.replace("\"2.0\"", "2.0")),
        ),
        (
            "error null beside",
            call(&CALL.replace("\"result\"", "\"error\":null,\"result\"")),
        ),
        ("a list with one answer", call(&format!("[{CALL}]"))),
        (
            "half a surrogate",
            call(&CALL.replace("full.\"", "full.\",\"x\":\"\\ud83d\"")),
        ),
        (
            "not a number",
            call(&CALL.replace("\"content\"", "\"score\":NaN,\"content\"")),
        ),
        ("a mark before", call(&format!("\u{feff}{CALL}"))),
    ]
}

#[tokio::test]
async fn odd_answers_over_http() {
    let sse = |text: &str| format!("event: message\ndata: {text}\n\n");
    let mut rows = rows();
    for content_type in [
        "application/json; charset=utf-8",
        "text/plain",
        "",
        "text/json",
    ] {
        rows.push((
            content_type,
            Odd {
                content_type: Some(content_type),
                ..Odd::default()
            },
        ));
    }
    let streamed = |change: fn(String) -> String| Odd {
        handshake: Some(change(sse(HANDSHAKE))),
        list: Some(change(sse(LIST))),
        call: Some(change(sse(CALL))),
        content_type: Some("text/event-stream"),
    };
    rows.extend([
        ("events", streamed(|text| text)),
        (
            "events without names",
            streamed(|text| text.replace("event: message\n", "")),
        ),
        (
            "events with comments",
            streamed(|text| format!(": ping\n\n{text}")),
        ),
        (
            "events with an empty one",
            streamed(|text| format!("id: 1\ndata:\n\n{text}")),
        ),
        (
            "events of Windows",
            streamed(|text| text.replace('\n', "\r\n")),
        ),
        (
            "events with a mark",
            streamed(|text| format!("\u{feff}{text}")),
        ),
        (
            "events without an end",
            streamed(|text| text.trim_end().to_owned()),
        ),
        (
            "events of another name",
            streamed(|text| text.replace("event: message", "event: response")),
        ),
        (
            "events in a list",
            streamed(|text| {
                text.replace("data: {", "data: [{")
                    .replace("}\n\n", "}]\n\n")
            }),
        ),
    ]);
    let mut wrong = Vec::new();
    for (what, odd) in rows {
        let text = answer_text(over_http(odd).await).await;
        if !text.contains("It is full.") {
            wrong.push(format!("{what}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn odd_answers_of_a_child() {
    // The content of answers is read as over HTTP.
    let each = |change: fn(&str) -> String| Odd {
        handshake: Some(change(HANDSHAKE)),
        list: Some(change(LIST)),
        call: Some(change(CALL)),
        content_type: None,
    };
    let rows = [
        ("line ends of Windows", each(|line| format!("{line}\r"))),
        (
            "a log before",
            each(|line| format!("INFO starting\n\u{1b}[32mok\u{1b}[0m\n{line}")),
        ),
        (
            "a log as JSON before",
            each(|line| format!("{{\"level\":\"info\",\"msg\":\"starting\"}}\n{line}")),
        ),
        ("colours before", each(|line| format!("\u{1b}[0m{line}"))),
        ("white space before", each(|line| format!("  \t{line}  "))),
        (
            "with lengths before",
            each(|line| format!("Content-Length: {}\r\n\r\n{line}", line.len())),
        ),
        ("a prompt before", each(|line| format!("> {line}"))),
    ];
    let mut wrong = Vec::new();
    for (what, odd) in rows {
        let text = answer_text(over_stdio(&odd)).await;
        if !text.contains("It is full.") {
            wrong.push(format!("{what}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A call that waits for input is not complete: its tool has not answered.
#[tokio::test]
async fn a_call_that_requests_input_is_no_answer() {
    let input_required = json!({"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create", "params": {}}}});
    let odd = Odd {
        call: Some(result(&input_required)),
        ..Odd::default()
    };
    let text = answer_text(over_http(odd).await).await;
    assert!(text.starts_with("no answer: "), "{text}");
}
