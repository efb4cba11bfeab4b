//! Channels that a socket can subscribe to.

use std::fmt;

use tarsy_model::SessionId;

/// A channel by its name in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Channel {
    /// `dashboard_updates`: every session, without single interactions.
    Dashboard,
    /// `system_health`: the health of the fleet, every few seconds.
    Health,
    /// `session_<id>`: everything about one session.
    Session(SessionId),
}

impl Channel {
    /// Returns whether the channel's messages are stored, so that clients can request them again.
    pub(crate) fn is_recorded(self) -> bool {
        self != Self::Health
    }

    /// Parses a channel's name. The error describes what is wrong with it.
    pub(crate) fn parse(name: &str) -> Result<Self, &'static str> {
        match name {
            "dashboard_updates" => Ok(Self::Dashboard),
            "system_health" => Ok(Self::Health),
            _ => {
                let id = name.strip_prefix("session_").ok_or(
                    "channels are `dashboard_updates`, `system_health` and `session_<session id>`",
                )?;
                id.parse()
                    .map(Self::Session)
                    .map_err(|_| "what follows `session_` is not the id of a session")
            }
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dashboard => f.write_str("dashboard_updates"),
            Self::Health => f.write_str("system_health"),
            Self::Session(id) => write!(f, "session_{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Channel;

    #[test]
    fn names_and_channels_are_the_same_thing() {
        for name in [
            "dashboard_updates",
            "system_health",
            "session_0198c1a0-0000-7000-8000-000000000001",
        ] {
            assert_eq!(Channel::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "",
            "session_",
            "session_1",
            "sessions",
            "dashboard_updates ",
        ] {
            assert!(Channel::parse(name).is_err(), "{name:?}");
        }
    }
}
