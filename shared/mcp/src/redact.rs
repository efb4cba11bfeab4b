//! Masking at the door: nothing leaves this crate that has not been through here.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tarsy_masking::Masker;
use tokio::sync::oneshot;

/// Texts longer than this are masked off the async threads.
const INLINE_BYTES: usize = 128 * 1024;

/// A server's masker.
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

    /// Every string of a value, keys aside.
    pub(crate) fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.json(item)).collect())
            }
            Value::Object(map) => Value::Object(
                map.into_iter()
                    .map(|(key, value)| (key, self.json(value)))
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
