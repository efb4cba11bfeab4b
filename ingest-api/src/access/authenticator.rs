//! Identification of callers and rate limits.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use sqlx::PgPool;
use tarsy_config::settings::AccessSettings;
use tarsy_model::Role;
use tokio_util::sync::CancellationToken;

use super::actor::{Actor, AuthMethod};
use super::credential::Credential;
use super::failed_attempts::FailedAttempts;
use super::keyring::{CredentialLifetime, Keyring};
use super::oidc::Oidc;
use super::rate_limiter::RateLimiter;
use crate::caller::forwarded_user;
use crate::problem::{AuthError, Problem};

/// Access control of the service. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Authenticator(Option<Arc<Guarded>>);

#[derive(Debug)]
struct Guarded {
    keyring: Keyring,
    oidc: Option<Oidc>,
    limiter: RateLimiter,
    failed_attempts: FailedAttempts,
    forwarding_keys: Vec<String>,
}

impl Authenticator {
    /// Creates an authenticator; it admits everybody while access control is off.
    ///
    /// # Errors
    ///
    /// [`reqwest::Error`] if TLS can't be set up.
    pub(crate) fn new(settings: &AccessSettings, pool: PgPool) -> Result<Self, reqwest::Error> {
        if !settings.enabled {
            return Ok(Self(None));
        }
        let oidc = settings.oidc.clone().map(Oidc::new).transpose()?;
        Ok(Self(Some(Arc::new(Guarded {
            keyring: Keyring::new(pool),
            oidc,
            limiter: RateLimiter::new(settings.rate),
            failed_attempts: FailedAttempts::new(settings.rate),
            forwarding_keys: settings.forwarding_keys.clone(),
        }))))
    }

    /// Whether access control is off.
    pub(crate) const fn is_open(&self) -> bool {
        self.0.is_none()
    }

    /// Identifies the caller.
    ///
    /// # Errors
    ///
    /// [`AuthError::Unauthenticated`]; [`Problem::DatabaseAway`] or
    /// [`AuthError::IdentityProviderAway`] if the caller can't be identified now.
    pub(crate) async fn identify(
        &self,
        headers: &HeaderMap,
        client: Option<IpAddr>,
    ) -> Result<Actor, Problem> {
        let Some(guarded) = &self.0 else {
            let name = forwarded_user(headers).unwrap_or_else(|| ANONYMOUS.to_owned());
            return Ok(Actor::new(name, Role::Admin, AuthMethod::Off));
        };
        let proxy_header = guarded.oidc.as_ref().and_then(Oidc::header);
        let shown = Credential::shown(headers, proxy_header)
            .map_err(|_| AuthError::Unauthenticated("malformed credentials"))?;
        match shown {
            None => Err(AuthError::Unauthenticated(
                "send an API key as `Authorization: Bearer <key>` or `X-API-Key`",
            )
            .into()),
            Some(Credential::Key(key)) => guarded.holder_of(&key, headers, client).await,
            Some(Credential::Token(token)) => match &guarded.oidc {
                Some(oidc) => oidc.identify(&token).await,
                None => Err(AuthError::Unauthenticated("not a valid API key").into()),
            },
        }
    }

    /// Counts a request of `actor`.
    ///
    /// # Errors
    ///
    /// How long the caller should wait.
    pub(crate) fn admit(&self, actor: &Actor) -> Result<(), Duration> {
        let admitted = |guarded: &Arc<Guarded>| guarded.limiter.admit(actor, Instant::now());
        self.0.as_ref().map_or(Ok(()), admitted)
    }

    /// Counts a request of `actor` after its signature was verified, which the middleware could not do.
    ///
    /// # Errors
    ///
    /// How long the caller should wait.
    pub(crate) fn admit_signed(&self, actor: &Actor) -> Result<(), Duration> {
        match actor.auth_method() {
            AuthMethod::Signature => self.admit(actor),
            _ => Ok(()),
        }
    }

    /// Counts a request that failed authentication.
    ///
    /// # Errors
    ///
    /// How long its client should wait.
    pub(crate) fn charge_stranger(&self, client: IpAddr) -> Result<(), Duration> {
        let charge =
            |guarded: &Arc<Guarded>| guarded.failed_attempts.charge(client, Instant::now());
        self.0.as_ref().map_or(Ok(()), charge)
    }

    /// Whether a client has attempts left before it is authenticated.
    ///
    /// # Errors
    ///
    /// How long the caller should wait.
    pub(crate) fn spend_on(&self, client: IpAddr) -> Result<(), Duration> {
        let spend =
            |guarded: &Arc<Guarded>| guarded.failed_attempts.must_wait(client, Instant::now());
        self.0.as_ref().map_or(Ok(()), spend)
    }

    /// How long a ticket of the key stays valid.
    pub(crate) fn standing(&self, key_id: Option<uuid::Uuid>) -> CredentialLifetime {
        match (&self.0, key_id) {
            (Some(guarded), Some(key_id)) => {
                CredentialLifetime::of_key(guarded.keyring.clone(), key_id)
            }
            _ => CredentialLifetime::lasting(),
        }
    }

    /// Reloads the keys now, because one was created or revoked here.
    pub(crate) async fn refresh(&self) {
        if let Some(guarded) = &self.0 {
            guarded.keyring.refresh().await;
        }
    }

    /// Reloads the keys regularly until `stop`.
    pub(crate) async fn run(&self, stop: &CancellationToken) {
        if let Some(guarded) = &self.0 {
            guarded.keyring.run(stop).await;
        }
    }
}

/// Actor without a name while access control is off.
const ANONYMOUS: &str = "api-client";

impl Guarded {
    async fn holder_of(
        &self,
        key: &str,
        headers: &HeaderMap,
        client: Option<IpAddr>,
    ) -> Result<Actor, Problem> {
        // A key that is not known is looked for, unless its client showed too many such.
        let look = || match client {
            Some(client) => self.failed_attempts.must_wait(client, Instant::now()),
            None => Ok(()),
        };
        let holder = self.keyring.find(key, look).await?;
        let holder = holder.ok_or(AuthError::Unauthenticated(
            "the API key is unknown, revoked or expired",
        ))?;
        let forwarded = match self.forwarding_keys.contains(&holder.name) {
            true => forwarded_user(headers),
            false => None,
        };
        Ok(match forwarded {
            Some(user) => Actor::new(user, holder.role, AuthMethod::Forwarded(holder.key_id)),
            None => Actor::new(holder.name, holder.role, AuthMethod::Key(holder.key_id)),
        })
    }
}
