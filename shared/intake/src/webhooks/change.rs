//! Reads the changes that a payload reports. `senders.yaml` describes each format.

mod draft;
mod line;
mod path;

use std::sync::LazyLock;

use http::HeaderMap;
use minijinja::context;
use tarsy_config::ChangeFormat;

use crate::Error;
use crate::webhooks::formats::{self, Formats};
use crate::webhooks::vendor::{CloudEvent, body_name, events, object};
use crate::webhooks::{Action, Verdict};
pub(super) use draft::Judge;

static SENDERS: Formats =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("change/senders.yaml")));

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
        let names = context! { delivery, branches => change.branches.clone() };
        let draft = formats::draft(&SENDERS, change.format.as_str(), content, names)?;
        Ok(match draft {
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
