//! Splits a stream to its events: server-sent events, or JSON lines.

/// The bytes of a stream that are no whole event yet.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    /// `data:` lines of the event so far.
    data: String,
    ended: bool,
}

impl Events {
    /// Takes bytes, however they are cut; returns the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                events.extend(self.end_line());
            }
        }
        events
    }

    /// The last event, if its line end is missing.
    pub(super) fn finish(&mut self) -> Option<String> {
        let event = self.end_line();
        event.or_else(|| self.end_event())
    }

    /// Bytes of the event that is not whole yet.
    pub(super) fn pending(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Whether the stream said that it is over.
    pub(super) const fn is_done(&self) -> bool {
        self.ended
    }

    fn end_line(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            return None;
        }
        // Fields of server-sent events have no brace at their beginning: this is a JSON line.
        let is_json = line.trim_start().starts_with('{');
        is_json.then(|| line.to_owned())
    }

    fn end_event(&mut self) -> Option<String> {
        let data = std::mem::take(&mut self.data);
        self.ended |= data.trim() == "[DONE]";
        (!self.ended && !data.trim().is_empty()).then_some(data)
    }
}
