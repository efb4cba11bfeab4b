//! Splits an event stream of AWS into its events.
//! <https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html>
//!
//! A frame consists of a prelude (length of the frame, length of the headers, checksum), headers, a JSON payload and a
//! checksum. Checksums are not verified, because TLS already protects the stream.

use serde_json::{Map, Value, json};

/// Content type of such a stream.
pub(super) const CONTENT_TYPE: &str = "application/vnd.amazon.eventstream";

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

/// Bytes of a stream that do not form a whole frame yet.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Takes bytes, cut at any place. Returns the events that they complete. Each event is an object with one member,
    /// which is named after the event's type.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        self.bytes.extend_from_slice(bytes);
        let mut events = Vec::new();
        let mut at = 0;
        while let Some(length) = number(&self.bytes[at..], 4) {
            // Raise a length that is too small, so that the loop advances. The event then can't be read.
            let length = length.max(PRELUDE + CHECKSUM);
            let Some(frame) = self.bytes.get(at..at.saturating_add(length)) else {
                break;
            };
            events.push(event(frame).unwrap_or_else(|| "{".to_owned()));
            at += length;
        }
        self.bytes.drain(..at);
        events
    }

    /// Returns how many bytes of an incomplete frame are buffered.
    pub(super) fn pending(&self) -> usize {
        self.bytes.len()
    }
}

/// Returns the event in a whole frame. `None` if it can't be read.
fn event(frame: &[u8]) -> Option<String> {
    let headers_end = PRELUDE.checked_add(number(&frame[4..], 4)?)?;
    let headers = headers(frame.get(PRELUDE..headers_end)?)?;
    let payload = frame.get(headers_end..frame.len() - CHECKSUM)?;
    let text = |name: &str| headers.get(name).and_then(Value::as_str);
    let payload: Value = serde_json::from_slice(payload).ok()?;
    let failed = text(":exception-type").or(text(":error-code"));
    let event = match (failed, text(":event-type")) {
        (Some(code), _) => {
            let message = payload.get("message").or(payload.get("Message"));
            let message = message.and_then(Value::as_str).or(text(":error-message"));
            json!({"error": {"code": code, "message": message.unwrap_or(code)}})
        }
        (None, Some(name)) => json!({ name: payload }),
        (None, None) => return None,
    };
    Some(event.to_string())
}

/// Returns the headers whose values are text.
fn headers(mut bytes: &[u8]) -> Option<Map<String, Value>> {
    let mut headers = Map::new();
    while !bytes.is_empty() {
        let name = take(&mut bytes, 1)?;
        let name = String::from_utf8_lossy(name).into_owned();
        let (kind, rest) = bytes.split_first()?;
        bytes = rest;
        match kind {
            0 | 1 => {}
            2 => bytes = bytes.get(1..)?,
            3 => bytes = bytes.get(2..)?,
            4 => bytes = bytes.get(4..)?,
            5 | 8 => bytes = bytes.get(8..)?,
            6 => {
                take(&mut bytes, 2)?;
            }
            7 => {
                let text = String::from_utf8_lossy(take(&mut bytes, 2)?).into_owned();
                headers.insert(name, text.into());
            }
            9 => bytes = bytes.get(16..)?,
            _ => return None,
        }
    }
    Some(headers)
}

/// Takes bytes that are preceded by their length, a number of `size` bytes.
fn take<'b>(bytes: &mut &'b [u8], size: usize) -> Option<&'b [u8]> {
    let length = number(bytes, size)?;
    let (taken, rest) = bytes.get(size..)?.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn number(bytes: &[u8], size: usize) -> Option<usize> {
    let bytes = bytes.get(..size)?;
    Some(
        bytes
            .iter()
            .fold(0, |number, byte| number << 8 | usize::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// For any bytes, cut at any place: no panic, and the same events.
        #[test]
        fn any_bytes_are_split_alike(bytes in prop::collection::vec(prop_oneof![Just(0_u8), 0_u8..40, any::<u8>()], 0..200), size in 1_usize..50) {
            let whole = Frames::default().push(&bytes);
            let mut frames = Frames::default();
            let pieces: Vec<String> = bytes.chunks(size).flat_map(|piece| frames.push(piece)).collect();
            prop_assert_eq!(whole, pieces);
        }
    }
}
