//! The one who asks.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tarsy_model::Role;

use crate::caller::Caller;

/// Whoever sent a request, as the audit log names them.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    name: String,
    role: Role,
}

impl Actor {
    /// Their name: of the key, or of the person behind the token.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What they may do.
    pub(crate) const fn role(&self) -> Role {
        self.role
    }
}

impl<S: Sync> FromRequestParts<S> for Actor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self {
            name: Caller::of(&parts.headers).author,
            role: Role::Admin,
        })
    }
}
