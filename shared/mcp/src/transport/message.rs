//! Protocol messages out of lines, oversized ones cut to size.

use rmcp::RoleClient;
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value, json};

use super::events::Data;
use super::lines::Line;
use super::salvage;

/// Key in an answer's `_meta` that says: this was cut while it was read, and had so many bytes.
pub(crate) const RECEIVED_BYTES: &str = "tarsy/received-bytes";

/// Makes messages of lines. What is no message is passed over: a server that writes
/// something else to its stdout keeps working.
#[derive(Default)]
pub(crate) struct Assembler {
    /// Beginning of an oversized answer whose id is still to come.
    waiting: Option<Map<String, Value>>,
}

impl Assembler {
    /// The message that an event carries.
    pub(crate) fn data(&mut self, data: Data) -> Option<RxJsonRpcMessage<RoleClient>> {
        match data {
            Data::Whole(data) => self.message(Line::Whole(data)),
            Data::Over { head, tail, total } => self
                .message(Line::Over(head))
                .or_else(|| self.message(Line::OverEnd { tail, total })),
        }
    }

    /// The message of a line.
    pub(crate) fn message(&mut self, line: Line) -> Option<RxJsonRpcMessage<RoleClient>> {
        match line {
            Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => None,
            Line::Whole(bytes) => serde_json::from_slice(&bytes)
                .inspect_err(
                    |error| tracing::debug!(%error, "line from an MCP server is no message"),
                )
                .ok(),
            Line::Over(head) => {
                let closed = salvage::close(&head)?;
                let size = head.len() as u64;
                drop(head);
                let Ok(Value::Object(answer)) = serde_json::from_str(&closed) else {
                    return None;
                };
                if answer.contains_key("id") {
                    return cut(answer, size);
                }
                self.waiting = Some(answer);
                None
            }
            Line::OverEnd { tail, total } => {
                let mut answer = self.waiting.take()?;
                answer.insert("id".to_owned(), trailing_id(&tail)?);
                cut(answer, total)
            }
        }
    }
}

/// An answer that says of itself that it was cut. Anything but an answer is dropped.
fn cut(mut message: Map<String, Value>, size: u64) -> Option<RxJsonRpcMessage<RoleClient>> {
    message.entry("jsonrpc").or_insert_with(|| json!("2.0"));
    let result = message.get_mut("result")?.as_object_mut()?;
    let meta = result.entry("_meta").or_insert_with(|| json!({}));
    if !meta.is_object() {
        *meta = json!({});
    }
    meta.as_object_mut()?
        .insert(RECEIVED_BYTES.to_owned(), json!(size));
    if let Some(text) = result.get("content").and_then(Value::as_array) {
        // The element that was cut may lack what makes it one.
        let whole = text
            .iter()
            .filter(|block| is_block(block))
            .cloned()
            .collect();
        result.insert("content".to_owned(), Value::Array(whole));
    }
    serde_json::from_value(Value::Object(message)).ok()
}

fn is_block(block: &Value) -> bool {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => block.get("text").is_some(),
        Some("resource_link") => block.get("uri").is_some() && block.get("name").is_some(),
        Some("resource") => block.pointer("/resource/uri").is_some(),
        Some("image" | "audio") => block.get("data").is_some() && block.get("mimeType").is_some(),
        _ => false,
    }
}

/// The id of a message whose last member, `jsonrpc` aside, it is.
fn trailing_id(tail: &[u8]) -> Option<Value> {
    let tail = String::from_utf8_lossy(tail);
    let (before, after) = tail.rsplit_once("\"id\":")?;
    if before.ends_with('\\') {
        return None;
    }
    let closed = format!("{{\"id\":{after}");
    let Ok(Value::Object(mut end)) = serde_json::from_str::<Value>(closed.trim_end()) else {
        return None;
    };
    end.remove("id").filter(|id| id.is_u64() || id.is_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{JsonRpcMessage, ServerResult};

    fn read(lines: Vec<Line>) -> Option<(String, Value)> {
        let mut assembler = Assembler::default();
        let message = lines.into_iter().find_map(|line| assembler.message(line))?;
        let JsonRpcMessage::Response(response) = message else {
            return None;
        };
        let ServerResult::CallToolResult(result) = response.result else {
            return None;
        };
        let id = serde_json::to_value(&response.id).unwrap();
        Some((crate::render::raw(&result).text, id))
    }

    #[test]
    fn an_oversized_answer_is_cut_wherever_its_id_stands() {
        let text = "x".repeat(10_000);
        let first = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":[{{"type":"text","text":"{text}"#
        );
        let (got, id) = read(vec![Line::Over(first.into_bytes())]).unwrap();
        assert!(got.len() > 5_000 && id == 7);

        let last = format!(r#"{{"result":{{"content":[{{"type":"text","text":"{text}"#);
        let tail = br#"xxx"}]},"jsonrpc":"2.0","id":8}"#.to_vec();
        let lines = vec![
            Line::Over(last.into_bytes()),
            Line::OverEnd {
                tail,
                total: 20_000,
            },
        ];
        assert_eq!(read(lines).unwrap().1, 8);
    }

    #[test]
    fn an_id_inside_a_text_is_not_the_messages_id() {
        assert_eq!(trailing_id(br#"\"id\":5}]}"}]},"jsonrpc":"2.0"}"#), None);
        assert_eq!(trailing_id(br#","id":5}},"x":1}"#), None);
    }
}
