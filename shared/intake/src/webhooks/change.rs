//! Reads the changes that a payload reports. `senders.yaml` describes each format.

mod draft;
mod line;
mod path;
mod senders;

use http::HeaderMap;
use tarsy_config::ChangeFormat;

use crate::Error;
use crate::webhooks::vendor::{CloudEvent, body_name, events, object};
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
    let payloads = match change.format {
        ChangeFormat::Cloudevents => events(source, headers, body)?,
        _ => vec![CloudEvent {
            content: object(body)?,
            delivery: body_name(source, headers, body),
        }],
    };
    let verdicts = payloads.iter().map(|CloudEvent { content, delivery }| {
        Ok(match senders::draft(change, content, delivery)? {
            Some(draft) => judge.verdict(&draft, content, delivery),
            None => Verdict {
                fingerprint: String::new(),
                action: Action::Ignore,
            },
        })
    });
    verdicts.collect()
}

#[cfg(test)]
mod tests;
