//! Alert data as it is read: masked, as the model saw it.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use sqlx::types::Json;
use tarsy_config::Config;
use tarsy_masking::{Masker, WITHHELD};
use tarsy_model::{presentable_document, read_document};
use tarsy_store::{SessionOverview, SessionRecord};

use crate::problem::Problem;

/// Masks what rows keep as it was sent, by the patterns of the configuration's alerts.
#[derive(Clone, Debug)]
pub(crate) struct AlertMasker(Option<Arc<Masker>>);

impl AlertMasker {
    /// The masker of a configuration. One whose patterns can't be used withholds everything; the
    /// configuration refuses such patterns before.
    pub(crate) fn of(config: &Config) -> Self {
        Self(Masker::new(&config.alert_masking).ok().map(Arc::new))
    }

    /// A session without the secrets of its alert and its runbook.
    ///
    /// # Errors
    ///
    /// [`Problem::Internal`] when masking does not come to an end.
    pub(crate) async fn session(&self, session: SessionRecord) -> Result<SessionRecord, Problem> {
        let this = self.clone();
        // An alert of a megabyte takes tens of milliseconds.
        let masked = tokio::task::spawn_blocking(move || this.masked(session)).await;
        masked.map_err(|error| Problem::Internal(error.into()))
    }

    /// Lines of a list, without the secrets of their alerts' labels.
    pub(crate) fn lines(&self, sessions: &mut [SessionOverview]) {
        for session in sessions {
            if !session.target.is_empty() {
                session.target = self.text(&session.target);
            }
        }
    }

    fn masked(&self, session: SessionRecord) -> SessionRecord {
        let text = |text: Option<String>| text.map(|text| self.text(&text));
        SessionRecord {
            alert_data: Json(self.document(session.alert_data.0)),
            error_message: text(session.error_message),
            runbook_url: text(session.runbook_url),
            runbook_content: text(session.runbook_content),
            runbook_error: text(session.runbook_error),
            ..session
        }
    }

    /// A stored document without its secrets; one that has none keeps its text, digits included.
    fn document(&self, stored: Box<RawValue>) -> Box<RawValue> {
        let Some(masker) = &self.0 else {
            return withheld();
        };
        let shown = presentable_document(stored);
        let Ok(document) = read_document(shown.get()) else {
            return withheld();
        };
        let masked = masker.mask_json(&document).0;
        match masked == document {
            true => shown,
            false => to_raw_value(&masked).unwrap_or_else(|_| withheld()),
        }
    }

    fn text(&self, text: &str) -> String {
        match &self.0 {
            Some(masker) => masker.mask_or_withhold(text),
            None => WITHHELD.to_owned(),
        }
    }
}

fn withheld() -> Box<RawValue> {
    to_raw_value(WITHHELD).unwrap_or_default()
}
