//! Parses protocol messages and truncates oversized ones.

use rmcp::RoleClient;
use rmcp::model::{
    ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerNotification, ServerResult,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use tarsy_model::visible;

use super::events::Data;
use super::inflow::Inflow;
use super::lines::{Line, TAIL_BYTES};
use super::truncated_json::close_truncated_json;
use crate::client::Client;
use crate::compat;

/// Key in an answer's `_meta`. Its value is the number of bytes received; the answer was cut while it was read.
pub(crate) const RECEIVED_BYTES: &str = "tarsy/received-bytes";
/// Key in an error's data. It means that the server answered, but the answer can't be read.
pub(crate) const UNREADABLE: &str = "tarsy/unreadable";

/// Most repairs of an answer that are logged, and most characters of each.
const SHOWN_REPAIRS: usize = 4;
const SHOWN_CHARS: usize = 120;

/// Most values of one message. Each takes a hundred times its bytes while it is read. So a message with more values is
/// cut here, even if it has few bytes.
const MOST_VALUES: usize = 50_000;

/// Assembles messages from lines. Lines that are not messages are skipped, so a server that writes other text to its
/// stdout keeps working. An answer that can't be read fails its request.
pub(crate) struct Assembler {
    inflow: Inflow,
    client: Client,
    /// Beginning of an oversized answer whose id has not arrived yet.
    waiting: Option<Map<String, Value>>,
}

impl Assembler {
    /// Creates an assembler for one stream of a connection. The meter belongs to the connection.
    pub(crate) const fn new(inflow: Inflow, client: Client) -> Self {
        Self {
            inflow,
            client,
            waiting: None,
        }
    }

    /// Returns the message in an event's data.
    pub(crate) fn data(&mut self, data: Data) -> Option<RxJsonRpcMessage<RoleClient>> {
        match data {
            Data::Whole(data) => self.message(Line::Whole(data)),
            Data::Over { head, tail, total } => self
                .message(Line::Over(head))
                .or_else(|| self.message(Line::OverEnd { tail, total })),
        }
    }

    /// Returns the message in a line, if it is of a kind that is used and the server is within its limits.
    pub(crate) fn message(&mut self, line: Line) -> Option<RxJsonRpcMessage<RoleClient>> {
        if !self.inflow.message() {
            return None;
        }
        let message = self.read(line)?;
        self.admit(&message).then_some(message)
    }

    /// Admits answers, requests within the allowance, and one change of the tool list at a time. Logs and progress are
    /// dropped: they are not used, and each would become a task.
    fn admit(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        match message {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => true,
            JsonRpcMessage::Request(_) => self.inflow.request(),
            JsonRpcMessage::Notification(notification) => {
                matches!(
                    notification.notification,
                    ServerNotification::ToolListChangedNotification(_)
                ) && self.client.announce_tools_changed()
            }
        }
    }

    fn read(&mut self, line: Line) -> Option<RxJsonRpcMessage<RoleClient>> {
        match line {
            Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => None,
            Line::Whole(bytes) => match value_limit(&bytes) {
                None => whole(&bytes, self.client.server()),
                Some(limit) => {
                    let total = bytes.len() as u64;
                    let tail = bytes[bytes.len().saturating_sub(TAIL_BYTES)..].to_vec();
                    let mut head = bytes;
                    head.truncate(limit);
                    self.read(Line::Over(head))
                        .or_else(|| self.read(Line::OverEnd { tail, total }))
                }
            },
            Line::Over(mut head) => {
                head.truncate(value_limit(&head).unwrap_or(head.len()));
                let closed = close_truncated_json(&head)?;
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

/// Reads the message in a whole line. Repairs an answer of this server that deviates from the protocol.
fn whole(bytes: &[u8], server: &str) -> Option<RxJsonRpcMessage<RoleClient>> {
    let read = serde_json::from_slice(bytes);
    if read.as_ref().is_ok_and(is_expected_type) {
        return read.ok();
    }
    let repaired = compat::repaired(bytes);
    let repaired = repaired.map(|(answer, repairs)| (compat::kind_of(&answer), answer, repairs));
    if let Some((kind, answer, repairs)) = repaired
        && let Ok(message) = serde_json::from_value(answer)
    {
        if !repairs.is_empty() {
            tarsy_metrics::repairs::mcp(server, kind);
            // The server chooses these texts and their number.
            let first = repairs.iter().take(SHOWN_REPAIRS);
            let first: Vec<String> = first.map(|repair| shown(repair)).collect();
            tracing::info!(
                mcp.server = server,
                repairs = repairs.len(),
                first = first.join("; "),
                "repaired an answer of an MCP server"
            );
        }
        return Some(message);
    }
    read.or_else(|error| unreadable(bytes, &error)).ok()
}

/// Formats a repair for the log: limited in length, without invisible characters.
fn shown(repair: &str) -> String {
    let text: String = repair.chars().take(SHOWN_CHARS).collect();
    visible(&text)
}

/// Whether a message was read as the type that it is. A result that fits none of the requested types is read as an
/// unknown one.
fn is_expected_type(message: &RxJsonRpcMessage<RoleClient>) -> bool {
    let JsonRpcMessage::Response(response) = message else {
        return !matches!(message, JsonRpcMessage::Error(_));
    };
    let is_result = match &response.result {
        ServerResult::CallToolResult(_) | ServerResult::InitializeResult(_) => true,
        ServerResult::ListToolsResult(list) => list
            .next_cursor
            .as_ref()
            .is_none_or(|cursor| !cursor.is_empty()),
        _ => false,
    };
    is_result && matches!(response.id, RequestId::Number(_))
}

/// Returns an answer with a mark that it was cut. Any other message is dropped.
fn cut(mut message: Map<String, Value>, size: u64) -> Option<RxJsonRpcMessage<RoleClient>> {
    message.entry("jsonrpc").or_insert_with(|| json!("2.0"));
    let result = message.get_mut("result")?.as_object_mut()?;
    let meta = result.entry("_meta").or_insert_with(|| json!({}));
    if !meta.is_object() {
        *meta = json!({});
    }
    meta.as_object_mut()?
        .insert(RECEIVED_BYTES.to_owned(), json!(size));
    if let Some(blocks) = result.get_mut("content").and_then(Value::as_array_mut) {
        // The element at the cut may lack required members.
        blocks.retain(is_block);
    }
    serde_json::from_value(Value::Object(message)).ok()
}

/// Returns the position at which `json` exceeds the most values of a message; `None` if it does not.
fn value_limit(json: &[u8]) -> Option<usize> {
    if json.len() <= MOST_VALUES {
        return None;
    }
    let (mut values, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in json.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b',' | b'[' | b'{' => {
                values += 1;
                if values > MOST_VALUES {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The members that identify a message which can't be read as a whole. The others are skipped without decoding.
#[derive(Deserialize)]
struct Envelope {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
}

/// Converts an answer that can't be parsed to an error of its request, so that the caller does not wait any longer.
/// Reasons are invalid UTF-8, half a surrogate pair, numbers beyond all bounds, or too many levels.
fn unreadable(
    bytes: &[u8],
    error: &serde_json::Error,
) -> Result<RxJsonRpcMessage<RoleClient>, serde_json::Error> {
    tracing::debug!(line = error.line(), column = error.column(), class = ?error.classify(), "line from an MCP server is no message");
    let envelope: Envelope = serde_json::from_slice(bytes)?;
    let (Some(id), None) = (envelope.id, envelope.method) else {
        return Err(serde::de::Error::custom("no answer"));
    };
    let mut data = ErrorData::new(
        ErrorCode::PARSE_ERROR,
        match std::str::from_utf8(bytes) {
            Err(_) => "the answer is not valid UTF-8".to_owned(),
            Ok(_) => format!(
                "the answer is no valid JSON-RPC (column {})",
                error.column()
            ),
        },
        None,
    );
    data.data = Some(json!({ UNREADABLE: true }));
    Ok(RxJsonRpcMessage::<RoleClient>::error(data, Some(id)))
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

/// Returns the id of a message in which it is the last member, or the last but `jsonrpc`.
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
        let mut assembler = Assembler::new(Inflow::new(1024), Client::default());
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
    fn an_oversized_answer_is_cut_for_every_position_of_its_id() {
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
