//! Authentication requirement of a route.

use tarsy_model::Role;

/// What somebody must show to ask a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthRequirement {
    /// Nothing: it says nothing worth hiding.
    Public,
    /// Who they are; every role will do.
    Authenticated,
    /// A role that covers this one.
    Role(Role),
    /// A signature, where the source signs; else the role `ingest`.
    Webhook,
    /// A ticket, which the handler asks for: browsers can send nothing else with a WebSocket.
    Ticket,
}

impl AuthRequirement {
    /// The word in the OpenAPI document, as `x-needs`.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "nothing",
            Self::Authenticated => "any role",
            Self::Role(role) => role.as_str(),
            Self::Webhook => "ingest, or the source's signature",
            Self::Ticket => "ticket",
        }
    }
}
