//! Who may come in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use sqlx::PgPool;
use tarsy_config::settings::AccessSettings;
use tarsy_model::Role;
use tokio_util::sync::CancellationToken;

use super::actor::{Actor, Means};
use super::credential::Credential;
use super::keyring::{Keyring, Standing};
use super::limiter::Limiter;
use super::oidc::Oidc;
use crate::caller::forwarded_user;
use crate::problem::{Denied, Problem};

/// Access control of the service. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Gate(Option<Arc<Guarded>>);

#[derive(Debug)]
struct Guarded {
    keyring: Keyring,
    oidc: Option<Oidc>,
    limiter: Limiter,
    forwarding_keys: Vec<String>,
}

impl Gate {
    /// An open gate while access control is off.
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
            limiter: Limiter::new(settings.rate),
            forwarding_keys: settings.forwarding_keys.clone(),
        }))))
    }

    /// Whether everybody who reaches the service may do everything.
    pub(crate) const fn is_open(&self) -> bool {
        self.0.is_none()
    }

    /// Who asks.
    ///
    /// # Errors
    ///
    /// [`Denied::Unauthenticated`]; [`Problem::DatabaseAway`] or
    /// [`Denied::IdentityProviderAway`] when that can't be found out now.
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Result<Actor, Problem> {
        let Some(guarded) = &self.0 else {
            let name = forwarded_user(headers).unwrap_or_else(|| ANONYMOUS.to_owned());
            return Ok(Actor::new(name, Role::Admin, Means::Off));
        };
        let proxy_header = guarded.oidc.as_ref().and_then(Oidc::header);
        let shown = Credential::shown(headers, proxy_header)
            .map_err(|_| Denied::Unauthenticated("the credentials can't be read"))?;
        match shown {
            None => Err(Denied::Unauthenticated(
                "show an API key, as `Authorization: Bearer <key>` or `X-API-Key`",
            )
            .into()),
            Some(Credential::Key(key)) => guarded.holder_of(&key, headers).await,
            Some(Credential::Token(token)) => match &guarded.oidc {
                Some(oidc) => oidc.identify(&token).await,
                None => Err(Denied::Unauthenticated("this is no API key").into()),
            },
        }
    }

    /// Count a request of `actor`.
    ///
    /// # Errors
    ///
    /// How long they should wait.
    pub(crate) fn admit(&self, actor: &Actor) -> Result<(), Duration> {
        let admitted = |guarded: &Arc<Guarded>| guarded.limiter.admit(actor, Instant::now());
        self.0.as_ref().map_or(Ok(()), admitted)
    }

    /// How long what is given to `actor` lasts.
    pub(crate) fn standing(&self, key_id: Option<uuid::Uuid>) -> Standing {
        match (&self.0, key_id) {
            (Some(guarded), Some(key_id)) => Standing::of_key(guarded.keyring.clone(), key_id),
            _ => Standing::lasting(),
        }
    }

    /// Look at the keys now, because one was made or revoked here.
    pub(crate) async fn refresh(&self) {
        if let Some(guarded) = &self.0 {
            guarded.keyring.refresh().await;
        }
    }

    /// Keep the keys fresh until `stop`.
    pub(crate) async fn run(&self, stop: &CancellationToken) {
        if let Some(guarded) = &self.0 {
            guarded.keyring.run(stop).await;
        }
    }
}

/// Who asks and names nobody, while access control is off.
const ANONYMOUS: &str = "api-client";

impl Guarded {
    async fn holder_of(&self, key: &str, headers: &HeaderMap) -> Result<Actor, Problem> {
        let holder = self.keyring.find(key).await?;
        let holder = holder.ok_or(Denied::Unauthenticated(
            "the key is not known, has been revoked or has ended",
        ))?;
        let means = Means::Key(holder.key_id);
        let name = if self.forwarding_keys.contains(&holder.name) {
            forwarded_user(headers).unwrap_or(holder.name)
        } else {
            holder.name
        };
        Ok(Actor::new(name, holder.role, means))
    }
}
