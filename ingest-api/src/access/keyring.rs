//! In-memory cache of the live API keys and browser sessions.
//!
//! All of them are reloaded every 2 s, in two statements. So no request needs the database to
//! identify its caller, and a revoked key is refused within seconds. An unknown key may be new, so
//! its request waits for another reload. There are at most two of those a second.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use subtle::ConstantTimeEq as _;
use tarsy_failpoint::reached;
use tarsy_model::Role;
use tarsy_store::api_keys::LiveApiKey;
use tarsy_store::browser_sessions::LiveBrowserSession;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::key;
use crate::problem::{AuthError, Problem};
use crate::server::clock;

/// Maximum number of live keys of a fleet.
pub(crate) const MOST_KEYS: usize = 10_000;
/// Maximum number of cached browser sessions; the newest of the fleet are kept.
const MOST_SESSIONS: i64 = 20_000;
const INTERVAL: Duration = Duration::from_secs(2);
/// Minimum time between two reloads for unknown keys.
const AGAIN: Duration = Duration::from_millis(500);
/// Maximum age of the cache. An older one is not used, because a key may have been revoked since.
const BELIEVED: Duration = Duration::from_secs(10);
/// Timeout of reads and writes in the database.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two writes of when keys were last used.
const NOTED: Duration = Duration::from_secs(30);

/// Holder of an API key.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    pub(super) key_id: Uuid,
    pub(super) name: String,
    pub(super) role: Role,
}

#[derive(Debug)]
struct Entry {
    holder: Holder,
    hash: [u8; 32],
    /// Time of last use in Unix microseconds; 0 if that is already recorded.
    used_at_us: AtomicI64,
}

/// Holder of a browser session.
#[derive(Clone, Debug)]
pub(super) struct SessionHolder {
    /// `None` for a person who signed in at the identity provider.
    pub(super) key_id: Option<Uuid>,
    pub(super) name: String,
    pub(super) role: Role,
}

#[derive(Debug)]
struct Session {
    holder: SessionHolder,
    hash: [u8; 32],
    expires_at_us: i64,
}

impl Session {
    fn lives(&self) -> bool {
        self.expires_at_us > clock::now_us()
    }
}

#[derive(Debug, Default)]
struct Seen {
    by_prefix: HashMap<String, Arc<Entry>>,
    by_key: HashMap<Uuid, Arc<Entry>>,
    sessions: HashMap<Uuid, Session>,
    at: Option<Instant>,
}

/// Result of a lookup in the cache by the prefix of a key or the id of a session.
enum Known {
    Key(Arc<Entry>),
    /// Holder and hash of the session.
    Session(SessionHolder, [u8; 32]),
    /// No live key or session has it.
    Absent,
    /// The cache is older than [`BELIEVED`], because the database did not answer.
    Unsure,
}

/// Cache of the live keys and browser sessions. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Keyring(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: PgPool,
    seen: RwLock<Seen>,
    /// Start of the last reload. The lock allows one reload at a time.
    refreshed: tokio::sync::Mutex<Option<Instant>>,
}

impl Keyring {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self(Arc::new(Inner {
            pool,
            seen: RwLock::default(),
            refreshed: tokio::sync::Mutex::default(),
        }))
    }

    /// Returns the holder of a key, or `None` if the key is not valid. If the key is not cached,
    /// `may_query` decides whether it is looked up in the database.
    pub(super) async fn find(
        &self,
        key: &str,
        may_query: impl FnOnce() -> Result<(), Duration>,
    ) -> Result<Option<Holder>, Problem> {
        let Some(prefix) = key::prefix_of(key) else {
            return Ok(None);
        };
        let mut known = self.known(prefix);
        if !matches!(known, Known::Key(_)) {
            may_query().map_err(AuthError::RateLimited)?;
            // Boxed, because otherwise the future of every request would reserve space for this rare case.
            Box::pin(self.refresh_after(AGAIN)).await;
            known = self.known(prefix);
        }
        let entry = match known {
            Known::Key(entry) => entry,
            Known::Unsure => return Err(Problem::DatabaseAway),
            Known::Absent | Known::Session(..) => return Ok(None),
        };
        if !bool::from(entry.hash.ct_eq(&key::hash(key))) {
            return Ok(None);
        }
        entry.used_at_us.store(clock::now_us(), Ordering::Relaxed);
        Ok(Some(entry.holder.clone()))
    }

    /// Returns the holder of a browser session, or `None` if the token is not valid. `may_query` as
    /// for [`Self::find`].
    pub(super) async fn find_session(
        &self,
        token: &str,
        may_query: impl FnOnce() -> Result<(), Duration>,
    ) -> Result<Option<(SessionHolder, Uuid)>, Problem> {
        let Some(session_id) = key::session_of(token) else {
            return Ok(None);
        };
        let mut known = self.known_session(session_id);
        if !matches!(known, Known::Session(..)) {
            may_query().map_err(AuthError::RateLimited)?;
            Box::pin(self.refresh_after(AGAIN)).await;
            known = self.known_session(session_id);
        }
        let (holder, hash) = match known {
            Known::Session(holder, hash) => (holder, hash),
            Known::Unsure => return Err(Problem::DatabaseAway),
            Known::Absent | Known::Key(_) => return Ok(None),
        };
        if !bool::from(hash.ct_eq(&key::hash(token))) {
            return Ok(None);
        }
        if let Some(key_id) = holder.key_id {
            self.note_session_use(key_id);
        }
        Ok(Some((holder, session_id)))
    }

    fn known_session(&self, session_id: Uuid) -> Known {
        let seen = self.0.seen.read().unwrap_or_else(PoisonError::into_inner);
        if seen.at.is_none_or(|at| at.elapsed() > BELIEVED) {
            return Known::Unsure;
        }
        let live = seen.sessions.get(&session_id).filter(|one| one.lives());
        live.map_or(Known::Absent, |one| {
            Known::Session(one.holder.clone(), one.hash)
        })
    }

    /// Records a use of the key that the session was opened with.
    fn note_session_use(&self, key_id: Uuid) {
        let seen = self.0.seen.read().unwrap_or_else(PoisonError::into_inner);
        let key = seen.by_key.get(&key_id);
        if let Some(entry) = key {
            entry.used_at_us.store(clock::now_us(), Ordering::Relaxed);
        }
    }

    /// Returns whether a session is live. While the database is unavailable, the last known state counts.
    fn has_session(&self, session_id: Uuid) -> bool {
        let seen = self.0.seen.read().unwrap_or_else(PoisonError::into_inner);
        seen.sessions.get(&session_id).is_some_and(Session::lives)
    }

    /// Returns whether a key is live. While the database is unavailable, the last known state counts.
    fn has(&self, key_id: Uuid) -> bool {
        let seen = self.0.seen.read().unwrap_or_else(PoisonError::into_inner);
        seen.by_key.contains_key(&key_id)
    }

    /// Reloads the cache now, because a key was created or revoked here.
    pub(crate) async fn refresh(&self) {
        self.refresh_after(Duration::ZERO).await;
    }

    /// Reloads the cache regularly until `stop`, and records which keys are used.
    pub(crate) async fn run(&self, stop: &CancellationToken) {
        let mut noted = Instant::now();
        loop {
            self.refresh_after(Duration::ZERO).await;
            if noted.elapsed() >= NOTED {
                self.note_use().await;
                noted = Instant::now();
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
        self.note_use().await;
    }

    fn known(&self, prefix: &str) -> Known {
        let seen = self.0.seen.read().unwrap_or_else(PoisonError::into_inner);
        if seen.at.is_none_or(|at| at.elapsed() > BELIEVED) {
            return Known::Unsure;
        }
        let entry = seen.by_prefix.get(prefix);
        entry.map_or(Known::Absent, |entry| Known::Key(Arc::clone(entry)))
    }

    /// Reloads the cache, but no earlier than `pause` after the start of the last reload.
    async fn refresh_after(&self, pause: Duration) {
        let requested_at = Instant::now();
        let mut last = self.0.refreshed.lock().await;
        if let Some(begun) = *last {
            // Another request reloaded the cache while this one waited for the lock.
            if begun >= requested_at {
                return;
            }
            tokio::time::sleep(pause.saturating_sub(begun.elapsed())).await;
        }
        let begun = Instant::now();
        *last = Some(begun);
        let read = tokio::time::timeout(PATIENCE, self.read()).await;
        match read {
            Ok(Ok((keys, sessions))) => self.keep(keys, sessions, begun),
            Ok(Err(error)) => tracing::warn!(?error, "failed to read API keys"),
            Err(_) => tracing::warn!("timed out reading API keys"),
        }
    }

    async fn read(&self) -> Result<(Vec<LiveApiKey>, Vec<LiveBrowserSession>), tarsy_store::Error> {
        let mut conn = self.0.pool.acquire().await?;
        let most = i64::try_from(MOST_KEYS).unwrap_or(i64::MAX);
        let keys = tarsy_store::api_keys::live_api_keys(&mut conn, most).await?;
        let sessions =
            tarsy_store::browser_sessions::live_browser_sessions(&mut conn, MOST_SESSIONS).await?;
        Ok((keys, sessions))
    }

    fn keep(&self, keys: Vec<LiveApiKey>, sessions: Vec<LiveBrowserSession>, begun: Instant) {
        let mut seen = self.0.seen.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut seen.by_prefix);
        let entries = keys.into_iter().filter_map(|key| {
            let used = before.get(&key.prefix);
            let used_at_us = used.map_or(0, |entry| entry.used_at_us.load(Ordering::Relaxed));
            Some((
                key.prefix.clone(),
                Arc::new(Entry::from_key(key, used_at_us)?),
            ))
        });
        seen.by_prefix = entries.collect();
        let keys = seen.by_prefix.values();
        seen.by_key = keys
            .map(|entry| (entry.holder.key_id, Arc::clone(entry)))
            .collect();
        let sessions = sessions.into_iter().filter_map(|session| {
            let id = session.browser_session_id;
            Some((id, Session::from_stored(session)?))
        });
        seen.sessions = sessions.collect();
        seen.at = Some(begun);
    }

    async fn note_use(&self) {
        let used: Vec<_> = {
            let seen = self.0.seen.read().unwrap_or_else(PoisonError::into_inner);
            let times = seen.by_prefix.values().map(|entry| {
                let at_us = entry.used_at_us.swap(0, Ordering::Relaxed);
                (entry.holder.key_id, at_us)
            });
            times.filter(|(_, at_us)| *at_us > 0).collect()
        };
        if used.is_empty() {
            return;
        }
        let noting = async {
            let mut conn = self.0.pool.acquire().await?;
            reached("lone.note_key_use.before_commit");
            tarsy_store::api_keys::note_key_use(&mut conn, &used).await?;
            reached("lone.note_key_use.after_commit");
            Ok::<_, tarsy_store::Error>(())
        };
        if !matches!(tokio::time::timeout(PATIENCE, noting).await, Ok(Ok(()))) {
            tracing::warn!(keys = used.len(), "failed to record the last use of keys");
        }
    }
}

impl Entry {
    /// Returns `None` for a row of a newer version, because an unknown role must not grant access.
    fn from_key(key: LiveApiKey, used_at_us: i64) -> Option<Self> {
        Some(Self {
            hash: key.hash.try_into().ok()?,
            holder: Holder {
                role: key.role.parse().ok()?,
                key_id: key.key_id,
                name: key.name,
            },
            used_at_us: AtomicI64::new(used_at_us),
        })
    }
}

impl Session {
    /// Returns `None` in the same cases as [`Entry::from_key`].
    fn from_stored(session: LiveBrowserSession) -> Option<Self> {
        Some(Self {
            hash: session.hash.try_into().ok()?,
            holder: SessionHolder {
                role: session.role.parse().ok()?,
                key_id: session.key_id,
                name: session.name,
            },
            expires_at_us: session.expires_at_us,
        })
    }
}

/// Credential that a lifetime depends on.
#[derive(Clone, Copy, Debug)]
pub(super) enum LivesWith {
    Key(Uuid),
    BrowserSession(Uuid),
}

/// Validity of the credential that an admitted caller used, for streams that stay open.
#[derive(Clone, Debug)]
pub(crate) struct CredentialLifetime(Option<(Keyring, LivesWith)>);

impl CredentialLifetime {
    pub(crate) const fn lasting() -> Self {
        Self(None)
    }

    /// Creates a lifetime that lasts as long as the key or the browser session.
    pub(super) const fn new(keyring: Keyring, with: LivesWith) -> Self {
        Self(Some((keyring, with)))
    }

    /// Returns whether the credential is still valid, according to the cache, which is about 2 s old.
    pub(crate) fn is_valid(&self) -> bool {
        self.0.as_ref().is_none_or(|(keyring, with)| match *with {
            LivesWith::Key(id) => keyring.has(id),
            LivesWith::BrowserSession(id) => keyring.has_session(id),
        })
    }
}
