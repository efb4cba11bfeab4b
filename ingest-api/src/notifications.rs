//! Endpoints of outgoing notifications: single deliveries, and groups of undelivered ones.

pub(crate) mod deliveries;
pub(crate) mod groups;
