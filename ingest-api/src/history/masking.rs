//! Alert data as it is read: masked, as the model saw it.

use std::sync::Arc;

use tarsy_config::Config;
use tarsy_masking::{Masker, WITHHELD};
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
        let json = |value: &serde_json::Value| match &self.0 {
            Some(masker) => masker.mask_json(value).0,
            None => WITHHELD.into(),
        };
        SessionRecord {
            alert_data: json(&session.alert_data),
            session_metadata: session.session_metadata.as_ref().map(json),
            error_message: text(session.error_message),
            runbook_url: text(session.runbook_url),
            runbook_content: text(session.runbook_content),
            runbook_error: text(session.runbook_error),
            ..session
        }
    }

    fn text(&self, text: &str) -> String {
        match &self.0 {
            Some(masker) => masker.mask_or_withhold(text),
            None => WITHHELD.to_owned(),
        }
    }
}
