//! Masks everything that leaves this crate.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tarsy_masking::Masker;
use tokio::sync::oneshot;

/// Longest text, in bytes, that is masked on the calling thread. Longer texts are masked on another thread.
const INLINE_BYTES: usize = 128 * 1024;
/// Longest error or description that is kept, in bytes.
const BRIEF_BYTES: usize = 16 * 1024;

#[derive(Clone)]
pub(crate) struct Redactor(Arc<Masker>);

impl Redactor {
    pub(crate) const fn new(masker: Arc<Masker>) -> Self {
        Self(masker)
    }

    /// Masks a short text, such as an error or a description.
    pub(crate) fn text(&self, text: &str) -> String {
        self.0.mask_or_withhold(text)
    }

    /// Masks a text that people and models read whole, such as an error. Cuts it at 16 KiB.
    pub(crate) fn brief(&self, text: &str) -> String {
        let mut text = self.text(text);
        if text.len() > BRIEF_BYTES {
            text.truncate(text.floor_char_boundary(BRIEF_BYTES));
            text.push_str(" [cut]");
        }
        text
    }

    /// Masks a value as one text first, because names show which values are secrets. Then masks each key and string.
    pub(crate) fn json(&self, value: Value) -> Value {
        match serde_json::from_str(&self.text(&value.to_string())) {
            Ok(whole) => self.strings(whole),
            Err(_) => self.strings(value),
        }
    }

    fn strings(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.strings(item)).collect())
            }
            Value::Object(map) => Value::Object(
                map.into_iter()
                    .map(|(key, value)| (self.text(&key), self.strings(value)))
                    .collect(),
            ),
            scalar => scalar,
        }
    }

    /// Masks an answer. Returns it with the number of masked secrets by kind. If the masking thread ends without a
    /// result, the text is withheld.
    ///
    /// If the process can't create a thread, masks on the current one. That can happen if one of its servers forks
    /// without end. The runtime's own thread pool would panic.
    pub(crate) async fn answer(&self, text: String) -> (String, BTreeMap<String, usize>) {
        if text.len() <= INLINE_BYTES {
            return self.count(&text);
        }
        let text: Arc<str> = text.into();
        let (done, masked) = oneshot::channel();
        let (this, taken) = (self.clone(), Arc::clone(&text));
        let thread = std::thread::Builder::new().name("masking".to_owned());
        let started = thread.spawn(move || {
            // The receiver is gone if the call was given up.
            let _ = done.send(this.count(&taken));
        });
        match started {
            Ok(_) => {
                let masked = masked.await;
                masked.unwrap_or_else(|_| (tarsy_masking::WITHHELD.to_owned(), BTreeMap::new()))
            }
            Err(_) => self.count(&text),
        }
    }

    fn count(&self, text: &str) -> (String, BTreeMap<String, usize>) {
        let masked = self.0.mask(text);
        let kinds = masked
            .kinds
            .into_iter()
            .map(|(kind, n)| (kind.to_string(), n))
            .collect();
        (masked.text.into_owned(), kinds)
    }
}
