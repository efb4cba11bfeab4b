//! Messages to the outside: deliveries, alone and in groups.

pub(crate) mod deliveries;
pub(crate) mod groups;
