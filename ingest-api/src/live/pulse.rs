//! Publishes the health of the fleet to subscribers of `system_health`.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::live::channel::Channel;
use crate::live::hub::Hub;
use crate::live::protocol;
use crate::server::clock;
use crate::server::state::AppState;

/// Time between two messages on `system_health`.
const INTERVAL: Duration = Duration::from_secs(3);

/// Publishes the health regularly until `stop`. While the channel has no subscribers, nothing is queried.
pub(crate) async fn pulse(states: &watch::Receiver<AppState>, hub: &Hub, stop: &CancellationToken) {
    let beat = async {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            if hub.has_subscribers(Channel::Health) {
                let app = states.borrow().clone();
                let health = app.health(clock::now_text()).await;
                hub.publish_unstored(Channel::Health, &protocol::system_health(&health));
            }
        }
    };
    stop.run_until_cancelled(beat).await;
}
