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
/// [`Problem::Internal`] if the masking task does not finish.
pub(crate) async fn mask_session(
    masker: &AlertMasker,
    session: SessionRecord,
) -> Result<SessionRecord, Problem> {
    let masker = masker.clone();
    // Runs on a blocking thread, because masking an alert of a megabyte takes tens of milliseconds.
    let masked = tokio::task::spawn_blocking(move || masked(&masker, session)).await;
    masked.map_err(|error| Problem::Internal(error.into()))
}

/// Masks the texts of alerts and errors in a list.
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

/// Masks a stored document. A document without secrets keeps its exact text, including the digits of numbers.
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
