//! Roles of API callers.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Permissions of an API key or token (docs/ACCESS.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Post alerts and read their state: for monitoring systems.
    Ingest,
    /// Read sessions, history and live events.
    Viewer,
    /// Also post alerts, replay, cancel, pause, drain, requeue and discard.
    Operator,
    /// Also manage keys and prune history.
    Admin,
}

impl Role {
    /// Every role, in ascending order.
    pub const ALL: [Self; 4] = [Self::Ingest, Self::Viewer, Self::Operator, Self::Admin];

    /// Name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    /// Whether this role includes `needed`. A viewer can't ingest; an operator and an admin can.
    #[must_use]
    pub const fn covers(self, needed: Self) -> bool {
        match needed {
            Self::Ingest => matches!(self, Self::Ingest | Self::Operator | Self::Admin),
            Self::Viewer => matches!(self, Self::Viewer | Self::Operator | Self::Admin),
            Self::Operator => matches!(self, Self::Operator | Self::Admin),
            Self::Admin => matches!(self, Self::Admin),
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Unknown role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role; roles are ingest, viewer, operator and admin")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn higher_roles_cover_lower_ones_and_a_viewer_can_not_ingest() {
        let covered = |role: Role| Role::ALL.map(|needed| role.covers(needed));
        assert_eq!(covered(Role::Ingest), [true, false, false, false]);
        assert_eq!(covered(Role::Viewer), [false, true, false, false]);
        assert_eq!(covered(Role::Operator), [true, true, true, false]);
        assert_eq!(covered(Role::Admin), [true; 4]);
    }
}
