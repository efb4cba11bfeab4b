//! One type for each kind of id, so that a session id can't be passed as an execution id.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Invalid id.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a UUID")]
pub struct ParseIdError {
    text: String,
    #[source]
    source: uuid::Error,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Generates a new id: UUIDv7 (RFC 9562), so that ids sort by creation time.
            #[must_use]
            pub fn generate() -> Self {
                Self(Uuid::now_v7())
            }

            /// The bare UUID, for SQL parameters.
            #[must_use]
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse()
                    .map(Self)
                    .map_err(|source| ParseIdError { text: text.to_owned(), source })
            }
        }
    };
}

id!(
    /// Id of a session: one accepted alert and its chain.
    SessionId
);
id!(
    /// Id of one attempt of one stage of a session.
    ExecutionId
);
id!(
    /// Id of one wait of a stage. Approvals refer to it.
    WaitId
);
id!(
    /// Id of one LLM or MCP interaction; also sent to the provider or server as request id.
    InteractionId
);
