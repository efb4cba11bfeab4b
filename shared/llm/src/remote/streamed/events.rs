//! Splits a stream into its events: server-sent events, or JSON lines.

use serde_json::{Value, json};

/// Bytes of a stream that do not form a whole event yet.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    /// `data:` lines of the event so far.
    data: String,
    /// Whether the event so far is named `error`.
    is_error: bool,
    /// Whether the last line ended with a carriage return. A line feed after it then belongs to the same line end.
    ends_with_return: bool,
    has_begun: bool,
    ended: bool,
}

impl Events {
    /// Takes bytes, cut at any place. Returns the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_second_half = self.ends_with_return && piece == b"\n";
            self.ends_with_return = piece.ends_with(b"\r");
            if is_second_half {
                continue;
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || piece.ends_with(b"\r") {
                events.extend(self.end_line());
            }
        }
        events
    }

    /// Returns the last events if their line ends are missing.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let before = self.end_line();
        before.into_iter().chain(self.end_event()).collect()
    }

    /// Returns how many bytes of an incomplete event are buffered.
    pub(super) fn pending(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Whether the stream reported its end with `[DONE]`.
    pub(super) const fn is_done(&self) -> bool {
        self.ended
    }

    fn end_line(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        let mut line = line.trim_end_matches(['\n', '\r']);
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.trim_start_matches('\u{feff}');
        }
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(data) = line.strip_prefix("data:") {
            // Some servers omit the empty line between two events.
            let is_whole =
                !self.data.is_empty() && serde_json::from_str::<Value>(&self.data).is_ok();
            let before = is_whole.then(|| self.end_event()).flatten();
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            return before;
        }
        if let Some(name) = line.strip_prefix("event:") {
            self.is_error = name.trim() == "error";
            return None;
        }
        // No field of server-sent events begins with a brace, so this is a JSON line.
        let is_json = line.trim_start().starts_with('{');
        is_json.then(|| line.to_owned())
    }

    fn end_event(&mut self) -> Option<String> {
        let data = std::mem::take(&mut self.data);
        let is_error = std::mem::take(&mut self.is_error);
        self.ended |= data.trim() == "[DONE]";
        if self.ended || data.trim().is_empty() {
            return None;
        }
        Some(match is_error {
            true => error(data),
            false => data,
        })
    }
}

/// Returns an event that is marked as an error only by its name in the form `{"error": ..}`.
fn error(data: String) -> String {
    let error = serde_json::from_str(&data).unwrap_or_else(|_| json!(data));
    match error.get("error") {
        Some(_) => data,
        None => json!({ "error": error }).to_string(),
    }
}
