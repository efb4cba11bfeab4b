//! Masking of alerts and runbooks.

use std::sync::Arc;

use serde_json::Value;
use tarsy_masking::{Masker, WITHHELD};

use crate::Config;

/// Masks alerts and runbooks by the patterns of `alert_masking`. Cheap to clone.
///
/// If the patterns can't be compiled, every text is withheld. That can't happen with a configuration that was loaded.
#[derive(Clone, Debug)]
pub struct AlertMasker(Option<Arc<Masker>>);

impl AlertMasker {
    /// Builds the masker of a configuration.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        Self(Masker::new(&config.alert_masking).ok().map(Arc::new))
    }

    /// Masks the secrets of a text.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        match &self.0 {
            Some(masker) => masker.mask_or_withhold(text),
            None => WITHHELD.to_owned(),
        }
    }

    /// Masks the secrets of a JSON document.
    #[must_use]
    pub fn json(&self, document: &Value) -> Value {
        match &self.0 {
            Some(masker) => masker.mask_json(document).0,
            None => WITHHELD.into(),
        }
    }
}
