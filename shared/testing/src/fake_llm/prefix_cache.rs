//! Simulates a provider's prompt cache.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::{FakeAnswer, SeenRequest, WireFormat};

/// Minimum length of a cached prompt, in tokens.
const LEAST_TOKENS: u32 = 1024;
/// Number of blocks up to a cache mark in which a cached prefix is searched.
const LOOKBACK_BLOCKS: usize = 20;
/// Number of characters per token.
const TOKEN: usize = 4;

/// Hashes of the cached prefixes.
#[derive(Default)]
pub(super) struct PrefixCache(HashSet<u64>);

/// A block of a prompt.
struct Block {
    text: String,
    /// Whether the request marks the prompt for caching up to here.
    marked: bool,
}

impl PrefixCache {
    /// Sets the usage of an answer by the cached prefix, and caches the prompt.
    ///
    /// Anthropic reads and writes the cache where the request has cache marks, other providers at every block.
    pub(super) fn price(&mut self, request: &SeenRequest, mut answer: FakeAnswer) -> FakeAnswer {
        let anthropic = request.format.dialect() == WireFormat::Anthropic;
        let blocks = blocks(request);
        let mut hasher = DefaultHasher::new();
        request.model.hash(&mut hasher);
        let mut characters = 0;
        let prefixes: Vec<(u64, u32, bool)> = blocks
            .iter()
            .map(|block| {
                block.text.hash(&mut hasher);
                characters += block.text.len();
                let tokens = u32::try_from(characters / TOKEN).unwrap_or(u32::MAX);
                let marked = block.marked || !anthropic;
                (hasher.finish(), tokens, marked && tokens >= LEAST_TOKENS)
            })
            .collect();
        let read = (0..prefixes.len())
            .rev()
            .find(|at| {
                let near = prefixes[*at..].iter().take(LOOKBACK_BLOCKS);
                self.0.contains(&prefixes[*at].0) && near.clone().any(|(_, _, marked)| *marked)
            })
            .map_or(0, |at| prefixes[at].1);
        let marked = prefixes.iter().filter(|(_, _, marked)| *marked);
        let written = marked.clone().map(|(_, tokens, _)| *tokens).max();
        self.0.extend(marked.map(|(hash, _, _)| *hash));
        let input = u32::try_from(characters / TOKEN).unwrap_or(u32::MAX);
        answer.usage = answer.usage.map(|(_, output)| (input, output));
        answer.cached_tokens = read;
        if anthropic {
            answer.cache_write_tokens = written.unwrap_or(0).saturating_sub(read);
        }
        answer
    }
}

/// Returns the blocks of a prompt in the order in which providers cache it: tools, instructions, conversation.
fn blocks(request: &SeenRequest) -> Vec<Block> {
    let body = &request.body;
    let mut blocks = Vec::new();
    for key in [
        "tools",
        "system",
        "instructions",
        "input",
        "systemInstruction",
        "messages",
        "contents",
    ] {
        match body.get(key) {
            Some(Value::Array(items)) => items.iter().for_each(|item| push(item, &mut blocks)),
            Some(other) => push(other, &mut blocks),
            None => {}
        }
    }
    blocks
}

fn push(item: &Value, blocks: &mut Vec<Block>) {
    let role = item.get("role").cloned().unwrap_or_default();
    match item.get("content") {
        Some(Value::Array(parts)) => {
            for part in parts {
                let (part, marked) = unmarked(part);
                let text = json!([role, part]).to_string();
                blocks.push(Block { text, marked });
            }
        }
        // A plain string is equivalent to one text block.
        Some(Value::String(text)) if !role.is_null() && item.get("tool_calls").is_none() => {
            blocks.push(Block {
                text: json!([role, {"type": "text", "text": text}]).to_string(),
                marked: false,
            });
        }
        _ => {
            let (item, marked) = unmarked(item);
            let text = item.to_string();
            blocks.push(Block { text, marked });
        }
    }
}

fn unmarked(part: &Value) -> (Value, bool) {
    let mut part = part.clone();
    let mark = part
        .as_object_mut()
        .and_then(|part| part.shift_remove("cache_control"));
    (part, mark.is_some())
}
