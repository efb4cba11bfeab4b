//! Authentication requirement of a route.

use tarsy_model::Role;

/// Authentication requirement of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthRequirement {
    Public,
    Authenticated,
    /// A role that covers this one.
    Role(Role),
    /// A signature if the source signs; else the role `ingest`.
    Webhook,
    /// The signature of a Slack app, checked by the handler.
    Slack,
    /// None; but each request counts as a failed one, because the identity provider is asked for anybody.
    SignIn,
    /// A ticket, checked by the handler: browsers can't send headers with a WebSocket.
    Ticket,
}

#[cfg(test)]
impl AuthRequirement {
    /// The word in the OpenAPI document, as `x-needs`.
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
