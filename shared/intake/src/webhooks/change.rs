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
use serde_json::Value;
use tarsy_config::{AlertMasker, ChangeFormat, ChangeSource, WebhookConfig};

use crate::Error;
use crate::webhooks::vendor::{body_name, events, object};
use crate::webhooks::{Action, Verdict};
use draft::{Desk, Draft};

/// Returns the action for each change of a payload. A payload without a change is acknowledged and ignored.
///
/// # Errors
///
/// If the payload can't be read. An invalid change is only rejected itself.
pub(super) fn verdicts(
    (source, change): (&WebhookConfig, &ChangeSource),
    headers: &HeaderMap,
    body: &str,
    masker: &AlertMasker,
    now_us: i64,
) -> Result<Vec<Verdict>, Error> {
    let desk = Desk {
        source,
        change,
        masker,
        now_us,
    };
    if change.format == ChangeFormat::Cloudevents {
        let events = events(source, headers, body)?;
        let verdicts = events
            .iter()
            .map(|event| desk.verdict(event::draft(event), &event.content, &event.delivery));
        return Ok(verdicts.collect());
    }
    let payload = object(body)?;
    let drafts = drafts(change, &payload)?;
    let delivery = body_name(source, headers, body);
    if drafts.is_empty() {
        return Ok(vec![Verdict {
            fingerprint: String::new(),
            action: Action::Ignore,
        }]);
    }
    let drafts = drafts.into_iter();
    Ok(drafts
        .map(|draft| desk.verdict(draft, &payload, &delivery))
        .collect())
}

fn drafts(change: &ChangeSource, payload: &Value) -> Result<Vec<Draft>, Error> {
    Ok(match change.format {
        ChangeFormat::Github => github::draft(payload, &change.branches)
            .into_iter()
            .collect(),
        ChangeFormat::Gitlab => gitlab::draft(payload, &change.branches)
            .into_iter()
            .collect(),
        ChangeFormat::ArgoCd => argo_cd::draft(payload)?.into_iter().collect(),
        ChangeFormat::Flux => vec![flux::draft(payload)?],
        _ => vec![event::plain(payload)],
    })
}

#[cfg(test)]
mod tests;
