//! The starts, ends and waits of sessions that each notification target subscribes to.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use tarsy_chain::SessionEnd;
use tarsy_store::deliveries::NewDelivery;
use tarsy_store::waits::WaitRecord;
use tokio::sync::watch;
use uuid::Uuid;

use super::{Recipients, Target};
use crate::setup::ChainSetup;

/// Subscriptions of the configured targets. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Subscriptions(watch::Receiver<Arc<ChainSetup>>);

impl Subscriptions {
    /// Creates the subscriptions of the targets in `setup`.
    pub(crate) const fn new(setup: watch::Receiver<Arc<ChainSetup>>) -> Self {
        Self(setup)
    }

    fn targets(&self) -> Recipients {
        self.0.borrow().notify.clone()
    }

    /// Returns the targets that are notified when this session waits.
    pub(crate) fn of_wait(&self, wait: &WaitRecord) -> Vec<String> {
        let severity = wait.severity.to_lowercase();
        let recipients = self.targets();
        let subscribed = recipients.targets().iter().filter(|target| {
            target.events.iter().any(|event| event == "waiting")
                && accepts(&target.filter, "severity", &severity)
                && accepts(&target.filter, "alert_type", &wait.alert_type)
        });
        subscribed.map(|target| target.name.clone()).collect()
    }

    /// Returns whether any target is notified of starts.
    pub(crate) fn has_of_starts(&self) -> bool {
        let recipients = self.targets();
        recipients.targets().iter().any(subscribes_to_starts)
    }

    /// Returns the targets that are notified of starts, with their session filters.
    pub(crate) fn of_starts(&self) -> Vec<(String, Value)> {
        let recipients = self.targets();
        let targets = recipients.targets().iter();
        let subscribed = targets.filter(|target| subscribes_to_starts(target));
        subscribed
            .map(|target| (target.name.clone(), target.filter.clone()))
            .collect()
    }

    /// Returns the targets whose messages can be updated.
    pub(crate) fn that_change_messages(&self) -> Vec<String> {
        let recipients = self.targets();
        let apps = recipients.targets().iter().filter(|t| t.slack.is_some());
        apps.map(|target| target.name.clone()).collect()
    }

    /// Returns the deliveries that are due when these sessions end, each session once.
    pub(crate) fn deliveries<'a>(
        &self,
        ends: impl Iterator<Item = &'a SessionEnd>,
    ) -> Vec<NewDelivery> {
        let recipients = self.targets();
        let mut seen = HashSet::new();
        let mut deliveries = Vec::new();
        for SessionEnd {
            session_id, status, ..
        } in ends
        {
            let word = status.as_str();
            if !seen.insert((session_id, word)) {
                continue;
            }
            let subscribed = recipients
                .targets()
                .iter()
                .filter(|target| target.events.iter().any(|event| event == word));
            deliveries.extend(subscribed.map(|target| NewDelivery {
                delivery_id: Uuid::now_v7(),
                session_id: *session_id,
                target: target.name.clone(),
                event: format!("session.{word}"),
                filter: target.filter.clone(),
            }));
        }
        deliveries
    }
}

fn subscribes_to_starts(target: &Target) -> bool {
    target.events.iter().any(|event| event == "started")
}

/// Returns whether a filter accepts this value of a field; see [`NewDelivery::filter`].
fn accepts(filter: &Value, field: &str, value: &str) -> bool {
    let accepted = filter.get(field).and_then(Value::as_array);
    accepted.is_none_or(|values| values.iter().any(|accepted| accepted == value))
}
