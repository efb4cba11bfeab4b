//! Identification of callers and rate limits.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use sqlx::PgPool;
use tarsy_config::settings::AccessSettings;
use tarsy_failpoint::reached;
use tarsy_model::Role;
use tarsy_store::browser_sessions::{NewBrowserSession, SessionOwner};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::actor::{Actor, AuthMethod};
use crate::access::browser_session;
use crate::access::credential::Credential;
use crate::access::failed_attempts::FailedAttempts;
use crate::access::key::NewSessionToken;
use crate::access::keyring::{CredentialLifetime, Keyring};
use crate::access::oidc::{CodeFlow, Oidc, Person};
use crate::access::rate_limiter::RateLimiter;
use crate::problem::{AuthError, Problem};
use crate::server::caller::forwarded_user;
use crate::server::clock;

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
    session_lifetime: Duration,
    /// Hosts that browsers reach only over https.
    secure_hosts: Vec<String>,
}

impl Authenticator {
    /// Creates an authenticator. It admits every caller while access control is off. Pages of
    /// `origins` may sign in.
    ///
    /// # Errors
    ///
    /// [`reqwest::Error`] if TLS can't be set up.
    pub(crate) fn new(
        settings: &AccessSettings,
        origins: &[String],
        pool: PgPool,
    ) -> Result<Self, reqwest::Error> {
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
            session_lifetime: settings.browser_session,
            secure_hosts: browser_session::secure_hosts(origins),
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
        let shown = |proxy_header| Credential::shown(headers, proxy_header).map_err(|_| MALFORMED);
        let mut shown_now = shown(None)?;
        if shown_now.is_none() {
            // A browser session takes precedence over the proxy's token, which is in every request.
            if let Some(actor) = guarded.browser(headers, client).await? {
                return Ok(actor);
            }
            shown_now = shown(guarded.oidc.as_ref().and_then(Oidc::header))?;
        }
        match shown_now {
            None if browser_session::token_of(headers, &guarded.secure_hosts).is_some() => {
                Err(SESSION_ENDED.into())
            }
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
    /// The time that the caller should wait.
    pub(crate) fn admit(&self, actor: &Actor) -> Result<(), Duration> {
        let admitted = |guarded: &Arc<Guarded>| guarded.limiter.admit(actor, Instant::now());
        self.0.as_ref().map_or(Ok(()), admitted)
    }

    /// Counts a request of `actor` after its handler has verified the signature. The middleware
    /// does not count such a request, because it can't verify it.
    ///
    /// # Errors
    ///
    /// The time that the caller should wait.
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
    /// The time that its client should wait.
    pub(crate) fn charge_stranger(&self, client: IpAddr) -> Result<(), Duration> {
        let charge =
            |guarded: &Arc<Guarded>| guarded.failed_attempts.charge(client, Instant::now());
        self.0.as_ref().map_or(Ok(()), charge)
    }

    /// Checks that a client has attempts left before anything is spent on it. Counts nothing.
    ///
    /// # Errors
    ///
    /// The time that the caller should wait.
    pub(crate) fn spend_on(&self, client: IpAddr) -> Result<(), Duration> {
        let spend =
            |guarded: &Arc<Guarded>| guarded.failed_attempts.must_wait(client, Instant::now());
        self.0.as_ref().map_or(Ok(()), spend)
    }

    /// Returns the actor of the request's browser session, or `None` without a live session.
    ///
    /// # Errors
    ///
    /// [`Problem::DatabaseAway`] or [`AuthError::RateLimited`].
    pub(crate) async fn browser(&self, headers: &HeaderMap) -> Result<Option<Actor>, Problem> {
        match &self.0 {
            Some(guarded) => guarded.browser(headers, None).await,
            None => Ok(None),
        }
    }

    /// Signs a browser in with the API key of `actor`. Returns the session's token and lifetime, or
    /// `None` if the actor did not authenticate with an API key directly.
    ///
    /// # Errors
    ///
    /// [`tarsy_store::Error`].
    pub(crate) async fn sign_in(
        &self,
        actor: &Actor,
        pool: &PgPool,
    ) -> Result<Option<(String, Duration)>, Problem> {
        let (Some(guarded), AuthMethod::Key(key_id)) = (&self.0, actor.auth_method()) else {
            return Ok(None);
        };
        let opened = guarded
            .open_session(SessionOwner::Key(key_id), pool)
            .await?;
        Ok(Some(opened.ok_or(UNKNOWN_KEY)?))
    }

    /// Returns the sign-in at the identity provider, or `None` if people can sign in only with keys.
    pub(crate) fn code_flow(&self) -> Option<CodeFlow<'_>> {
        self.0.as_ref()?.oidc.as_ref()?.code_flow()
    }

    /// Signs a browser in as a person of the identity provider. Returns the session's token and lifetime.
    ///
    /// # Errors
    ///
    /// [`tarsy_store::Error`].
    pub(super) async fn sign_in_person(
        &self,
        person: &Person,
        pool: &PgPool,
    ) -> Result<(String, Duration), Problem> {
        let owner = SessionOwner::Person {
            name: &person.name,
            role: person.role.as_str(),
        };
        let opened = match &self.0 {
            Some(guarded) => guarded.open_session(owner, pool).await?,
            None => None,
        };
        opened
            .ok_or_else(|| Problem::Internal("nobody signs in while access control is off".into()))
    }

    /// Ends a browser session.
    ///
    /// # Errors
    ///
    /// [`tarsy_store::Error`].
    pub(crate) async fn sign_out(&self, session_id: Uuid, pool: &PgPool) -> Result<(), Problem> {
        let mut conn = pool.acquire().await?;
        reached("lone.delete_browser_session.before_commit");
        tarsy_store::browser_sessions::delete_browser_session(&mut conn, session_id).await?;
        reached("lone.delete_browser_session.after_commit");
        drop(conn);
        self.refresh().await;
        Ok(())
    }

    /// Returns the lifetime of a stream that this key or browser session opened.
    pub(crate) fn standing(&self, id: Option<Uuid>) -> CredentialLifetime {
        match (&self.0, id) {
            (Some(guarded), Some(id)) => CredentialLifetime::new(guarded.keyring.clone(), id),
            _ => CredentialLifetime::lasting(),
        }
    }

    /// Returns the lifetime of a stream that this caller opened.
    pub(crate) fn standing_of(&self, actor: &Actor) -> CredentialLifetime {
        self.standing(actor.browser_session().or(actor.key_id()))
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

/// Name of an unnamed actor while access control is off.
const ANONYMOUS: &str = "api-client";
/// Maximum number of browser sessions of one key or person. A new session replaces the oldest.
const SESSIONS_OF_ONE: i64 = 50;
const MALFORMED: AuthError = AuthError::Unauthenticated("malformed credentials");
const UNKNOWN_KEY: AuthError =
    AuthError::Unauthenticated("the API key is unknown, revoked or expired");
const SESSION_ENDED: AuthError = AuthError::Unauthenticated("the session has ended; sign in again");

impl Guarded {
    /// Stores a browser session. Returns its token and lifetime, or `None` if the key no longer exists.
    async fn open_session(
        &self,
        owner: SessionOwner<'_>,
        pool: &PgPool,
    ) -> Result<Option<(String, Duration)>, Problem> {
        let made = NewSessionToken::generate();
        let session = NewBrowserSession {
            browser_session_id: made.session_id,
            owner,
            hash: &made.hash,
            lifetime: self.session_lifetime,
            most_of_owner: SESSIONS_OF_ONE,
        };
        let mut conn = pool.acquire().await?;
        reached("lone.insert_browser_session.before_commit");
        let ends =
            tarsy_store::browser_sessions::insert_browser_session(&mut conn, &session).await?;
        reached("lone.insert_browser_session.after_commit");
        drop(conn);
        let Some(ends_us) = ends else {
            return Ok(None);
        };
        self.keyring.refresh().await;
        let left_us = u64::try_from(ends_us - clock::now_us()).unwrap_or_default();
        Ok(Some((made.token, Duration::from_micros(left_us))))
    }

    /// Checks that a client may cause a database query for an unknown credential. Refuses clients
    /// that sent too many invalid ones.
    fn check_attempts(&self, client: Option<IpAddr>) -> Result<(), Duration> {
        match client {
            Some(client) => self.failed_attempts.must_wait(client, Instant::now()),
            None => Ok(()),
        }
    }

    /// Returns the actor that signed in with this browser, if its cookie belongs to a live session.
    async fn browser(
        &self,
        headers: &HeaderMap,
        client: Option<IpAddr>,
    ) -> Result<Option<Actor>, Problem> {
        let Some(token) = browser_session::token_of(headers, &self.secure_hosts) else {
            return Ok(None);
        };
        let may_query = || self.check_attempts(client);
        let found = self.keyring.find_session(token, may_query).await?;
        // People's sessions end when sign-in at the identity provider is turned off.
        let has_people = self
            .oidc
            .as_ref()
            .is_some_and(|oidc| oidc.code_flow().is_some());
        let found = found.filter(|holder| holder.key_id.is_some() || has_people);
        Ok(found.map(|holder| {
            let (key_id, session_id) = (holder.key_id, holder.id);
            let method = AuthMethod::BrowserSession { key_id, session_id };
            Actor::new(holder.name, holder.role, method)
        }))
    }

    async fn holder_of(
        &self,
        key: &str,
        headers: &HeaderMap,
        client: Option<IpAddr>,
    ) -> Result<Actor, Problem> {
        let holder = self
            .keyring
            .find(key, || self.check_attempts(client))
            .await?;
        let holder = holder.ok_or(UNKNOWN_KEY)?;
        let forwarded = match self.forwarding_keys.contains(&holder.name) {
            true => forwarded_user(headers),
            false => None,
        };
        Ok(match forwarded {
            Some(user) => Actor::new(user, holder.role, AuthMethod::Forwarded(holder.id)),
            None => Actor::new(holder.name, holder.role, AuthMethod::Key(holder.id)),
        })
    }
}
