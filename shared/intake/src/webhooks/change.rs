//! Reads the changes that a payload reports. Each format has its own file; all produce drafts.

mod argo_cd;
mod draft;
mod event;
mod flux;
mod github;
mod gitlab;
mod line;
mod path;
mod push;

use http::HeaderMap;
use tarsy_config::ChangeFormat;

use crate::Error;
use crate::webhooks::vendor::{body_name, events, object};
use crate::webhooks::{Action, Verdict};
pub(super) use draft::Judge;

/// Returns the action for each change of a payload. A payload without a change is acknowledged and ignored.
///
/// # Errors
///
/// If the payload can't be read. An invalid change is only rejected itself.
pub(super) fn verdicts(
    judge: &Judge<'_>,
    headers: &HeaderMap,
    body: &str,
) -> Result<Vec<Verdict>, Error> {
    let Judge { source, change, .. } = judge;
    if change.format == ChangeFormat::Cloudevents {
        let events = events(source, headers, body)?;
        let verdicts = events
            .iter()
            .map(|event| judge.verdict(event::draft(event), &event.content, &event.delivery));
        return Ok(verdicts.collect());
    }
    let payload = object(body)?;
    let draft = match change.format {
        ChangeFormat::Github => github::draft(&payload, &change.branches),
        ChangeFormat::Gitlab => gitlab::draft(&payload, &change.branches),
        ChangeFormat::ArgoCd => argo_cd::draft(&payload)?,
        ChangeFormat::Flux => Some(flux::draft(&payload)?),
        _ => Some(event::plain(&payload)),
    };
    let delivery = body_name(source, headers, body);
    Ok(vec![match draft {
        Some(draft) => judge.verdict(draft, &payload, &delivery),
        None => Verdict {
            fingerprint: String::new(),
            action: Action::Ignore,
        },
    }])
}

#[cfg(test)]
mod tests;
