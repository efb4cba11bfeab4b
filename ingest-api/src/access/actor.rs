//! The authenticated caller.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tarsy_model::Role;
use uuid::Uuid;

use crate::problem::Problem;

/// Authenticated caller, as named in the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    name: String,
    role: Role,
    auth_method: AuthMethod,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthMethod {
    /// Not authenticated, because access control is off.
    Off,
    /// By this API key.
    Key(Uuid),
    /// By the cookie of a browser that signed in with this API key, or at the identity provider.
    BrowserSession {
        key_id: Option<Uuid>,
        session_id: Uuid,
    },
    /// By this API key of a proxy, which names the user that it forwards for.
    Forwarded(Uuid),
    /// By a token of the identity provider.
    Oidc,
    /// By the signature of a webhook, which its handler checks.
    Signature,
    /// By Slack, which names the person who pressed a button.
    Slack,
}

impl AuthMethod {
    /// Returns the method's name in the API.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Key(_) | Self::Forwarded(_) => "key",
            Self::BrowserSession { .. } => "session",
            Self::Oidc => "oidc",
            Self::Signature => "signature",
            Self::Slack => "slack",
        }
    }

    /// Returns the method's name in the audit log.
    pub(crate) const fn audited(self) -> &'static str {
        match self {
            Self::Forwarded(_) => "forwarded",
            Self::BrowserSession { key_id: None, .. } => "oidc",
            _ => self.as_str(),
        }
    }
}

impl Actor {
    pub(crate) const fn new(name: String, role: Role, auth_method: AuthMethod) -> Self {
        Self {
            name,
            role,
            auth_method,
        }
    }

    /// Name of the API key, webhook source or person.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) const fn role(&self) -> Role {
        self.role
    }

    pub(crate) const fn auth_method(&self) -> AuthMethod {
        self.auth_method
    }

    /// The browser session, if the caller sent its cookie.
    pub(crate) const fn browser_session(&self) -> Option<Uuid> {
        match self.auth_method {
            AuthMethod::BrowserSession { session_id, .. } => Some(session_id),
            _ => None,
        }
    }

    /// The API key, if one was used.
    pub(crate) const fn key_id(&self) -> Option<Uuid> {
        match self.auth_method {
            AuthMethod::Key(id) | AuthMethod::Forwarded(id) => Some(id),
            AuthMethod::BrowserSession { key_id, .. } => key_id,
            _ => None,
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Actor {
    type Rejection = Problem;

    /// Returns the caller that the authentication middleware admitted. Requests on public routes
    /// have no actor, so there it fails.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let actor = parts.extensions.get::<Self>();
        actor
            .cloned()
            .ok_or_else(|| Problem::Internal("the handler needs an actor on a public route".into()))
    }
}
