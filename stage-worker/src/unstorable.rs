//! Writes that Postgres refuses for their content.

use std::error::Error;

/// Error class of a stage whose record or output can't be stored. Running it again would pay for the same answer.
pub(crate) const UNSTORABLE: &str = "unstorable";

/// Returns the reason if a write was refused because of its content. It is plain ASCII, because it must be storable
/// itself.
pub(crate) fn reason(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes = std::iter::successors(Some(error), |error| (*error).source());
    let refused = causes.find_map(|error| error.downcast_ref::<sqlx::Error>())?;
    if !tarsy_store::is_content(refused) {
        return None;
    }
    let message = refused.as_database_error().map(|error| error.message());
    let message: String = message
        .unwrap_or_default()
        .chars()
        .map(|letter| if letter.is_ascii() { letter } else { '?' })
        .collect();
    Some(format!(
        "the database can't store what the stage has to record: {message}"
    ))
}
