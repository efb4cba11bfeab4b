//! Variants in which servers and gateways send answers (`docs/COMPATIBILITY.md`). Each means the same as the usual
//! form.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_llm::{
    AnswerObserver, AnswerPart, AnswerStream, CallError, ChatReply, ChatRequest, ErrorClass,
    ProviderKind, ToolSpec,
};
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, WireFormat};

use crate::{model, question};

struct DiscardingObserver;

impl AnswerObserver for DiscardingObserver {
    fn attempt(&self) {}
    fn piece(&self, _: AnswerPart, _: &str) {}
}

/// The expected meaning of an answer.
#[derive(Debug, PartialEq)]
enum Meant {
    /// The text `It is full.`
    Text,
    /// One call of `pods` with `{"ns": "shop"}`.
    Call,
    Error(ErrorClass),
}

fn meant(answer: Result<ChatReply, CallError>) -> Result<Meant, String> {
    match answer {
        Ok(reply) => match reply.tool_calls.as_slice() {
            [] if reply.text == "It is full." => Ok(Meant::Text),
            [call] if call.name == "pods" && call.arguments == json!({"ns": "shop"}) => {
                Ok(Meant::Call)
            }
            _ => Err(format!("{reply:?}")),
        },
        Err(error) => Ok(Meant::Error(error.class)),
    }
}

fn request(is_watched: bool) -> ChatRequest {
    let mut request = ChatRequest {
        tools: vec![ToolSpec {
            name: "pods".into(),
            description: "Lists pods.".into(),
            schema: json!({"type": "object", "properties": {"ns": {"type": "string"}}}),
        }],
        ..question("Why?")
    };
    if is_watched {
        request.stream = AnswerStream::to(Arc::new(DiscardingObserver));
    }
    request
}

/// Asks for each answer and reports those with another meaning.
async fn check(
    kind: ProviderKind,
    format: WireFormat,
    is_watched: bool,
    rows: Vec<(&str, u16, &str, String, Meant)>,
) {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let model = model(&fake, kind, format);
    let mut wrong = Vec::new();
    for (what, status, content_type, body, expected) in rows {
        fake.queue([Behaviour::Raw {
            status,
            content_type: content_type.into(),
            body,
            headers: Vec::new(),
        }]);
        let answer = model.chat(&request(is_watched)).await;
        let shown = format!("{answer:?}");
        if meant(answer) != Ok(expected) {
            wrong.push(format!("{what}: {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";

fn whole(message: &Value) -> String {
    json!({"id": "x", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).to_string()
}

#[tokio::test]
async fn whole_answers_of_servers_with_the_api_of_openai() {
    use Meant::{Call, Error, Text};
    let text = |members: Value| {
        let mut body = json!({"id": "x", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "It is full."}, "finish_reason": "stop"}]});
        for (at, value) in members.as_object().unwrap() {
            let (place, name) = at.rsplit_once('/').unwrap();
            let owner = body.pointer_mut(place).unwrap();
            match value {
                Value::String(marker) if marker == "(gone)" => {
                    owner.as_object_mut().unwrap().remove(name);
                }
                value => owner[name] = value.clone(),
            }
        }
        body.to_string()
    };
    let parts = json!([{"type": "text", "text": "It is full."}]);
    let thought = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "It is full."}]);
    let rows = vec![
        ("content in parts", 200, JSON, whole(&json!({"content": parts})), Text),
        ("content with thoughts in parts", 200, JSON, whole(&json!({"content": thought})), Text),
        ("usage null", 200, JSON, text(json!({"/usage": null})), Text),
        ("usage a list", 200, JSON, text(json!({"/usage": []})), Text),
        ("usage with fractions", 200, JSON, text(json!({"/usage": {"prompt_tokens": 10.0, "completion_tokens": 2.5, "total_tokens": 12.5}})), Text),
        ("usage with texts", 200, JSON, text(json!({"/usage": {"prompt_tokens": "10", "completion_tokens": "2"}})), Text),
        ("usage with null details", 200, JSON, text(json!({"/usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "prompt_tokens_details": null, "completion_tokens_details": null}})), Text),
        ("usage with odd details", 200, JSON, text(json!({"/usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": null}, "completion_tokens_details": []}})), Text),
        ("usage beyond 32 bits", 200, JSON, text(json!({"/usage": {"prompt_tokens": 9_000_000_000_i64, "completion_tokens": -1}})), Text),
        ("no finish reason", 200, JSON, text(json!({"/choices/0/finish_reason": null})), Text),
        ("finish reason eos", 200, JSON, text(json!({"/choices/0/finish_reason": "eos_token"})), Text),
        ("finish reason a number", 200, JSON, text(json!({"/choices/0/finish_reason": 2})), Text),
        ("no model", 200, JSON, text(json!({"/model": "(gone)", "/id": "(gone)"})), Text),
        ("model null", 200, JSON, text(json!({"/model": null})), Text),
        ("created a text", 200, JSON, text(json!({"/created": "2026-11-29"})), Text),
        ("no index", 200, JSON, text(json!({"/choices/0/index": "(gone)"})), Text),
        ("role null", 200, JSON, text(json!({"/choices/0/message/role": null})), Text),
        ("role model", 200, JSON, text(json!({"/choices/0/message/role": "model"})), Text),
        ("calls null", 200, JSON, text(json!({"/choices/0/message/tool_calls": null, "/choices/0/message/function_call": null})), Text),
        ("calls none", 200, JSON, text(json!({"/choices/0/message/tool_calls": []})), Text),
        ("reasoning beside", 200, JSON, text(json!({"/choices/0/message/reasoning": "Hm.", "/choices/0/message/reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]})), Text),
        ("reasoning a list", 200, JSON, text(json!({"/choices/0/message/reasoning_content": [{"text": "Hm."}]})), Text),
        ("refusal empty", 200, JSON, text(json!({"/choices/0/message/refusal": ""})), Text),
        ("error null", 200, JSON, text(json!({"/error": null})), Text),
        ("error empty", 200, JSON, text(json!({"/error": ""})), Text),
        ("error {}", 200, JSON, text(json!({"/error": {}})), Text),
        ("lines before", 200, JSON, format!("\n\n\n  {}", text(json!({}))), Text),
        ("mark before", 200, JSON, format!("\u{feff}{}", text(json!({}))), Text),
        ("plain text type", 200, "text/plain; charset=utf-8", text(json!({})), Text),
        ("no type", 200, "", text(json!({})), Text),
        ("a lone surrogate", 200, JSON, text(json!({"/x": "SURROGATE"})).replace("SURROGATE", "\\ud83d"), Text),
        ("not a number", 200, JSON, text(json!({"/logprobs": "NAN"})).replace("\"NAN\"", "NaN"), Text),
        ("a raw line break in a text", 200, JSON, text(json!({"/x": "BREAK"})).replace("BREAK", "a\nb"), Text),
        ("a namespace", 200, JSON, whole(&json!({"content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "functions.pods", "arguments": "{\"ns\": \"shop\"}"}}]})), Call),
        ("legacy function call", 200, JSON, whole(&json!({"content": null, "function_call": {"name": "pods", "arguments": "{\"ns\": \"shop\"}"}})), Call),
        ("a stream unasked", 200, SSE, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is full.\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".into(), Text),
        ("no choices", 200, JSON, json!({"choices": [], "usage": {"prompt_tokens": 1}}).to_string(), Error(ErrorClass::Empty)),
        ("a page", 200, "text/html", "<html><title>Sign in</title></html>".into(), Error(ErrorClass::Malformed)),
        ("nothing", 200, JSON, String::new(), Error(ErrorClass::Malformed)),
        ("errors list", 400, JSON, json!({"errors": [{"message": "prompt is too long"}]}).to_string(), Error(ErrorClass::ContextLength)),
        ("detail list", 422, JSON, json!({"detail": [{"loc": ["body"], "msg": "prompt is too long"}]}).to_string(), Error(ErrorClass::ContextLength)),
        ("plain text", 400, "text/plain", "prompt is too long".into(), Error(ErrorClass::ContextLength)),
        ("list with an error", 429, JSON, json!([{"error": {"code": 429, "message": "slow down"}}]).to_string(), Error(ErrorClass::RateLimited)),
    ];
    check(ProviderKind::OpenAi, WireFormat::OpenAi, false, rows).await;
}

#[tokio::test]
async fn streams_of_servers_with_the_api_of_openai() {
    use Meant::{Call, Error, Text};
    let chunk = |delta: Value, finish: Value| {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).to_string()
    };
    let it = chunk(json!({"content": "It is "}), Value::Null);
    let full = chunk(json!({"content": "full."}), Value::Null);
    let end = chunk(json!({}), json!("stop"));
    let of = |events: &[&str]| -> String {
        events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect()
    };
    let call = |arguments: &str| json!({"index": 0, "id": "a", "type": "function", "function": {"name": "pods", "arguments": arguments}});
    let calls = |call: Value| chunk(json!({"tool_calls": [call]}), Value::Null);
    let usual = of(&[&it, &full, &end, "[DONE]"]);
    let rows = vec![
        ("usual", 200, SSE, usual.clone(), Text),
        ("no end mark", 200, SSE, of(&[&it, &full, &end]), Text),
        ("no reason", 200, SSE, of(&[&it, &full, "[DONE]"]), Text),
        ("type with charset", 200, "text/event-stream;charset=UTF-8", usual.clone(), Text),
        ("type text/plain", 200, "text/plain", usual.clone(), Text),
        ("no type", 200, "", usual.clone(), Text),
        ("type json", 200, JSON, usual.clone(), Text),
        ("line ends of Windows", 200, SSE, usual.replace('\n', "\r\n"), Text),
        ("line ends of old", 200, SSE, usual.replace('\n', "\r"), Text),
        ("no space", 200, SSE, usual.replace("data: ", "data:"), Text),
        ("comments", 200, SSE, format!(": OPENROUTER PROCESSING\n\n{}", usual.replace("data: [", ": x\n\ndata: [")), Text),
        ("names of events", 200, SSE, usual.replace("data: {", "event: message\nid: 7\nretry: 10\ndata: {"), Text),
        ("mark before", 200, SSE, format!("\u{feff}{usual}"), Text),
        ("one line break", 200, SSE, usual.replace("\n\n", "\n"), Text),
        ("empty choices", 200, SSE, of(&["{\"choices\":[],\"prompt_filter_results\":[]}", &it, &full, &end, "{\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}", "[DONE]"]), Text),
        ("choices null", 200, SSE, of(&["{\"choices\":null}", &it, &full, &end, "[DONE]"]), Text),
        ("no object", 200, SSE, of(&["null", "\"ping\"", "[]", &it, &full, &end, "[DONE]"]), Text),
        ("delta null", 200, SSE, of(&[&it, &full, "{\"choices\":[{\"index\":0,\"delta\":null,\"finish_reason\":\"stop\"}]}"]), Text),
        ("content in parts", 200, SSE, of(&[&chunk(json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}), Value::Null), &chunk(json!({"content": [{"type": "text", "text": "It is "}]}), Value::Null), &full, &end]), Text),
        ("a message in place of a delta", 200, SSE, of(&[&json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "It is full."}, "finish_reason": "stop"}]}).to_string(), "[DONE]"]), Text),
        ("the message at the end", 200, SSE, of(&[&it, &full, &json!({"choices": [{"index": 0, "delta": {}, "message": {"role": "assistant", "content": "It is full."}, "finish_reason": "stop"}]}).to_string(), "[DONE]"]), Text),
        ("an event of several lines", 200, SSE, of(&[&it, &full]) + "data: {\"choices\": [\ndata: {\"index\": 0, \"delta\": {}, \"finish_reason\": \"stop\"}\ndata: ]}\n\ndata: [DONE]\n\n", Text),
        ("a lone surrogate", 200, SSE, of(&[&it.replace("\"index\"", "\"x\":\"\\ud83d\",\"index\""), &full, &end]), Text),
        ("not a number", 200, SSE, of(&[&it.replace("\"index\"", "\"logprobs\":-Infinity,\"index\""), &full, &end]), Text),
        ("name again", 200, SSE, of(&[&calls(call("{\"ns\":")), &calls(call("\"shop\"}")), &end]), Call),
        ("id empty later", 200, SSE, of(&[&calls(call("{\"ns\":")), &calls(json!({"index": 0, "id": "", "function": {"name": null, "arguments": "\"shop\"}"}})), &end]), Call),
        ("id null later", 200, SSE, of(&[&calls(call("{\"ns\":")), &calls(json!({"index": 0, "id": null, "type": null, "function": {"name": "", "arguments": "\"shop\"}"}})), &end]), Call),
        ("index a text", 200, SSE, of(&[&calls(json!({"index": "0", "id": "a", "function": {"name": "pods", "arguments": "{\"ns\":"}})), &calls(json!({"index": "0", "function": {"arguments": "\"shop\"}"}})), &end]), Call),
        ("no index later", 200, SSE, of(&[&calls(call("{\"ns\":")), &calls(json!({"function": {"arguments": "\"shop\"}"}})), &end]), Call),
        ("index from one", 200, SSE, of(&[&calls(json!({"index": 1, "id": "a", "function": {"name": "pods", "arguments": "{\"ns\":"}})), &calls(json!({"index": 1, "function": {"arguments": "\"shop\"}"}})), &end]), Call),
        ("a call as an object", 200, SSE, of(&[&chunk(json!({"tool_calls": call("{\"ns\": \"shop\"}")}), Value::Null), &end]), Call),
        ("legacy function call", 200, SSE, of(&[&chunk(json!({"function_call": {"name": "pods", "arguments": "{\"ns\":"}}), Value::Null), &chunk(json!({"function_call": {"arguments": "\"shop\"}"}}), Value::Null), &chunk(json!({}), json!("function_call"))]), Call),
        ("calls in the message at the end", 200, SSE, of(&[&json!({"choices": [{"index": 0, "delta": {"content": ""}, "message": {"content": null, "tool_calls": [call("{\"ns\": \"shop\"}")]}, "finish_reason": "tool_calls"}]}).to_string()]), Call),
        ("an error inside", 200, SSE, of(&[&it, "{\"error\":{\"message\":\"slow down\",\"code\":429}}"]), Error(ErrorClass::RateLimited)),
        ("an error as a text", 200, SSE, of(&[&it, "{\"error\":\"rate_limit reached\"}"]), Error(ErrorClass::RateLimited)),
        ("an error by name", 200, SSE, of(&[&it]) + "event: error\ndata: {\"message\": \"rate_limit reached\", \"code\": 429}\n\n", Error(ErrorClass::RateLimited)),
        ("an error by name and type", 200, SSE, of(&[&it]) + "event: error\ndata: {\"type\": \"error\", \"message\": \"rate_limit reached\", \"code\": 429}\n\n", Error(ErrorClass::RateLimited)),
        ("an error of vLLM", 200, SSE, of(&[&it, "{\"object\":\"error\",\"message\":\"rate_limit reached\",\"code\":429}"]), Error(ErrorClass::RateLimited)),
        ("an error after a choice", 200, SSE, of(&["{\"error\":{\"message\":\"slow down\",\"code\":429},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}"]), Error(ErrorClass::RateLimited)),
        ("the end is missing", 200, SSE, of(&[&it]), Error(ErrorClass::Malformed)),
    ];
    check(ProviderKind::OpenAi, WireFormat::OpenAi, true, rows).await;
}

#[tokio::test]
async fn answers_of_other_vendors() {
    use Meant::{Call, Error, Text};
    let claude = |members: Value| {
        let mut body = json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "It is full."}], "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
        for (name, value) in members.as_object().unwrap() {
            body[name] = value.clone();
        }
        body.to_string()
    };
    let rows = vec![
        ("unknown block", 200, JSON, claude(json!({"content": [{"type": "new_block", "x": 1}, {"type": "text", "text": "It is full."}]})), Text),
        ("redacted thoughts", 200, JSON, claude(json!({"content": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "It is full."}]})), Text),
        ("search beside", 200, JSON, claude(json!({"content": [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, {"type": "text", "text": "It is full.", "citations": [{"type": "x"}]}]})), Text),
        ("usage null", 200, JSON, claude(json!({"usage": null})), Text),
        ("usage with objects", 200, JSON, claude(json!({"usage": {"input_tokens": 1, "output_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 0}, "server_tool_use": null, "service_tier": "standard"}})), Text),
        ("unknown end", 200, JSON, claude(json!({"stop_reason": "pause_turn"})), Text),
        ("end null", 200, JSON, claude(json!({"stop_reason": null})), Text),
        ("window exceeded", 200, JSON, claude(json!({"stop_reason": "model_context_window_exceeded"})), Text),
        ("refusal", 200, JSON, claude(json!({"stop_reason": "refusal", "content": []})), Error(ErrorClass::Refused)),
        ("call without id", 200, JSON, claude(json!({"content": [{"type": "tool_use", "name": "pods", "input": {"ns": "shop"}}], "stop_reason": "tool_use"})), Call),
        ("overloaded", 200, JSON, json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}).to_string(), Error(ErrorClass::Overloaded)),
    ];
    check(ProviderKind::Anthropic, WireFormat::Anthropic, false, rows).await;
    let gemini = |candidate: Value| {
        json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1}, "modelVersion": "m"}).to_string()
    };
    let rows = vec![
        ("thought beside", 200, JSON, gemini(json!({"content": {"role": "model", "parts": [{"text": "Hm.", "thought": true}, {"text": "It is full."}]}, "finishReason": "STOP"})), Text),
        ("unknown part", 200, JSON, gemini(json!({"content": {"role": "model", "parts": [{"executableCode": {"code": "x"}}, {"text": "It is full."}]}, "finishReason": "STOP"})), Text),
        ("no role, no end", 200, JSON, gemini(json!({"content": {"parts": [{"text": "It is full."}]}})), Text),
        ("no usage", 200, JSON, json!({"candidates": [{"content": {"parts": [{"text": "It is full."}]}, "finishReason": "STOP"}]}).to_string(), Text),
        ("no model", 200, JSON, json!({"candidates": [{"content": {"parts": [{"text": "It is full."}]}, "finishReason": "STOP"}], "usageMetadata": {}}).to_string(), Text),
        ("no parts", 200, JSON, gemini(json!({"content": {"role": "model"}, "finishReason": "STOP"})), Error(ErrorClass::Empty)),
        ("no content", 200, JSON, gemini(json!({"finishReason": "STOP"})), Error(ErrorClass::Empty)),
        ("safety", 200, JSON, gemini(json!({"finishReason": "SAFETY"})), Error(ErrorClass::Refused)),
        ("recitation", 200, JSON, gemini(json!({"finishReason": "RECITATION"})), Error(ErrorClass::Refused)),
        ("no candidates", 200, JSON, json!({"candidates": [], "usageMetadata": {}}).to_string(), Error(ErrorClass::Empty)),
        ("a call unexpected", 200, JSON, gemini(json!({"content": {}, "finishReason": "UNEXPECTED_TOOL_CALL"})), Error(ErrorClass::Malformed)),
        ("own prefix", 200, JSON, gemini(json!({"content": {"parts": [{"functionCall": {"name": "default_api.pods", "args": {"ns": "shop"}}}]}, "finishReason": "STOP"})), Call),
        ("own prefix with a colon", 200, JSON, gemini(json!({"content": {"parts": [{"functionCall": {"name": "default_api:pods", "args": {"ns": "shop"}}}]}, "finishReason": "STOP"})), Call),
        ("list with an error", 429, JSON, json!([{"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}}]).to_string(), Error(ErrorClass::RateLimited)),
    ];
    check(ProviderKind::Gemini, WireFormat::Gemini, false, rows).await;
    let ollama = |members: Value| {
        let mut body = json!({"model": "m", "created_at": "x", "message": {"role": "assistant", "content": "It is full."}, "done": true, "done_reason": "stop"});
        for (name, value) in members.as_object().unwrap() {
            body[name] = value.clone();
        }
        body.to_string()
    };
    let rows = vec![
        (
            "loading",
            200,
            JSON,
            ollama(json!({"message": {"role": "assistant", "content": ""}, "done_reason": "load"})),
            Error(ErrorClass::Empty),
        ),
        (
            "thoughts",
            200,
            JSON,
            ollama(
                json!({"message": {"role": "assistant", "content": "It is full.", "thinking": "Hm."}}),
            ),
            Text,
        ),
        (
            "calls null",
            200,
            JSON,
            ollama(
                json!({"message": {"role": "assistant", "content": "It is full.", "tool_calls": null, "images": null}}),
            ),
            Text,
        ),
        (
            "a call with an id",
            200,
            JSON,
            ollama(
                json!({"message": {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1", "function": {"index": 0, "name": "pods", "arguments": {"ns": "shop"}}}]}}),
            ),
            Call,
        ),
        (
            "no model",
            200,
            JSON,
            json!({"message": {"content": "It is full."}, "done": true}).to_string(),
            Text,
        ),
        ("not done", 200, JSON, ollama(json!({"done": false})), Text),
        (
            "an error as a text",
            500,
            JSON,
            json!({"error": "model requires more system memory"}).to_string(),
            Error(ErrorClass::ServerError),
        ),
    ];
    check(ProviderKind::Ollama, WireFormat::Ollama, false, rows).await;
}
