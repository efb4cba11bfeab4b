//! `WS /ws/dashboard/{user_id}` over real sockets.

mod alert_ids;
mod crowd;
mod order;
mod outage;
mod pieces;
mod protocol;
pub(crate) mod watcher;
