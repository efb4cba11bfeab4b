//! Authentication requirement of a route.

use tarsy_model::Role;

/// The credentials that a route requires of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthRequirement {
    Public,
    Authenticated,
    /// A role that covers this one.
    Role(Role),
    /// The signature, if the webhook source signs its requests; otherwise the role `ingest`.
    Webhook,
    /// The signature of a Slack app, checked by the handler.
    Slack,
    /// None. But each request counts as a failed attempt, because it makes the service ask the
    /// identity provider for an unknown client.
    SignIn,
    /// A ticket, checked by the handler. Browsers can't set headers when they open a WebSocket.
    Ticket,
}

#[cfg(test)]
impl AuthRequirement {
    /// Returns the requirement's name in the OpenAPI document (`x-needs`).
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Public | Self::SignIn => "nothing",
            Self::Authenticated => "any role",
            Self::Role(role) => role.as_str(),
            Self::Webhook => "ingest, or the source's signature",
            Self::Slack => "Slack's signature",
            Self::Ticket => "ticket",
        }
    }
}
