//! Masks sessions before they are shown.

use serde_json::value::{RawValue, to_raw_value};
use sqlx::types::Json;
use tarsy_config::AlertMasker;
use tarsy_masking::WITHHELD;
use tarsy_model::{presentable_document, read_document};
use tarsy_store::history::{SessionOverview, SessionRecord};

use crate::problem::Problem;

/// Masks a session's alert, runbook and errors.
///
/// # Errors
///
/// [`Problem::Internal`] when masking does not come to an end.
pub(crate) async fn mask_session(
    masker: &AlertMasker,
    session: SessionRecord,
) -> Result<SessionRecord, Problem> {
    let masker = masker.clone();
    // An alert of a megabyte takes tens of milliseconds.
    let masked = tokio::task::spawn_blocking(move || masked(&masker, session)).await;
    masked.map_err(|error| Problem::Internal(error.into()))
}

/// Masks what lines of a list show of their alerts and errors.
pub(crate) fn mask_lines(masker: &AlertMasker, sessions: &mut [SessionOverview]) {
    for session in sessions {
        if !session.target.is_empty() {
            session.target = masker.text(&session.target);
        }
        session.alert_name = mask_text(masker, session.alert_name.take());
        session.question = mask_text(masker, session.question.take());
        session.error_message = mask_text(masker, session.error_message.take());
    }
}

/// Masks a text that may be missing.
pub(crate) fn mask_text(masker: &AlertMasker, text: Option<String>) -> Option<String> {
    text.map(|text| masker.text(&text))
}

fn masked(masker: &AlertMasker, session: SessionRecord) -> SessionRecord {
    let text = |text| mask_text(masker, text);
    SessionRecord {
        alert_data: Json(document(masker, session.alert_data.0)),
        error_message: text(session.error_message),
        runbook_url: text(session.runbook_url),
        runbook_content: text(session.runbook_content),
        runbook_error: text(session.runbook_error),
        ..session
    }
}

/// A stored document without its secrets. One that has none keeps its text, digits included.
fn document(masker: &AlertMasker, stored: Box<RawValue>) -> Box<RawValue> {
    let shown = presentable_document(stored);
    let Ok(document) = read_document(shown.get()) else {
        return withheld();
    };
    let masked = masker.json(&document);
    match masked == document {
        true => shown,
        false => to_raw_value(&masked).unwrap_or_else(|_| withheld()),
    }
}

fn withheld() -> Box<RawValue> {
    to_raw_value(WITHHELD).unwrap_or_default()
}
