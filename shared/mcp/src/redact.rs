//! Masks everything that leaves this crate.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tarsy_masking::Masker;
use tokio::sync::oneshot;

/// Texts longer than this are masked off the async threads.
const INLINE_BYTES: usize = 128 * 1024;
/// Most of an error or a description.
const BRIEF_BYTES: usize = 16 * 1024;

#[derive(Clone)]
pub(crate) struct Redactor(Arc<Masker>);

impl Redactor {
    pub(crate) const fn new(masker: Arc<Masker>) -> Self {
        Self(masker)
    }

    /// A short text: an error, a description.
    pub(crate) fn text(&self, text: &str) -> String {
        self.0.mask_or_withhold(text)
    }

    /// A text that people and models read whole, such as an error.
    pub(crate) fn brief(&self, text: &str) -> String {
        let mut text = self.text(text);
        if text.len() > BRIEF_BYTES {
            text.truncate(text.floor_char_boundary(BRIEF_BYTES));
            text.push_str(" [cut]");
        }
        text
    }

    /// A value as one text, so that names tell of values, and then each key and string of it.
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

    /// An answer, with the number of masked secrets by kind. A text whose masking does not
    /// come to an end is withheld.
    ///
    /// A process that may have no more threads (a server of it forks without end, say) masks on
    /// the thread that it has; the runtime's own pool of threads would panic.
    pub(crate) async fn answer(&self, text: String) -> (String, BTreeMap<String, usize>) {
        if text.len() <= INLINE_BYTES {
            return self.count(&text);
        }
        let text: Arc<str> = text.into();
        let (done, masked) = oneshot::channel();
        let (this, taken) = (self.clone(), Arc::clone(&text));
        let thread = std::thread::Builder::new().name("masking".to_owned());
        let started = thread.spawn(move || {
            // Nobody waits for it any longer if the call was given up.
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
