//! Masks texts of alerts by the patterns of the configuration.

use std::sync::Arc;

use tarsy_config::Config;
use tarsy_masking::{Masker, WITHHELD};

/// The masker of alerts. One whose patterns can't be used withholds every text; the configuration
/// refuses such patterns before.
#[derive(Clone, Debug)]
pub struct AlertMasker(Option<Arc<Masker>>);

impl AlertMasker {
    /// The masker of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self(Masker::new(&config.alert_masking).ok().map(Arc::new))
    }

    pub(crate) fn text(&self, text: &str) -> String {
        match &self.0 {
            Some(masker) => masker.mask_or_withhold(text),
            None => WITHHELD.to_owned(),
        }
    }
}
