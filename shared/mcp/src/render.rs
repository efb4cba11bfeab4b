//! Renders a tool result as text for the model.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::transport::RECEIVED_BYTES;

/// Bytes at the end of a truncated answer that may hold a part of a secret.
const UNSAFE_TAIL_BYTES: usize = 4096;

/// A tool's answer before masking.
pub(crate) struct Raw {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    /// Whether the answer was truncated while it was read. `total_bytes` is then the least size of the message.
    pub(crate) cut: bool,
    pub(crate) total_bytes: u64,
}

/// Converts a result to text: text content unchanged, names for other content, and structured content unless the text
/// repeats it.
pub(crate) fn raw(result: &CallToolResult) -> Raw {
    let blocks: Vec<String> = result.content.iter().map(block).collect();
    let mut text = blocks.join("\n");
    // Data next to a summary is needed. Next to its own text, it would be repeated.
    if let Some(structured) = &result.structured_content
        && !is_same_data(&text, structured)
    {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text += &serde_json::to_string_pretty(structured).unwrap_or_default();
    }
    let received = result
        .meta
        .as_ref()
        .and_then(|meta| meta.get(RECEIVED_BYTES))
        .and_then(|n| n.as_u64());
    if received.is_some() {
        // A secret at the cut would not be recognised.
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(UNSAFE_TAIL_BYTES)));
    }
    Raw {
        total_bytes: received.unwrap_or(text.len() as u64),
        cut: received.is_some(),
        is_error: result.is_error.unwrap_or(false),
        text,
    }
}

/// Whether a text equals the data: its JSON, or the JSON of its only member. Some servers wrap a plain result in one
/// member.
fn is_same_data(text: &str, structured: &Value) -> bool {
    let inner = structured.as_object().filter(|members| members.len() == 1);
    let inner = inner.and_then(|members| members.values().next());
    let is_text = |value: &Value| {
        value
            .as_str()
            .is_some_and(|string| string.trim() == text.trim())
    };
    let written: Option<Value> = serde_json::from_str(text).ok();
    [Some(structured), inner]
        .into_iter()
        .flatten()
        .any(|value| written.as_ref() == Some(value) || is_text(value))
}

/// Cuts a masked text to at most `max_bytes`, with a visible marker at the cut.
pub(crate) fn bounded(
    mut text: String,
    cut: bool,
    total_bytes: u64,
    max_bytes: usize,
) -> (String, bool) {
    if !cut && text.len() <= max_bytes {
        return (text, false);
    }
    let marker = format!(
        "\n[output cut: the tool sent {}{total_bytes} bytes]",
        if cut { "at least " } else { "" }
    );
    text.truncate(text.floor_char_boundary(max_bytes.saturating_sub(marker.len())));
    text.push_str(&marker);
    (text, true)
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => omitted("image", &image.mime_type, image.data.len()),
        ContentBlock::Audio(audio) => omitted("audio", &audio.mime_type, audio.data.len()),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[resource {uri}]\n{text}")
            }
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                omitted("resource", uri, blob.len())
            }
            _ => "[resource of an unknown kind]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[resource link {} {}]", link.name, link.uri),
        _ => "[content of an unknown kind]".to_owned(),
    }
}

fn omitted(kind: &str, what: &str, base64_bytes: usize) -> String {
    format!("[{kind} {what}, {} bytes, not shown]", base64_bytes / 4 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_with_a_marker_and_stays_within_its_limit() {
        let (text, truncated) = bounded("é".repeat(1000), false, 2000, 200);
        assert!(truncated && text.len() <= 200);
        assert!(
            text.ends_with("[output cut: the tool sent 2000 bytes]"),
            "{text}"
        );
        assert_eq!(
            bounded("short".into(), false, 5, 200),
            ("short".into(), false)
        );
    }

    #[test]
    fn data_follows_its_summary_and_not_its_own_text() {
        let shown = |text: &str, data: Value| {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            raw(&result).text
        };
        let data = serde_json::json!({"pods": ["a", "b"]});
        assert!(shown("2 pods", data.clone()).starts_with("2 pods\n\n{\n  \"pods\""));
        assert_eq!(
            shown("{\"pods\":[\"a\",\"b\"]}", data.clone()),
            "{\"pods\":[\"a\",\"b\"]}"
        );
        assert_eq!(shown("[\"a\",\"b\"]", data), "[\"a\",\"b\"]");
        assert_eq!(shown("fine", serde_json::json!({"result": "fine"})), "fine");
    }

    #[test]
    fn binary_content_is_named_and_not_shown() {
        let result = CallToolResult::success(vec![
            ContentBlock::text("a"),
            ContentBlock::image("QUJD", "image/png"),
        ]);
        assert_eq!(
            raw(&result).text,
            "a\n[image image/png, 3 bytes, not shown]"
        );
    }
}
