//! Masks what alerts and runbooks hold.

use std::sync::Arc;

use serde_json::Value;
use tarsy_masking::{Masker, WITHHELD};

use crate::Config;

/// Masks alerts and runbooks by the patterns of `alert_masking`. Cheap to clone.
///
/// If the patterns can't be used, it withholds every text. A configuration that was loaded has no such patterns.
#[derive(Clone, Debug)]
pub struct AlertMasker(Option<Arc<Masker>>);

impl AlertMasker {
    /// The masker of a configuration.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        Self(Masker::new(&config.alert_masking).ok().map(Arc::new))
    }

    /// The text without its secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        match &self.0 {
            Some(masker) => masker.mask_or_withhold(text),
            None => WITHHELD.to_owned(),
        }
    }

    /// The document without its secrets.
    #[must_use]
    pub fn json(&self, document: &Value) -> Value {
        match &self.0 {
            Some(masker) => masker.mask_json(document).0,
            None => WITHHELD.into(),
        }
    }
}
